#include "oracle/machine_matrix.h"

#include <fmt/format.h>

#include <array>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <vector>

#include "oracle/bits.h"
#include "oracle/half.h"
#include "oracle/narrow.h"

namespace heddle::oracle {

// Fragments (PTX ISA, Matrix Fragments for mma.m16n8k16 and so on, which all follow one rule).

namespace {

using Part = Matrix::Part;

/// Elements of a 32-bit register.
unsigned in_register(Type type) {
  return type == Type::kF64 ? 1 : 4 / static_cast<unsigned>(isa::type_bytes(type));
}

}  // namespace

unsigned Matrix::tile_rows() const { return extents.m == 8 && extents.n == 8 ? 8 : 16; }

unsigned Matrix::elements(Part of) const {
  if (of == Part::kC) return output == Type::kF16 ? 2 : 1;
  return in_register(left);
}

unsigned Matrix::registers(Part of) const {
  const auto& [m, n, k] = extents;
  const unsigned all = of == Part::kA ? m * k : of == Part::kB ? k * n : m * n;
  return all / 32 / elements(of);
}

Matrix::Place Matrix::place(Part of, unsigned index, unsigned element, unsigned lane) const {
  const unsigned group = lane / 4;
  const unsigned number = lane % 4;
  // wmma of 8 x 32 is the transposed product of 32 x 8.
  if (extents.m == 8 && extents.n == 32) {
    Matrix other = *this;
    std::swap(other.extents.m, other.extents.n);
    const Part role = of == Part::kA ? Part::kB : of == Part::kB ? Part::kA : Part::kC;
    const Place there = other.place(role, index, element, lane);
    return {there.column, there.row};
  }
  const unsigned height = tile_rows();
  const unsigned per = elements(of);
  if (of == Part::kC) {
    const unsigned of_tile = height * 8 / 32 / per;
    const unsigned tile = index / of_tile;
    const unsigned across = extents.n / 8;
    const unsigned number_in_tile = index % of_tile * per + element;  // c0, c1, c2, c3
    return {tile / across * height + group + number_in_tile / 2 * 8,
            tile % across * 8 + 2 * number + number_in_tile % 2};
  }
  const unsigned step = 4 * per;  // columns of A that the four lanes of a group hold in one register
  if (of == Part::kA) {
    const unsigned of_tile = height * extents.k / 32 / per;
    const unsigned in_tile = index % of_tile;
    const unsigned halves = height / 8;
    return {index / of_tile * height + group + in_tile % halves * 8,
            in_tile / halves * step + number * per + element};
  }
  const unsigned of_tile = extents.k * 8 / 32 / per;
  return {index % of_tile * step + number * per + element, index / of_tile * 8 + group};
}

namespace mimd {

namespace {

struct Factor {
  double value = 0;
  int exponent = 0;  ///< of the leading position of its format: a subnormal's is the least
};

Factor number_of(Type type, std::uint64_t bits) {
  switch (type) {
    case Type::kF64:
      return {value_of<double>(bits), 0};
    case Type::kS8:
      return {static_cast<double>(value_of<std::int8_t>(bits & 0xff)), 0};
    case Type::kU8:
      return {static_cast<double>(bits & 0xff), 0};
    default:
      break;
  }
  const Format& format = format_of(type);
  const double value = value_in(format, type == Type::kTf32 ? bits >> 13 : bits);
  if (value == 0 || !std::isfinite(value)) return {value, 0};
  return {value, std::max(std::ilogb(value), format.least_exponent())};
}

/// A sum of a block as a multiple of 2^exponent, and what becomes of it.
double truncated_to_single(double value) {
  if (value == 0 || std::isnan(value)) return value;
  if (std::isinf(value)) return value;
  const int unit = std::max(std::ilogb(value), -126) - 23;
  const double cut = std::ldexp(std::trunc(std::ldexp(value, -unit)), unit);
  return std::fabs(cut) >= std::ldexp(1.0, 128) ? std::copysign(HUGE_VAL, value) : cut;
}

struct Block {
  const Factor* a;
  const Factor* b;
  unsigned count;
};

/// Products and accumulator, aligned to the largest exponent and truncated there (Options::tensor_extra_bits), summed exactly.
double sum_of(const Block& block, double c, int fraction) {
  bool special = !std::isfinite(c);
  bool negative_zeros = c == 0 && std::signbit(c);
  int largest = c != 0 && std::isfinite(c) ? std::max(std::ilogb(c), -126) : -10000;
  double plain = c;
  for (unsigned i = 0; i < block.count; ++i) {
    const double product = block.a[i].value * block.b[i].value;
    if (!std::isfinite(block.a[i].value) || !std::isfinite(block.b[i].value))
      special = true, plain += product;
    if (product != 0) largest = std::max(largest, block.a[i].exponent + block.b[i].exponent);
    negative_zeros = negative_zeros && product == 0 && std::signbit(product);
  }
  if (special) return plain;
  if (largest == -10000) return negative_zeros ? -0.0 : 0.0;
  const auto cut = [&](double value) { return std::trunc(std::ldexp(value, fraction - largest)); };
  double total = cut(c);
  for (unsigned i = 0; i < block.count; ++i) total += cut(block.a[i].value * block.b[i].value);
  return total == 0 ? 0.0 : std::ldexp(total, largest - fraction);
}

}  // namespace

}  // namespace mimd

void multiply(const Matrix& matrix, const Options& options, const ReadFragment& read,
              const WriteFragment& write) {
  using namespace mimd;
  const auto& [m, n, k] = matrix.extents;
  std::vector<Factor> a(std::size_t{m} * k);
  std::vector<Factor> b(std::size_t{n} * k);  // by column
  std::vector<std::uint64_t> c(std::size_t{m} * n);
  const auto each = [&](Part part, auto&& fn) {
    const unsigned per = matrix.elements(part);
    const unsigned bits = 32 / per;
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned r = 0; r < matrix.registers(part); ++r) {
        const std::uint64_t value = read(part, r, lane);
        for (unsigned e = 0; e < per; ++e)
          fn(matrix.place(part, r, e, lane), per == 1 ? value : value >> (bits * e) & low_bits(bits));
      }
  };
  each(Part::kA, [&](Matrix::Place at, std::uint64_t bits) {
    a[std::size_t{at.row} * k + at.column] = number_of(matrix.left, bits);
  });
  each(Part::kB, [&](Matrix::Place at, std::uint64_t bits) {
    b[std::size_t{at.column} * k + at.row] = number_of(matrix.right, bits);
  });
  each(Part::kC,
       [&](Matrix::Place at, std::uint64_t bits) { c[std::size_t{at.row} * n + at.column] = bits; });

  const unsigned element_bits = std::min(8u * static_cast<unsigned>(isa::type_bytes(matrix.left)), 32u);
  const unsigned block = std::max(1u, options.tensor_block_bits / element_bits);
  const int fraction = 23 + static_cast<int>(options.tensor_extra_bits);
  const auto element = [&](unsigned row, unsigned column) -> std::uint64_t {
    const Factor* const x = &a[std::size_t{row} * k];
    const Factor* const y = &b[std::size_t{column} * k];
    const std::uint64_t before = c[std::size_t{row} * n + column];
    if (matrix.output == Type::kS32) {
      std::int64_t sum = value_of<std::int32_t>(before);
      for (unsigned i = 0; i < k; ++i) sum += static_cast<std::int64_t>(x[i].value * y[i].value);
      if (matrix.satfinite) sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
      return static_cast<std::uint32_t>(sum);
    }
    if (matrix.output == Type::kF64) {
      double sum = value_of<double>(before);
      for (unsigned i = 0; i < k; ++i)
        sum = value_of<double>(float_result(std::fma(x[i].value, y[i].value, sum)));
      return bits_of(sum);
    }
    const bool half = matrix.output == Type::kF16;
    std::uint64_t bits = before;
    for (unsigned first = 0; first < k; first += block) {
      const Block part{x + first, y + first, std::min(block, k - first)};
      const double old = half ? to_double(Half{static_cast<std::uint16_t>(bits)}) : value_of<float>(bits);
      const double sum = sum_of(part, old, fraction);
      bits = half ? to_half(sum).bits : float_result(static_cast<float>(truncated_to_single(sum)));
    }
    return bits;
  };
  std::vector<std::uint64_t> d(c.size());
  for (unsigned row = 0; row < m; ++row)
    for (unsigned column = 0; column < n; ++column) d[std::size_t{row} * n + column] = element(row, column);
  const unsigned per = matrix.elements(Part::kC);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned r = 0; r < matrix.registers(Part::kC); ++r) {
      std::uint64_t value = 0;
      for (unsigned e = 0; e < per; ++e) {
        const Matrix::Place at = matrix.place(Part::kC, r, e, lane);
        value |= d[std::size_t{at.row} * n + at.column] << (16 * e);
      }
      write(r, lane, value);
    }
}

namespace mimd {

void Matrices::multiply(Cta& cta, std::size_t warp, const Step& step) {
  const Matrix& matrix = *step.matrix;
  Thread* const threads = &cta.threads[warp * 32];
  oracle::multiply(
      matrix, options_,
      [&](Part part, unsigned index, unsigned lane) {
        const std::vector<Source>& sources = part == Part::kA   ? matrix.a
                                             : part == Part::kB ? matrix.b
                                                                : matrix.c;
        return operands_.value(cta, threads[lane], sources[index]);
      },
      [&](unsigned index, unsigned lane, std::uint64_t bits) {
        operands_.assign(threads[lane], matrix.d[index], bits);
      });
}

void Matrices::check_row(const Cta& cta, const Thread& thread, const Step& step) const {
  if (const Accesses::Location at = accesses_.location(thread, step); at.space != StateSpace::kShared)
    operands_.fault(cta, thread, step,
                    fmt::format("the matrix row at {:#x} is not in shared memory", at.address));
}

void Matrices::load_rows(Cta& cta, std::size_t warp, const Step& step) {
  const Matrix& matrix = *step.matrix;
  Thread* const threads = &cta.threads[warp * 32];
  // All before any is assigned: the address register may be a destination.
  using Rows = std::array<std::array<std::uint16_t, 8>, 8>;
  std::vector<Rows> matrices(matrix.d.size());
  for (std::size_t i = 0; i < matrix.d.size(); ++i)
    for (unsigned row = 0; row < 8; ++row) {
      check_row(cta, threads[8 * i + row], step);
      std::memcpy(matrices[i][row].data(),
                  accesses_.read_at(cta, threads[8 * i + row], step, 0, sizeof matrices[i][row]),
                  sizeof matrices[i][row]);
    }
  for (std::size_t i = 0; i < matrix.d.size(); ++i) {
    const Rows& elements = matrices[i];
    for (unsigned lane = 0; lane < 32; ++lane) {
      const unsigned line = lane / 4;
      const unsigned first = 2 * (lane % 4);
      const std::uint64_t low = matrix.column_major ? elements[first][line] : elements[line][first];
      const std::uint64_t high = matrix.column_major ? elements[first + 1][line] : elements[line][first + 1];
      operands_.assign(threads[lane], matrix.d[i], low | high << 16);
    }
  }
}

void Matrices::store_rows(Cta& cta, std::size_t warp, const Step& step) {
  const Matrix& matrix = *step.matrix;
  Thread* const threads = &cta.threads[warp * 32];
  for (std::size_t i = 0; i < matrix.c.size(); ++i)
    for (unsigned row = 0; row < 8; ++row) {
      std::array<std::uint16_t, 8> line{};
      for (unsigned column = 0; column < 8; ++column) {
        // Element (r, c) of a fragment is in lane 4r + c / 2.
        const unsigned r = matrix.column_major ? column : row, c = matrix.column_major ? row : column;
        const std::uint64_t two = operands_.value(cta, threads[4 * r + c / 2], matrix.c[i]);
        line[column] = static_cast<std::uint16_t>(two >> 16 * (c % 2));
      }
      check_row(cta, threads[8 * i + row], step);
      std::memcpy(accesses_.write_at(cta, threads[8 * i + row], step, 0, sizeof line), line.data(),
                  sizeof line);
    }
}

void Matrices::execute(Cta& cta, std::size_t warp, const Step& step) {
  if (step.warp == WarpOp::kMultiply) return multiply(cta, warp, step);
  step.warp == WarpOp::kLoadMatrix ? load_rows(cta, warp, step) : store_rows(cta, warp, step);
}

namespace {

/// Bytes from the start of the matrix in memory.
std::int64_t offset_of(const Matrix& matrix, Matrix::Place at, std::uint64_t stride, std::size_t bytes) {
  const std::uint64_t line = matrix.column_major ? at.column : at.row;
  const std::uint64_t along = matrix.column_major ? at.row : at.column;
  return static_cast<std::int64_t>((line * stride + along) * bytes);
}

}  // namespace

void Matrices::load(Cta& cta, Thread& thread, const Step& step) {
  const Matrix& matrix = *step.matrix;
  const std::size_t bytes = isa::type_bytes(step.type);
  const std::uint64_t stride = operands_.value(cta, thread, step.source[0]);
  const unsigned own = matrix.registers(matrix.part);
  std::vector<std::uint64_t> values(matrix.d.size());  // the address register may be a destination
  for (unsigned r = 0; r < matrix.d.size(); ++r) {
    std::uint64_t value = 0;
    for (unsigned e = 0; e < matrix.elements(matrix.part); ++e) {
      const Matrix::Place at = matrix.place(matrix.part, r % own, e, thread.index % 32);
      std::uint64_t bits = 0;
      std::memcpy(&bits,
                  accesses_.read_at(cta, thread, step, offset_of(matrix, at, stride, bytes),
                                    static_cast<unsigned>(bytes)),
                  bytes);
      value |= bits << (8 * bytes * e);
    }
    values[r] = value;
  }
  for (unsigned r = 0; r < matrix.d.size(); ++r) operands_.assign(thread, matrix.d[r], values[r]);
}

void Matrices::store(Cta& cta, Thread& thread, const Step& step) {
  const Matrix& matrix = *step.matrix;
  const std::size_t bytes = isa::type_bytes(step.type);
  const std::uint64_t stride = operands_.value(cta, thread, step.source[0]);
  for (unsigned r = 0; r < matrix.c.size(); ++r) {
    const std::uint64_t value = operands_.value(cta, thread, matrix.c[r]);
    for (unsigned e = 0; e < matrix.elements(Part::kC); ++e) {
      const Matrix::Place at = matrix.place(Part::kC, r, e, thread.index % 32);
      const std::uint64_t bits = value >> (8 * bytes * e);
      std::memcpy(accesses_.write_at(cta, thread, step, offset_of(matrix, at, stride, bytes),
                                     static_cast<unsigned>(bytes)),
                  &bits, bytes);
    }
  }
}

}  // namespace mimd
}  // namespace heddle::oracle
