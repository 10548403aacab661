// A warp scheduling policy: the warp that has issued least since it was launched goes first.
#pragma once

#include "core/schedule/scheduling_policy.h"

namespace own {

heddle::core::SchedulingPolicy least_progress_policy();

}  // namespace own
