// A warp scheduling policy: picks the warp that has issued least since its launch.
#pragma once

#include "core/schedule/scheduling_policy.h"

namespace own {

heddle::core::SchedulingPolicy least_progress_policy();

}  // namespace own
