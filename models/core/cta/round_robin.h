// Round robin over the cores: CTAs in order, each cycle at most one per core, and after a cycle in which some have
// started the next core is the first to be asked.
#pragma once

#include "core/cta/cta_dispatch_policy.h"

namespace heddle::core {

[[nodiscard]] DispatchPolicy round_robin_dispatch();

}  // namespace heddle::core
