// sim::Ring under the name the memory side uses.
#pragma once

#include "sim/ring.h"

namespace heddle::memory {

using sim::Ring;

}  // namespace heddle::memory
