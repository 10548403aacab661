// A control-flow mechanism for tests of formations: it pairs the warps of a CTA and makes issue groups of lanes of
// both, chosen at random whenever lanes go somewhere. No hardware would: what must hold is that every result is the
// same as if each thread had run by itself.
#pragma once

#include "simt/mechanism.h"

namespace heddle::mixing {

/// `core.control_flow.mechanism: mixed_warps`.
[[nodiscard]] simt::Mechanism mixed_warps();

}  // namespace heddle::mixing
