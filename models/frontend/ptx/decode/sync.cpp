// Barriers of the CTA and of the warp, nanosleep, brkpt. Fences are with the memory instructions.
#include <fmt/format.h>

#include "frontend/ptx/decode/forms.h"
#include "frontend/ptx/decode/operands.h"

namespace heddle::ptx {
namespace {

isa::Instruction control(isa::Opcode op) {
  isa::Instruction out;
  out.op = op;
  out.unit = isa::Unit::kControl;
  out.latency_class = isa::LatencyClass::kControl;
  return out;
}

void check_barrier_operand(KernelContext& kernel, const Operand& operand, std::size_t index) {
  constexpr std::uint64_t kBarriers = 16;
  const auto* literal = std::get_if<IntegerLiteral>(&operand.value);
  if (literal == nullptr) return;
  if (index == 0 && literal->bits >= kBarriers)
    kernel.fail(operand.where,
                fmt::format("there is no barrier {}", static_cast<std::int64_t>(literal->bits)),
                "Barriers are numbered 0 to 15.");
  if (index == 1 && (literal->bits == 0 || literal->bits % base::kLanes != 0))
    kernel.fail(operand.where,
                "the number of threads at a barrier must be a positive multiple of the warp size, 32");
}

/// Barrier number and thread count, from operand `first` up to `end`.
isa::Instruction barrier(KernelContext& kernel, const Instruction& instruction, isa::BarrierKind kind,
                         std::size_t first, std::size_t end) {
  isa::Instruction out = control(isa::Opcode::kBarrier);
  out.barrier_kind = kind;
  for (std::size_t i = first; i < end; ++i) {
    const Operand& operand = instruction.operands[i];
    check_barrier_operand(kernel, operand, i - first);
    out.src[i - first] = source(kernel, instruction, operand, Type::kU32).operand;
  }
  return out;
}

}  // namespace

void decode_barrier_sync(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                         const Modifiers&) {
  kernel.emit(instruction,
              barrier(kernel, instruction, isa::BarrierKind::kSync, 0, instruction.operands.size()));
}

void decode_cluster_wait(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                         const Modifiers&) {
  isa::Instruction out = control(isa::Opcode::kBarrier);
  out.barrier_kind = isa::BarrierKind::kSync;
  out.src[0] = kernel.constants.row(isa::RowWidth::k32, 0);
  kernel.emit(instruction, out);
}

void decode_barrier_arrive(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                           const Modifiers&) {
  kernel.emit(instruction,
              barrier(kernel, instruction, isa::BarrierKind::kArrive, 0, instruction.operands.size()));
}

void decode_barrier_reduce(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                           const Modifiers& modifiers) {
  check_operand_count(kernel, instruction, 3, 4);
  const std::size_t last = instruction.operands.size() - 1;
  isa::Instruction out = barrier(kernel, instruction, isa::BarrierKind::kSync, 1, last);
  out.src[2] = source(kernel, instruction, instruction.operands[last], Type::kPred).operand;
  if (instruction.operands[0].second != nullptr)
    kernel.fail(instruction.operands[0].second->where,
                fmt::format("{} has one destination", full_name(instruction)));
  out.dst[0] = destination(kernel, instruction, instruction.operands[0], modifiers.type()).operand;
  out.barrier_reduction = modifiers.combine == isa::Combine::kAnd  ? isa::BarrierReduction::kAnd
                          : modifiers.combine == isa::Combine::kOr ? isa::BarrierReduction::kOr
                                                                   : isa::BarrierReduction::kPopc;
  kernel.emit(instruction, out);
}

void decode_warp_barrier(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                         const Modifiers&) {
  const Operand& mask = instruction.operands[0];
  isa::Instruction out;
  out.src[0] = source(kernel, instruction, mask, Type::kB32).operand;
  out.member_mask = 0;
  out.names_all_lanes = is_full_mask(mask);
  out.op = isa::Opcode::kWarpSync;
  kernel.emit(instruction, out);
}

void decode_sleep(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                  const Modifiers&) {
  isa::Instruction out = control(isa::Opcode::kSleep);
  out.src[0] = source(kernel, instruction, instruction.operands[0], Type::kU32).operand;
  kernel.emit(instruction, out);
}

void decode_breakpoint(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                       const Modifiers&) {
  isa::Instruction out = control(isa::Opcode::kTrap);
  out.immediate = isa::kBreakpoint;
  kernel.emit(instruction, out);
}

}  // namespace heddle::ptx
