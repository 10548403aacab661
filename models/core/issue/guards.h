// Which lanes of a group execute an instruction: its guards, as the rows hold them.
#pragma once

#include <cstring>

#include "core/issue/operands.h"
#include "core/state/core_state.h"
#include "isa/instruction.h"

namespace heddle::core {

/// Lanes of the warp for which the guards hold.
[[nodiscard]] inline LaneMask guard_of(const CoreState& state, const WarpContext& warp,
                                       const isa::Instruction& instruction) {
  std::uint32_t lanes;
  std::memcpy(&lanes, row_of(state, warp, instruction.guard), sizeof lanes);
  LaneMask holds(instruction.guard.negated ? ~lanes : lanes);
  if (instruction.guard2.present) [[unlikely]] {
    std::memcpy(&lanes, row_of(state, warp, instruction.guard2), sizeof lanes);
    holds &= LaneMask(instruction.guard2.negated ? ~lanes : lanes);
  }
  return holds;
}

/// Lanes of the group for which they hold.
[[nodiscard]] inline LaneMask guarded(const CoreState& state, const IssueTable::Group& group,
                                      const isa::Instruction& instruction) {
  if (!instruction.guard.present) return group.mask;
  if (CoreState::is_static(group)) [[likely]]
    return group.mask & guard_of(state, state.warp(group.warp), instruction);
  LaneMask holds;
  state.for_each_slice(group, group.mask, [&](WarpId home, LaneMask mask) {
    holds |= mask & guard_of(state, state.warp(home), instruction);
  });
  return holds;
}

}  // namespace heddle::core
