// GLRI: greedy, then least recently issued.
#pragma once

#include "core/schedule/scheduling_policy.h"

namespace heddle::core {

[[nodiscard]] SchedulingPolicy glri_policy();

}  // namespace heddle::core
