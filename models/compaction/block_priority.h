// Block priority of thread block compaction ([TBC] §3.6.2): whose warps issue. Within a block loose round robin.
#pragma once

#include "core/schedule/scheduling_policy.h"

namespace heddle::compaction {

/// age: the block dispatched first.
[[nodiscard]] core::SchedulingPolicy age_policy();
/// rrb: the block with the highest priority is another one every cycle.
[[nodiscard]] core::SchedulingPolicy rrb_policy();
/// srr: the block that issues keeps the highest priority until none of its warps is ready; then the next.
[[nodiscard]] core::SchedulingPolicy srr_policy();

}  // namespace heddle::compaction
