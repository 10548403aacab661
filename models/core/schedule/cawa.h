// CAWA: the most critical warp first ([DDOS/BOWS] §6.1, [DDOS/BOWS:S10]).
#pragma once

#include <cstdint>

#include "core/schedule/scheduling_policy.h"

namespace heddle::core {

/// How CAWA estimates the instructions that a warp has still to execute (nInst).
enum class CawaEstimate : std::uint8_t {
  kDistance,  ///< from the program counter to the end of the kernel; a jump back adds what it repeats
  kOutcomes,  ///< the static length of the paths that branches chose, less what has issued since
};

struct CawaConfig {
  CawaEstimate estimate = CawaEstimate::kDistance;
  std::uint32_t rotation_cycles = 50000;  ///< kDistance: criticalities start again from 0; 0: never

  void visit(base::ConfigVisitor& v);
};

[[nodiscard]] SchedulingPolicy cawa_policy();

}  // namespace heddle::core
