// LRR: loose round robin among the ready warps (mimd-simt-and-bows §2).
#pragma once

#include "core/schedule/scheduling_policy.h"

namespace heddle::core {

[[nodiscard]] SchedulingPolicy lrr_policy();

}  // namespace heddle::core
