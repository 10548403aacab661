// CAWA: the most critical warp first (mimd-simt-and-bows §2).
#pragma once

#include "core/schedule/scheduling_policy.h"

namespace heddle::core {

[[nodiscard]] SchedulingPolicy cawa_policy();

}  // namespace heddle::core
