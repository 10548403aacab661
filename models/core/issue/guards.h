// Which lanes of a group execute an instruction: its guards, as the rows hold them.
#pragma once

#include "core/issue/operands.h"
#include "core/state/core_state.h"
#include "isa/instruction.h"

namespace heddle::core {

/// Lanes of the group for which they hold.
[[nodiscard]] inline LaneMask guarded(const CoreState& state, const IssueTable::Group& group,
                                      const isa::Instruction& instruction) {
  if (!instruction.guard.present) return group.mask;
  if (CoreState::is_static(group)) [[likely]]
    return group.mask & guard_of(state.constants, state.warp(group.warp), instruction);
  LaneMask holds;
  state.for_each_slice(group, group.mask, [&](WarpId home, LaneMask mask) {
    holds |= mask & guard_of(state.constants, state.warp(home), instruction);
  });
  return holds;
}

}  // namespace heddle::core
