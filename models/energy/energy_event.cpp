#include "energy/energy_event.h"

#include <algorithm>

namespace heddle::energy {

bool EnergyClass::belongs_to(const std::string& mechanism) const {
  return mechanisms.empty() || std::find(mechanisms.begin(), mechanisms.end(), mechanism) != mechanisms.end();
}

std::uint64_t count_of(const EnergyEvent& event, const base::StatGroup& stats) {
  std::uint64_t count = 0;
  for (const EventCounter& counter : event.counters) count += counter.times * stats.sum(counter.pattern);
  return count;
}

}  // namespace heddle::energy
