// How the simulator has used the machine that it runs on.
#pragma once

#include <string>

#include "sim/window_counters.h"

namespace heddle::gpu {

/// See sim/windows.h.
struct HostUse {
  unsigned threads = 1;
  sim::WindowCounters windows;
  std::string
      one_after_another;  ///< why cores ran so although they were to run ahead, in some launch; empty: they did not
};

}  // namespace heddle::gpu
