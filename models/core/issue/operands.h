// Operands of instructions as the rows hold them, and whose access it is, for messages.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/memory/access_check.h"
#include "core/state/core_state.h"
#include "core/state/operand_rows.h"
#include "isa/instruction.h"

namespace heddle::core {

[[nodiscard]] inline const std::byte* row_of(const CoreState& state, const WarpContext& warp,
                                             const isa::Operand& operand) {
  return row_of(state.constants, warp, operand);
}
[[nodiscard]] inline std::uint64_t lane_of(const CoreState& state, const WarpContext& warp,
                                           const isa::Operand& operand, unsigned lane) {
  return lane_of(state.constants, warp, operand, lane);
}
[[nodiscard]] inline std::uint64_t lane_of(const CoreState& state, const IssueTable::Group& group,
                                           const isa::Operand& operand, unsigned lane) {
  return lane_of(state, state.warp(state.home(group, lane)), operand, lane);
}

[[nodiscard]] inline AccessSite site_of(const CoreState& state, WarpId home, Pc pc) {
  const WarpContext& warp = state.warp(home);
  return {state.launch, &state.ctas[warp.cta.value()], &warp, pc, &state.instruction(pc)};
}

}  // namespace heddle::core
