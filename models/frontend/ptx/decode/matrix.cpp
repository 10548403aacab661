// Matrix instructions: mma.sync, ldmatrix, movmatrix (isa/matrix.h).
#include <fmt/format.h>

#include <algorithm>

#include "frontend/ptx/decode/classes.h"
#include "frontend/ptx/decode/emit.h"
#include "frontend/ptx/decode/library.h"
#include "frontend/ptx/decode/product.h"
#include "isa/matrix_instruction.h"

namespace heddle::ptx {
namespace {

using isa::LaneOp;
using isa::MatrixProduct;
using isa::Opcode;
using isa::RowWidth;

void emit_transposition(KernelContext& kernel, const Instruction& instruction, isa::Operand to,
                        isa::Operand from) {
  isa::Instruction out = simple_lane(kernel, instruction, {.op = LaneOp::kMovMatrix, .type = Type::kB16});
  isa::set_transposition(out, to, from, kernel.constants.row(RowWidth::k32, 0xffff'ffffu));
  kernel.emit(instruction, out);
}

constexpr unsigned kSmallRows = 8, kSmallDepth = 4;

/// A product of f64 of 16 rows as those of 8 x 8 x 4: the same sums, k ascending. D is written last, since A or B may share its
/// registers.
void emit_in_small(KernelContext& kernel, const Instruction& instruction, const MatrixProduct& product,
                   const Rows& d, const Rows& a, const Rows& b, const Rows& c) {
  MatrixProduct small = product;
  small.m = kSmallRows;
  small.k = kSmallDepth;
  set_numerics(kernel, small);
  Rows sums;
  for (unsigned i = 0; i < c.size(); ++i) sums.push_back(kernel.scratch(instruction, RowWidth::k64, i));
  const unsigned halves = product.m / kSmallRows;
  for (unsigned step = 0; step < product.k / kSmallDepth; ++step)
    for (unsigned half = 0; half < halves; ++half) {
      const Rows of_half(sums.begin() + 2 * half, sums.begin() + 2 * half + 2);
      const Rows before(c.begin() + 2 * half, c.begin() + 2 * half + 2);
      emit_product(kernel, instruction, small, of_half, {a[halves * step + half]}, {b[step]},
                   step == 0 ? before : of_half);
    }
  for (std::size_t i = 0; i < d.size(); ++i)
    if (d[i].present) emit_move(kernel, instruction, d[i], sums[i]);
}

/// shfl.sync.idx of all lanes.
void emit_from_lane(KernelContext& kernel, const Instruction& instruction, isa::Operand to, isa::Operand from,
                    isa::Operand lane) {
  isa::Instruction out = simple_lane(kernel, instruction, {.op = LaneOp::kShflIdx, .type = Type::kB32});
  out.dst[0] = to;
  out.src[0] = from;
  out.src[1] = lane;
  out.src[2] = kernel.constants.row(RowWidth::k32, 0x1f);
  isa::meet_all(out, LaneOp::kShflIdx, Type::kB32, 3, kernel.constants.row(RowWidth::k32, 0xffff'ffffu));
  kernel.emit(instruction, out);
}

}  // namespace

void decode_mma(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                const Modifiers& modifiers) {
  const MatrixShape shape = shape_of(instruction);
  MatrixProduct product;
  product.d = modifiers.types[0];
  product.a = modifiers.types[1];
  product.b = modifiers.types[2];
  product.m = shape.m;
  product.k = shape.k;
  product.satfinite = modifiers.satfinite;
  check_types(kernel, instruction, product);
  if (modifiers.types[3] != product.d)
    kernel.fail(instruction.where, fmt::format("{} has different types of C and D", full_name(instruction)),
                "They must be the same.");
  set_numerics(kernel, product);
  const Type inputs = product.a == Type::kF64 ? Type::kF64 : Type::kB32;
  const Rows d = destinations_of(kernel, instruction, 0, product.c_registers(), register_type(product.d));
  const Rows a = sources_of(kernel, instruction, 1, product.a_registers(), inputs);
  const Rows b = sources_of(kernel, instruction, 2, product.b_registers(), inputs);
  const Rows c = sources_of(kernel, instruction, 3, product.c_registers(), register_type(product.d));
  if (product.a == Type::kF64 && product.m > kSmallRows)
    return emit_in_small(kernel, instruction, product, d, a, b, c);
  emit_product(kernel, instruction, product, d, a, b, c);
}

namespace {

constexpr unsigned kRowBytes = 16;

/// Of rows whose addresses the lanes have, in shared memory.
isa::Instruction row_access(const isa::MemoryOperand& at, std::uint64_t what) {
  isa::Instruction out;
  out.op = Opcode::kLoadMatrix;
  out.unit = isa::Unit::kMemory;
  out.latency_class = isa::LatencyClass::kMemory;
  out.type = Type::kB128;
  out.space = StateSpace::kShared;
  out.immediate = what;
  out.cross_lane = true;
  out.memory = at;
  return out;
}

isa::MemoryOperand row_address(KernelContext& kernel, const Instruction& instruction, const Operand& operand,
                               const Modifiers& modifiers) {
  isa::MemoryOperand at = address(kernel, instruction, operand, modifiers.space, kRowBytes);
  if (modifiers.space == StateSpace::kGeneric)
    at.displacement -= static_cast<std::int64_t>(isa::kSharedWindowBase);
  return at;
}

}  // namespace

void decode_ldmatrix(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                     const Modifiers& modifiers) {
  const Rows rows = destinations_of(kernel, instruction, 0, modifiers.vector, Type::kB32);
  isa::Instruction out =
      row_access(row_address(kernel, instruction, instruction.operands[1], modifiers),
                 isa::MatrixLoad{modifiers.vector, has_modifier(instruction, "trans")}.pack());
  std::copy(rows.begin(), rows.end(), out.dst.begin());
  kernel.emit(instruction, out);
}

void decode_stmatrix(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                     const Modifiers& modifiers) {
  constexpr unsigned kRows = 8;
  const auto word = [&](std::uint64_t value) { return kernel.constants.row(RowWidth::k32, value); };
  const auto row = [&](unsigned index) { return kernel.scratch(instruction, RowWidth::k32, index); };
  const Rows values = sources_of(kernel, instruction, 1, modifiers.vector, Type::kB32);
  const isa::MemoryOperand at = row_address(kernel, instruction, instruction.operands[0], modifiers);
  // The stores are of words, at addresses of 32 bits; the rows are checked before.
  kernel.emit(instruction,
              row_access(at, isa::MatrixLoad{modifiers.vector, false}.pack() | isa::kChecksStores));
  // The lane's own row, and where its two elements are in the rows that it writes: row lane / 4 of each matrix.
  const isa::Operand own = row(0), giver = row(1), within = row(2), target = row(3), value = row(4);
  if (!at.base.present) {
    emit_move(kernel, instruction, own, word(0));
  } else if (at.base.width == RowWidth::k32) {
    emit_move(kernel, instruction, own, at.base);
  } else {
    isa::Instruction low =
        simple_lane(kernel, instruction, {.op = LaneOp::kCvt, .type = Type::kU32, .src_type = Type::kU64});
    low.dst[0] = own;
    low.src[0] = at.base;
    kernel.emit(instruction, low);
  }
  emit_lane(kernel, instruction, LaneOp::kShr, Type::kU32, giver, lane_number(), word(2));
  emit_lane(kernel, instruction, LaneOp::kAnd, Type::kB32, within, lane_number(), word(3));
  emit_lane(kernel, instruction, LaneOp::kShl, Type::kB32, within, within, word(2));
  for (const isa::Operand& matrix : values) {
    emit_from_lane(kernel, instruction, target, own, giver);
    emit_lane(kernel, instruction, LaneOp::kAdd, Type::kU32, target, target, within);
    emit_lane(kernel, instruction, LaneOp::kAdd, Type::kU32, giver, giver, word(kRows));
    if (has_modifier(instruction, "trans")) emit_transposition(kernel, instruction, value, matrix);
    isa::Instruction store;
    store.op = Opcode::kStore;
    store.unit = isa::Unit::kMemory;
    store.latency_class = isa::LatencyClass::kMemory;
    store.type = Type::kB32;
    store.space = StateSpace::kShared;
    store.memory.base = target;
    store.memory.displacement = at.displacement;
    store.src[0] = has_modifier(instruction, "trans") ? value : matrix;
    kernel.emit(instruction, store);
  }
}

void decode_movmatrix(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                      const Modifiers&) {
  isa::Operand to = destination(kernel, instruction, instruction.operands[0], Type::kB32).operand;
  if (!to.present) to = kernel.scratch(instruction, RowWidth::k32, 0);
  emit_transposition(kernel, instruction, to,
                     source(kernel, instruction, instruction.operands[1], Type::kB32).operand);
}

}  // namespace heddle::ptx
