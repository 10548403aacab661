// A cache replacement policy: the line that has been in its set for longest leaves, used or not.
#pragma once

#include "cache/replacement.h"

namespace own {

heddle::cache::Replacement fifo_replacement();

}  // namespace own
