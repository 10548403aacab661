#include "energy/energy_event.h"

#include <algorithm>

namespace heddle::energy {

bool EnergyClass::belongs_to(const std::vector<std::string>& there) const {
  return mechanisms.empty() || std::ranges::find_first_of(mechanisms, there) != mechanisms.end();
}

std::uint64_t count_of(const EnergyEvent& event, const base::StatGroup& stats) {
  if (!event.needs.empty() && stats.sum(event.needs) == 0) return 0;
  std::uint64_t count = 0;
  for (const EventCounter& counter : event.counters) count += counter.times * stats.sum(counter.pattern);
  return count;
}

}  // namespace heddle::energy
