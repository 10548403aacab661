// Scheduling policies of dynamic warp formation ([TBC] §3.2, [DWF:S5]): at which PC warps issue. Among warps at
// one PC loose round robin. Warps at other PCs may starve: the starvation eddy.
#pragma once

#include "core/schedule/scheduling_policy.h"

namespace heddle::compaction {

/// The PC that most threads are at (tie: the smaller PC), until no warp is ready there.
[[nodiscard]] core::SchedulingPolicy majority_policy();
/// The PC that fewest threads are at.
[[nodiscard]] core::SchedulingPolicy minority_policy();
/// The smallest PC.
[[nodiscard]] core::SchedulingPolicy lowest_pc_policy();
/// The PC with most post-dominators before the end: threads that have fallen behind.
[[nodiscard]] core::SchedulingPolicy post_dominator_policy();

/// By PC: how many post-dominators there are from there to the end of the function.
[[nodiscard]] std::vector<std::uint32_t> post_dominators_ahead(const isa::Kernel& kernel);

}  // namespace heddle::compaction
