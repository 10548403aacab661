// Where a lane goes whose branch, call or return goes through registers. Each throws base::KernelFault for a place to which that
// instruction must not go.
#pragma once

#include "core/memory/access_check.h"

namespace heddle::core {

[[nodiscard]] Pc indirect_target(const AccessSite& site, unsigned lane);
[[nodiscard]] Pc call_target(const AccessSite& site, unsigned lane);
[[nodiscard]] Pc return_target(const AccessSite& site, unsigned lane);

}  // namespace heddle::core
