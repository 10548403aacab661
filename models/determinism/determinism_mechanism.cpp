#include "determinism/determinism_mechanism.h"

#include "determinism/determinism_config.h"

namespace heddle::determinism {

core::GpuMechanismEntry determinism_mechanism() {
  return {"determinism", "deterministic execution (GPUDet): quanta, store buffers, commit in a fixed order",
          base::ConfigOption::section<DeterminismConfig>("determinism", "deterministic execution (GPUDet)"),
          [](const core::GpuMechanismConfig&) -> core::GpuMechanismFactory { return nullptr; }};
}

}  // namespace heddle::determinism
