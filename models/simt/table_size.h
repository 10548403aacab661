// Sizes of the mechanisms' tables in hardware (mimd-simt-and-bows §11, Tab 5.2).
#pragma once

#include <cstdint>

#include "simt/control_flow.h"

namespace heddle::simt {

/// Bits per warp of the configured mechanism's tables, counted as Tab 5.2 does: without free lists, timers,
/// valid bits, ages and call frames.
[[nodiscard]] std::uint64_t table_bits(const ControlFlowConfig& config);

}  // namespace heddle::simt
