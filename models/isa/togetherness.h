// Who takes a branch that asks which lanes execute it.
#pragma once

#include "base/lane_mask.h"
#include "isa/instruction.h"

namespace heddle::isa {

/// `guarded` are those of `lanes` whose guard holds, `wanted` the live lanes that the branch names.
[[nodiscard]] inline base::LaneMask taken_of(Togetherness kind, base::LaneMask lanes, base::LaneMask guarded,
                                             base::LaneMask wanted) {
  if (kind == Togetherness::kSome) return guarded.any() ? lanes : base::LaneMask{};
  const bool together = guarded == wanted;
  if (kind == Togetherness::kApart) return together ? base::LaneMask{} : lanes;
  return together ? guarded : base::LaneMask{};
}

}  // namespace heddle::isa
