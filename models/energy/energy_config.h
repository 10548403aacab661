// Configuration of energies: section energy of a platform, a key for each event.
#pragma once

#include <cstdint>
#include <vector>

#include "base/config.h"
#include "energy/energy_event.h"

namespace heddle::energy {

struct EnergyConfig {
  EnergyConfig() = default;
  /// With the energies of these events. Throws InputError for a class or event whose name is taken.
  explicit EnergyConfig(std::vector<EnergyClass> table);

  bool enabled = true;
  /// EnergyEvent::picojoules are the values of the keys.
  std::vector<EnergyClass> classes;

  void visit(base::ConfigVisitor& v);
  /// Throws InputError for an energy that is not a whole number of femtojoules.
  void validate() const;
};

/// Energies are summed up in whole femtojoules, so that sums are exact and do not depend on their order.
[[nodiscard]] std::uint64_t femtojoules(double picojoules);

}  // namespace heddle::energy
