// Sizes of the mechanisms' tables in hardware ([AWARE] Tab 5.2): bits per warp, without free
// lists, timers, valid bits, ages and call frames.
#pragma once

#include <cstdint>

#include "simt/aware.h"

namespace heddle::simt {

[[nodiscard]] std::uint64_t stack_table_bits(FirstSide first_side);
[[nodiscard]] std::uint64_t aware_table_bits(const AwareConfig& config);
[[nodiscard]] std::uint64_t multi_path_table_bits();

}  // namespace heddle::simt
