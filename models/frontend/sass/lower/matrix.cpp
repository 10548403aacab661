// Operations on matrices that the warp holds in fragments. Registers have the order of PTX' fragments (isa/matrix.h).
#include <array>
#include <vector>

#include "frontend/sass/form.h"
#include "frontend/sass/lower/sequence.h"
#include "frontend/sass/lower/words.h"
#include "isa/double_sign.h"
#include "isa/matrix_instruction.h"

namespace heddle::sass {
namespace {

using isa::MatrixProduct;
using isa::Type;

struct Shape {
  unsigned m;
  unsigned k;
};

/// Registers from the operand's `first` one on; RZ is zeros.
std::vector<isa::Operand> sources(KernelRows& rows, const Operand& of, unsigned count, unsigned first = 0) {
  std::vector<isa::Operand> list;
  for (unsigned i = 0; i < count; ++i) list.push_back(source_word(rows, of.number, first + i));
  return list;
}
std::vector<isa::Operand> results(KernelRows& rows, const Operand& of, unsigned count) {
  std::vector<isa::Operand> list;
  for (unsigned i = 0; i < count; ++i) list.push_back(result_word(rows, of.number, i));
  return list;
}

void set_product(Lowering& of, const MatrixProduct& product, const isa::ProductRows& rows,
                 isa::Instruction& out) {
  if (!isa::set_product(out, product, rows, of.rows.literal(0xffff'ffffu)))
    of.rows.refuse("a product of more registers than an instruction of the model has");
}

void lower_product(Lowering& of, const Instruction& in, MatrixProduct product, isa::Instruction& out) {
  isa::set_numerics(product, of.tensor);
  const unsigned words = product.pairs ? 2 : 1;
  const auto d = results(of.rows, *in.find(Role::kDst), words * product.c_registers());
  const auto a = sources(of.rows, *in.find(Role::kA), words * product.a_registers());
  const auto b = sources(of.rows, *in.find(Role::kB), words * product.b_registers());
  const auto c = sources(of.rows, *in.find(Role::kC), words * product.c_registers());
  set_product(of, product, {d, a, b, c}, out);
}

void lower_hmma(Lowering& of, const Instruction& in, isa::Instruction& out) {
  constexpr Shape kShapes[] = {{16, 8}, {16, 16}, {16, 4}};
  constexpr Type kInputs[] = {Type::kF16, Type::kBf16, Type::kTf32};
  const Shape shape = kShapes[in.value(Modifier::kShape)];
  const Type input = kInputs[in.value(Modifier::kSource)];
  const bool single = in.value(Modifier::kDestination) != 0;
  if (!single && input != Type::kF16) of.rows.refuse("a sum of f16 of another type's products");
  if ((shape.k == 4 && input != Type::kTf32) || (shape.k == 16 && input == Type::kTf32))
    of.rows.refuse("this shape for this type");
  lower_product(of, in,
                {.a = input, .b = input, .d = single ? Type::kF32 : Type::kF16, .m = shape.m, .k = shape.k},
                out);
}

void lower_imma(Lowering& of, const Instruction& in, isa::Instruction& out) {
  constexpr Shape kShapes[] = {{8, 16}, {}, {8, 32}, {}, {16, 16}, {16, 32}};
  constexpr std::uint16_t kOf4Bits = 2;
  const Shape shape = kShapes[in.value(Modifier::kShape)];
  const std::uint16_t a = in.value(Modifier::kSource);
  const std::uint16_t b = in.value(Modifier::kSourceB);
  if (a >= kOf4Bits || b >= kOf4Bits || (shape.m == 8 && shape.k == 32))
    of.rows.refuse("products of 4-bit integers are not supported");
  lower_product(of, in,
                {.a = a != 0 ? Type::kS8 : Type::kU8,
                 .b = b != 0 ? Type::kS8 : Type::kU8,
                 .d = Type::kS32,
                 .m = shape.m,
                 .k = shape.k,
                 .satfinite = in.value(Modifier::kSaturate) != 0},
                out);
}

void set_signs(const Operand& a, const Operand& b, const Operand* c, isa::Instruction& out) {
  const auto set = [&](isa::DoubleSign bit, bool value) {
    out.immediate |= std::uint64_t{value} << static_cast<unsigned>(bit);
  };
  set(isa::DoubleSign::kNegateProduct, a.negate != b.negate);
  set(isa::DoubleSign::kAbsoluteA, a.absolute);
  set(isa::DoubleSign::kAbsoluteB, b.absolute);
  if (c == nullptr) return;
  set(isa::DoubleSign::kNegateC, c->negate);
  set(isa::DoubleSign::kAbsoluteC, c->absolute);
}

/// Of 16 rows: products of 8 x 8 x 4, the same sums, k ascending. D is written last, since A or B may share its registers.
void lower_double_product(Lowering& of, const Instruction& in, unsigned depth, isa::Instruction& out) {
  constexpr unsigned kHalves = 2, kDepth = 4, kWords = 4;  // of the sums of a half: two numbers
  const Operand& a = *in.find(Role::kA);
  const Operand& b = *in.find(Role::kB);
  const Operand& c = *in.find(Role::kC);
  const MatrixProduct product{
      .a = Type::kF64, .b = Type::kF64, .d = Type::kF64, .m = 8, .k = kDepth, .pairs = true};
  Sequence sequence(of, in, out);
  std::array<std::vector<isa::Operand>, kHalves> sums;
  for (unsigned i = 0; i < kHalves * kWords; ++i) sums.at(i / kWords).push_back(sequence.row(i));
  for (unsigned step = 0; step < depth / kDepth; ++step)
    for (unsigned half = 0; half < kHalves; ++half) {
      const bool first = step == 0;
      isa::Instruction each;
      set_product(of, product,
                  {sums.at(half), sources(of.rows, a, 2, 2 * (kHalves * step + half)),
                   sources(of.rows, b, 2, 2 * step),
                   first ? sources(of.rows, c, kWords, kWords * half) : sums.at(half)},
                  each);
      set_signs(a, b, first ? &c : nullptr, each);
      each.guard = sequence.guard();
      sequence.add(each);
    }
  for (unsigned half = 0; half < kHalves; ++half) {
    isa::Instruction& move = sequence.own(move_words, {}, {});
    move.guard = sequence.guard();
    for (unsigned i = 0; i < kWords; ++i) {
      move.src.at(i) = sums.at(half).at(i);
      move.dst.at(i) = result_word(of.rows, in.find(Role::kDst)->number, kWords * half + i);
    }
  }
}

void lower_dmma(Lowering& of, const Instruction& in, isa::Instruction& out) {
  constexpr unsigned kDepths[] = {0, 4, 8, 16};  // of 16 rows; the first has 8
  if (const unsigned depth = kDepths[in.value(Modifier::kShape)]; depth != 0)
    return lower_double_product(of, in, depth, out);
  lower_product(of, in, {.a = Type::kF64, .b = Type::kF64, .d = Type::kF64, .m = 8, .k = 4, .pairs = true},
                out);
  set_signs(*in.find(Role::kA), *in.find(Role::kB), in.find(Role::kC), out);
}

void lower_matrix_load(Lowering& of, const Instruction& in, isa::Instruction& out) {
  const unsigned count = 1u << in.value(Modifier::kSize);
  out.op = isa::Opcode::kLoadMatrix;
  out.unit = isa::Unit::kMemory;
  out.latency_class = isa::LatencyClass::kMemory;
  out.type = Type::kB128;
  out.space = isa::StateSpace::kShared;
  out.immediate = isa::MatrixLoad{count, in.value(Modifier::kTransposed) != 0}.pack();
  out.cross_lane = true;
  out.memory = address_of(of.rows, *in.find(Role::kAddress), false);
  const auto rows = results(of.rows, *in.find(Role::kDst), count);
  std::copy(rows.begin(), rows.end(), out.dst.begin());
}

/// The rows' addresses are checked, as those of a load; then each lane stores its two elements of each matrix, in row lane / 4,
/// whose address that lane has.
void lower_matrix_store(Lowering& of, const Instruction& in, isa::Instruction& out) {
  using isa::LaneOp;
  constexpr unsigned kRows = 8;
  const unsigned count = 1u << in.value(Modifier::kSize);
  const bool transposed = in.value(Modifier::kTransposed) != 0;
  const isa::MemoryOperand at = address_of(of.rows, *in.find(Role::kAddress), false);
  const isa::Operand all_lanes = of.rows.literal(0xffff'ffffu);
  const auto lane_id = KernelRows::special(isa::SpecialRow::kLaneId);
  Sequence sequence(of, in, out);
  isa::Instruction& check =
      sequence.memory(isa::Opcode::kLoadMatrix, Type::kB128, isa::StateSpace::kShared, at);
  check.immediate = isa::MatrixLoad{count, false}.pack() | isa::kChecksStores;
  check.cross_lane = true;
  check.guard = sequence.guard();
  const isa::Operand own = sequence.row(0), giver = sequence.row(1), within = sequence.row(2),
                     target = sequence.row(3), turned = sequence.row(4);
  const isa::Operand zero = sequence.literal(0);
  const auto word = [&](LaneOp op, isa::Operand to, isa::Operand a, isa::Operand b) {
    sequence.lane({.op = op, .type = op == LaneOp::kAdd || op == LaneOp::kShr ? Type::kU32 : Type::kB32}, to,
                  a, b);
  };
  word(LaneOp::kAdd, own, at.base.present ? at.base : zero, at.second.present ? at.second : zero);
  word(LaneOp::kShr, giver, lane_id, sequence.literal(2));
  word(LaneOp::kAnd, within, lane_id, sequence.literal(3));
  word(LaneOp::kShl, within, within, sequence.literal(2));
  for (unsigned i = 0; i < count; ++i) {
    isa::Instruction& row = sequence.own(isa::find_lane_fn({.op = LaneOp::kShflIdx, .type = Type::kB32}),
                                         {target}, {own, giver, sequence.literal(0x1f)});
    isa::meet_all(row, LaneOp::kShflIdx, Type::kB32, 3, all_lanes);
    row.latency_class = isa::LatencyClass::kShuffle;
    row.guard = sequence.guard();
    word(LaneOp::kAdd, target, target, within);
    word(LaneOp::kAdd, giver, giver, sequence.literal(kRows));
    const isa::Operand matrix = source_word(of.rows, in.find(Role::kData)->number, i);
    if (transposed) {
      isa::Instruction turn;
      isa::set_transposition(turn, turned, matrix, all_lanes);
      turn.guard = sequence.guard();
      sequence.add(turn);
    }
    isa::MemoryOperand to;
    to.base = target;
    to.displacement = at.displacement;
    isa::Instruction& store = sequence.memory(isa::Opcode::kStore, Type::kB32, isa::StateSpace::kShared, to);
    store.src[0] = transposed ? turned : matrix;
    store.guard = sequence.guard();
  }
}

}  // namespace

bool lower_matrix(Lowering& of, const Instruction& in, isa::Instruction& out) {
  switch (in.op) {
    case Opcode::kHmma:
      return lower_hmma(of, in, out), true;
    case Opcode::kImma:
      return lower_imma(of, in, out), true;
    case Opcode::kDmma:
      return lower_dmma(of, in, out), true;
    case Opcode::kMovm:
      isa::set_transposition(out, result_word(of.rows, in.find(Role::kDst)->number, 0),
                             source_word(of.rows, in.find(Role::kA)->number, 0),
                             of.rows.literal(0xffff'ffffu));
      return true;
    case Opcode::kLdsm:
      return lower_matrix_load(of, in, out), true;
    case Opcode::kStsm:
      return lower_matrix_store(of, in, out), true;
    default:
      return false;
  }
}

}  // namespace heddle::sass
