// Who takes a branch that asks which lanes execute it.
#pragma once

#include "base/lane_mask.h"
#include "isa/instruction.h"

namespace heddle::isa {

/// `guarded` are those of `lanes` whose guard holds, `wanted` the live lanes that the branch names. A uniform one (BRA.ANY) all
/// lanes take where the guard of one holds.
[[nodiscard]] inline base::LaneMask taken_of(const Instruction& branch, base::LaneMask lanes,
                                             base::LaneMask guarded, base::LaneMask wanted) {
  if (branch.uniform) return guarded.any() ? lanes : base::LaneMask{};
  const bool together = guarded == wanted;
  if (branch.togetherness == Togetherness::kApart) return together ? base::LaneMask{} : lanes;
  return together ? guarded : base::LaneMask{};
}

}  // namespace heddle::isa
