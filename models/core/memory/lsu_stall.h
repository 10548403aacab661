// What the head of the load/store unit's queue waits for.
#pragma once

#include <cstdint>

namespace heddle::core {

enum class LsuStall : std::uint8_t {
  kNone,
  kMshr,      ///< an MSHR of L1, or a target slot of one
  kConstant,  ///< the same of the constant cache
  kPort,      ///< room towards the crossbar
};
inline constexpr unsigned kLsuStalls = 4;

}  // namespace heddle::core
