#include "core/cta/barrier_arrival.h"

#include <fmt/format.h>

#include <cstring>

#include "base/error.h"
#include "core/state/operand_rows.h"

namespace heddle::core {

BarrierRequest arrival_of(const isa::Kernel& kernel, Pc pc, std::uint32_t number, std::uint32_t count) {
  const isa::Instruction& instruction = kernel.code[pc.value()];
  BarrierRequest arrival{.id = number,
                         .expected = count,
                         .waits = instruction.barrier_kind == isa::BarrierKind::kSync,
                         .instruction = &instruction};
  if (instruction.barrier_packed) {
    constexpr std::uint32_t kNumber = 0xffff, kCountAt = 16, kCount = 0xfff;
    arrival.expected = number >> kCountAt & kCount;
    arrival.id = number & kNumber;
  }
  if (arrival.id >= kBarriersPerCta)
    throw base::KernelFault(kernel.location(pc), fmt::format("barrier number {} does not exist", arrival.id),
                            "barriers are numbered 0 to 15");
  return arrival;
}

void take_predicates(BarrierRequest& arrival, const std::byte* constants, const WarpContext& warp,
                     LaneMask exec) {
  const isa::Instruction& instruction = *arrival.instruction;
  if (instruction.barrier_reduction == isa::BarrierReduction::kNone) return;
  arrival.lanes = exec;
  std::uint32_t holds = 0;
  std::memcpy(&holds, row_of(constants, warp, instruction.src[2]), sizeof holds);
  arrival.predicate = exec & LaneMask(instruction.src[2].negated ? ~holds : holds);
}

}  // namespace heddle::core
