// GLRR: greedy, then loose round robin ([AWARE] §5.6).
#pragma once

#include "core/schedule/scheduling_policy.h"

namespace heddle::core {

[[nodiscard]] SchedulingPolicy glrr_policy();

}  // namespace heddle::core
