// Operations on matrices that the warp holds in fragments, whose layout is that of PTX.
#include "oracle/sass/matrix.h"

#include <array>
#include <cstring>

#include "oracle/machine_matrix.h"

namespace heddle::oracle::machine_code {
namespace {

using Part = Matrix::Part;

Matrix matrix_of(const Op& op, std::string& problem) {
  const unsigned shape = op.value(Modifier::kShape);
  Matrix matrix;
  switch (op.instruction.op) {
    case Opcode::kHmma: {
      constexpr std::array<unsigned, 3> kDepths{8, 16, 4};
      constexpr std::array kInputs{Type::kF16, Type::kBf16, Type::kTf32};
      matrix.extents = {16, 8, kDepths.at(shape)};
      matrix.left = matrix.right = kInputs.at(op.value(Modifier::kSource));
      matrix.output = op.has(Modifier::kDestination) ? Type::kF32 : Type::kF16;
      const bool tf32 = matrix.left == Type::kTf32;
      if ((matrix.output == Type::kF16 && matrix.left != Type::kF16) || (shape == 2 && !tf32) ||
          (shape == 1 && tf32))
        problem = "a product of this shape and these types";
      break;
    }
    case Opcode::kImma: {
      constexpr unsigned kRowsOf8 = 0, kDepth32 = 5, kNarrow = 2;
      matrix.extents = {shape == kRowsOf8 ? 8u : 16u, 8, shape == kDepth32 ? 32u : 16u};
      matrix.left = op.value(Modifier::kSource) == 1 ? Type::kS8 : Type::kU8;
      matrix.right = op.value(Modifier::kSourceB) == 1 ? Type::kS8 : Type::kU8;
      matrix.output = Type::kS32;
      matrix.satfinite = op.has(Modifier::kSaturate);
      if (op.value(Modifier::kSource) >= kNarrow || op.value(Modifier::kSourceB) >= kNarrow ||
          shape == kNarrow)
        problem = "a product of 4-bit integers";
      break;
    }
    default: {  // DMMA
      constexpr std::array<unsigned, 4> kDepths{4, 4, 8, 16};
      matrix.extents = {shape == 0 ? 8u : 16u, 8, kDepths.at(shape)};
      matrix.left = matrix.right = matrix.output = Type::kF64;
    }
  }
  return matrix;
}

}  // namespace

bool takes_matrices(Opcode op) {
  return op == Opcode::kHmma || op == Opcode::kImma || op == Opcode::kDmma || op == Opcode::kMovm;
}

std::string unknown_matrix(const Op& op) {
  std::string problem;
  if (op.instruction.op != Opcode::kMovm) static_cast<void>(matrix_of(op, problem));
  return problem;
}

void multiply_matrices(const Op& op, Warp& warp, const Options& options) {
  std::string problem;
  const Matrix matrix = matrix_of(op, problem);
  const unsigned words = matrix.output == Type::kF64 ? 2 : 1;
  multiply(
      matrix, options,
      [&](Part part, unsigned index, unsigned lane) {
        const Role role = part == Part::kA ? Role::kA : part == Part::kB ? Role::kB : Role::kC;
        const Operand& first = *op.find(role);
        std::uint64_t bits = 0;
        for (unsigned i = 0; i < words; ++i)
          bits |= std::uint64_t{read_register(warp.lanes[lane], first, words * index + i)} << 32 * i;
        constexpr std::uint64_t kSign = std::uint64_t{1} << 63;  // f64 only
        if (first.absolute) bits &= ~kSign;
        return first.negate ? bits ^ kSign : bits;
      },
      [&](unsigned index, unsigned lane, std::uint64_t bits) {
        for (unsigned i = 0; i < words; ++i)
          write_register(warp.lanes[lane], *op.find(Role::kDst), words * index + i,
                         static_cast<std::uint32_t>(bits >> 32 * i));
      });
}

void transpose_matrix(const Op& op, Warp& warp) {
  std::array<std::array<std::uint16_t, 8>, 8> matrix{};
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const std::uint32_t pair = read_register(warp.lanes[lane], *op.find(Role::kA), 0);
    matrix[lane / 4][lane % 4 * 2] = static_cast<std::uint16_t>(pair);
    matrix[lane / 4][lane % 4 * 2 + 1] = static_cast<std::uint16_t>(pair >> 16);
  }
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const unsigned row = lane % 4 * 2;
    write_register(warp.lanes[lane], *op.find(Role::kDst), 0,
                   matrix[row][lane / 4] | std::uint32_t{matrix[row + 1][lane / 4]} << 16);
  }
}

void load_matrices(const Op& op, Warp& warp, const std::array<std::byte*, kLanes>& lines) {
  const unsigned count = 1u << op.value(Modifier::kSize);
  for (unsigned number = 0; number < count; ++number) {
    std::array<std::array<std::uint16_t, 8>, 8> matrix{};
    for (unsigned row = 0; row < 8; ++row)
      std::memcpy(matrix[row].data(), lines[8 * number + row], sizeof matrix[row]);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const unsigned line = lane / 4, first = lane % 4 * 2;
      const bool turned = op.has(Modifier::kTransposed);
      const std::uint32_t low = turned ? matrix[first][line] : matrix[line][first];
      const std::uint32_t high = turned ? matrix[first + 1][line] : matrix[line][first + 1];
      write_register(warp.lanes[lane], *op.find(Role::kDst), number, low | high << 16);
    }
  }
}

void store_matrices(const Op& op, const Warp& warp, const std::array<std::byte*, kLanes>& lines) {
  const unsigned count = 1u << op.value(Modifier::kSize);
  for (unsigned number = 0; number < count; ++number)
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const std::uint32_t pair = read_register(warp.lanes[lane], *op.find(Role::kData), number);
      for (unsigned half = 0; half < 2; ++half) {
        const unsigned line = lane / 4, column = lane % 4 * 2 + half;
        const auto element = static_cast<std::uint16_t>(pair >> (16 * half));
        const bool turned = op.has(Modifier::kTransposed);
        std::byte* const row = lines[8 * number + (turned ? column : line)];
        std::memcpy(row + 2 * std::size_t{turned ? line : column}, &element, sizeof element);
      }
    }
}

}  // namespace heddle::oracle::machine_code
