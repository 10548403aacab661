// LRR: loose round robin among the ready warps ([ElTantawy18] §2.3.2).
#pragma once

#include "core/schedule/scheduling_policy.h"

namespace heddle::core {

[[nodiscard]] SchedulingPolicy lrr_policy();

}  // namespace heddle::core
