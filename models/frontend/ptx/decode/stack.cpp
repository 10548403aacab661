// alloca, stacksave, stackrestore: the thread's stack in local memory, which grows upwards.
#include <bit>

#include "frontend/ptx/decode/call_graph.h"
#include "frontend/ptx/decode/emit.h"
#include "frontend/ptx/decode/forms.h"
#include "frontend/ptx/decode/operands.h"

namespace heddle::ptx {
namespace {

using isa::LaneOp;
using isa::RowWidth;

/// dst = src, either of which may be a 32-bit row that holds a local address or a size.
void emit_resized(KernelContext& kernel, const Instruction& instruction, isa::Operand dst, isa::Operand src) {
  if (dst.width == src.width)
    emit_move(kernel, instruction, dst, src);
  else if (dst.width == RowWidth::k32)
    emit_lane(kernel, instruction, LaneOp::kUnpack2x32Lo, Type::kB32, dst, src);
  else
    emit_lane(kernel, instruction, LaneOp::kPack2x32, Type::kB64, dst, src,
              kernel.constants.row(RowWidth::k32, 0));
}

/// dst = row rounded up to the alignment.
void emit_align(KernelContext& kernel, const Instruction& instruction, isa::Operand dst, isa::Operand src,
                std::uint64_t align) {
  emit_lane(kernel, instruction, LaneOp::kAdd, Type::kU64, dst, src, constant64(kernel, align - 1));
  emit_lane(kernel, instruction, LaneOp::kAnd, Type::kB64, dst, dst, constant64(kernel, ~(align - 1)));
}

}  // namespace

void decode_alloca(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                   const Modifiers& modifiers) {
  std::uint64_t align = 8;
  if (instruction.operands.size() == 3) {
    const auto* literal = std::get_if<IntegerLiteral>(&instruction.operands[2].value);
    if (literal == nullptr || !std::has_single_bit(literal->bits) || literal->bits > 4096)
      kernel.fail(instruction.operands[2].where, "the alignment of alloca must be a power of two");
    align = literal->bits;
  }
  const isa::Operand dst =
      destination(kernel, instruction, instruction.operands[0], modifiers.type()).operand;
  const isa::Operand size = source(kernel, instruction, instruction.operands[1], modifiers.type()).operand;
  const isa::Operand top = kernel.kernel.stack_pointer;
  const isa::Operand start = kernel.scratch(instruction, RowWidth::k64, 3);
  const isa::Operand end = kernel.scratch(instruction, RowWidth::k64, 4);
  emit_align(kernel, instruction, start, top, align);
  emit_resized(kernel, instruction, end, size);
  emit_lane(kernel, instruction, LaneOp::kAdd, Type::kU64, end, end, start);
  emit_align(kernel, instruction, top, end, kernel.kernel.stack_align);  // keeps the frames of later calls
                                                                         // aligned
  if (dst.present) emit_resized(kernel, instruction, dst, start);
}

void decode_stack_save(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                       const Modifiers& modifiers) {
  const isa::Operand dst =
      destination(kernel, instruction, instruction.operands[0], modifiers.type()).operand;
  if (dst.present) emit_resized(kernel, instruction, dst, kernel.kernel.stack_pointer);
}

void decode_stack_restore(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                          const Modifiers& modifiers) {
  emit_resized(kernel, instruction, kernel.kernel.stack_pointer,
               source(kernel, instruction, instruction.operands[0], modifiers.type()).operand);
}

}  // namespace heddle::ptx
