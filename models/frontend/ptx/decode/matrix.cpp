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
  emit_product(kernel, instruction, product, d, a, b, c);
}

void decode_ldmatrix(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                     const Modifiers& modifiers) {
  constexpr unsigned kRowBytes = 16;
  isa::Instruction out;
  out.op = Opcode::kLoadMatrix;
  out.unit = isa::Unit::kMemory;
  out.latency_class = isa::LatencyClass::kMemory;
  out.type = Type::kB128;
  out.space = StateSpace::kShared;
  out.immediate = isa::MatrixLoad{modifiers.vector, has_modifier(instruction, "trans")}.pack();
  out.cross_lane = true;
  const Rows rows = destinations_of(kernel, instruction, 0, modifiers.vector, Type::kB32);
  std::copy(rows.begin(), rows.end(), out.dst.begin());
  const bool generic = modifiers.space == StateSpace::kGeneric;
  out.memory = address(kernel, instruction, instruction.operands[1], modifiers.space, kRowBytes);
  if (generic) out.memory.displacement -= static_cast<std::int64_t>(isa::kSharedWindowBase);
  kernel.emit(instruction, out);
}

void decode_movmatrix(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                      const Modifiers&) {
  isa::Instruction out = simple_lane(kernel, instruction, {.op = LaneOp::kMovMatrix, .type = Type::kB16});
  out.dst[0] = destination(kernel, instruction, instruction.operands[0], Type::kB32).operand;
  if (!out.dst[0].present) out.dst[0] = kernel.scratch(instruction, RowWidth::k32, 0);
  isa::set_transposition(out, out.dst[0],
                         source(kernel, instruction, instruction.operands[1], Type::kB32).operand,
                         kernel.constants.row(RowWidth::k32, 0xffff'ffffu));
  kernel.emit(instruction, out);
}

}  // namespace heddle::ptx
