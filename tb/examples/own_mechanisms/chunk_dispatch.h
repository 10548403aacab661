// A CTA dispatch policy: a core takes chunks of consecutive CTAs, which share its L1.
#pragma once

#include "core/cta/cta_dispatch_policy.h"

namespace own {

heddle::core::DispatchPolicy chunk_dispatch();

}  // namespace own
