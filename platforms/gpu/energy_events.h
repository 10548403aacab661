// The events whose energy is reported: which counters count them, and the default energy of each
// (models/energy/README.md has the sources).
//
// A mechanism adds its class here, or from a program before the first configuration is made:
//
//   gpu::energy_events().add({"mine", "table of mine", {{"look_up", 2.5, "one look-up", {{"core*.mine.look_ups"}}}}});
#pragma once

#include "base/registry.h"
#include "energy/energy_event.h"

namespace heddle::gpu {

/// energy.<name>.*
[[nodiscard]] base::Registry<energy::EnergyClass>& energy_events();

}  // namespace heddle::gpu
