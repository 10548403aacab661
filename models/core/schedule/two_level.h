// Two-level: round robin among a small active set; a warp that waits for memory, a fence or a barrier leaves it, the
// longest waiting ready warp of the others enters.
#pragma once

#include <cstdint>

#include "core/schedule/scheduling_policy.h"

namespace heddle::core {

struct TwoLevelConfig {
  std::uint32_t active_warps = 8;

  void visit(base::ConfigVisitor& v);
};

[[nodiscard]] SchedulingPolicy two_level_policy();

}  // namespace heddle::core
