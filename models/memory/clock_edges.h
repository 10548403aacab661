// From a time to a clock edge, for delays that TLM calls annotate.
#pragma once

#include <cstdint>

#include "sim/clock.h"

namespace heddle::memory {

/// First edge of the domain at or after `time` (SystemC resolution units), which is not before the present
/// edge.
inline sim::Cycle first_edge_at(const sim::ClockDomain& domain, std::uint64_t time) {
  sim::Cycle cycle = domain.cycle();
  std::uint64_t at = domain.edge_time(cycle);
  if (at >= time) return cycle;
  // A guess from the length of many cycles is a few edges short at most, never beyond the answer.
  constexpr sim::Cycle kMany = 1024;
  const std::uint64_t many = domain.edge_time(cycle + kMany) - at;
  const sim::Cycle guess = (time - at) / (many / kMany + 1);
  cycle += guess;
  while (domain.edge_time(cycle) < time) ++cycle;
  return cycle;
}

}  // namespace heddle::memory
