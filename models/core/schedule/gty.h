// GTY: greedy, then youngest ([MGC]: what Ampere's sub-cores do). Age is the order of assignment; every so many cycles the
// youngest becomes the oldest, as ages rotate in gto.
#pragma once

#include <cstdint>

#include "core/schedule/scheduling_policy.h"

namespace heddle::core {

struct GtyConfig {
  std::uint32_t rotation_cycles = 50000;  ///< 0: ages do not rotate

  void visit(base::ConfigVisitor& v);
};

[[nodiscard]] SchedulingPolicy gty_policy();

}  // namespace heddle::core
