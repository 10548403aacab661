// A control-flow mechanism for tests of formations: it pairs the warps of a CTA and forms issue groups from
// lanes of both, chosen at random at every control-flow event. No hardware would do this; every result must
// be the same as if each thread had run separately.
#pragma once

#include "simt/mechanism.h"

namespace heddle::mixing {

/// `core.control_flow.mechanism: mixed_warps`.
[[nodiscard]] simt::Mechanism mixed_warps();

}  // namespace heddle::mixing
