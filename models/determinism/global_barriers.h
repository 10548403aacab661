// Barriers that a store to global memory can reach without another barrier in between: BtaRule::kFlag.
#pragma once

#include <vector>

#include "isa/kernel.h"

namespace heddle::determinism {

/// By PC. A store by generic address may be one to global memory. Calls and indirect branches: any store of the kernel
/// reaches any barrier behind them, since where they come from is not followed.
[[nodiscard]] std::vector<bool> global_barriers(const isa::Kernel& kernel);

}  // namespace heddle::determinism
