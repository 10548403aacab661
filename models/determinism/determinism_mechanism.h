// Deterministic execution (GPUDet) as a mechanism of the whole GPU: what it consists of, and the section `determinism`.
#pragma once

#include "core/gpu_mechanism.h"

namespace heddle::determinism {

[[nodiscard]] core::GpuMechanismEntry determinism_mechanism();

}  // namespace heddle::determinism
