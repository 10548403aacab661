// GLRR: greedy, then loose round robin (mimd-simt-and-bows §9.1, AWARE).
#pragma once

#include "core/schedule/scheduling_policy.h"

namespace heddle::core {

[[nodiscard]] SchedulingPolicy glrr_policy();

}  // namespace heddle::core
