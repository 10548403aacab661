// Hashes of DDOS' histories ([DDOS/BOWS] §6.3.2).
#pragma once

#include <cstdint>

#include "spin/config.h"

namespace heddle::spin {

/// `value` in `bits` bits (1 to 32): all its slices folded by exclusive or, or the lowest one.
[[nodiscard]] std::uint32_t hash(HashFunction function, std::uint64_t value, std::uint32_t bits);

}  // namespace heddle::spin
