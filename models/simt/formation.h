// Whose lanes an issue group's are. A static warp's groups have lanes of that warp only. Mechanisms that regroup threads
// across the warps of a CTA make groups of several slices; a thread never changes its lane.
#pragma once

#include "base/ids.h"
#include "base/lane_mask.h"

namespace heddle::simt {

/// Lanes of one home warp: the slot whose registers, scoreboard, local memory and counters they have.
struct Slice {
  base::WarpId home{};
  base::LaneMask lanes;
  bool operator==(const Slice&) const = default;
};

}  // namespace heddle::simt
