// Statistics of dynamic energy, computed from the counters of a statistics tree when they are read:
// nothing is done while the model runs.
//
//   energy.dynamic            fJ   sum of the classes
//   energy.<class>.dynamic    fJ   sum of the class's events
//   energy.<class>.<event>    fJ   events x energy per event
//
// All are linear in the counters, so several launches together have the sum of their energies.
#pragma once

#include <string>
#include <vector>

#include "base/stats.h"
#include "energy/energy_config.h"

namespace heddle::energy {

/// Declares the group `energy` in `stats`, which outlives it; nothing if the configuration switches it off.
/// `mechanisms`: the value of core.control_flow.mechanism, and the sections of the GPU's mechanisms that are switched on.
void declare_energy(base::StatGroup& stats, const EnergyConfig& config,
                    const std::vector<std::string>& mechanisms);

}  // namespace heddle::energy
