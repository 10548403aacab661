// A scheduling policy's model and its RTL, which must pick alike.
#pragma once

#include <memory>
#include <string>

#include "core/schedule/scheduling_policy.h"

namespace heddle::core {

/// `path`: the scheduler's, for the message.
[[nodiscard]] std::unique_ptr<WarpSchedulingPolicy> lockstep_policy(
    std::string path, std::unique_ptr<WarpSchedulingPolicy> model, std::unique_ptr<WarpSchedulingPolicy> rtl);

}  // namespace heddle::core
