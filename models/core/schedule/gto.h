// GTO: greedy, then oldest. Age is the order of assignment, ties by number; every so many cycles the oldest
// becomes the youngest ([DDOS/BOWS] §6.3.3).
#pragma once

#include <cstdint>

#include "core/schedule/scheduling_policy.h"

namespace heddle::core {

struct GtoConfig {
  std::uint32_t rotation_cycles = 50000;  ///< 0: ages do not rotate

  void visit(base::ConfigVisitor& v);
};

[[nodiscard]] SchedulingPolicy gto_policy();

}  // namespace heddle::core
