// What the head of the load/store unit's queue waits for.
#pragma once

#include <cstdint>

namespace heddle::core {

enum class LsuStall : std::uint8_t {
  kNone,
  kMshr,        ///< an MSHR of L1, or a target slot of one
  kConstant,    ///< the same of the constant cache
  kPort,        ///< room towards the crossbar
  kReductions,  ///< L2's answer to a reduction: core.lsu.reductions_in_flight
};
inline constexpr unsigned kLsuStalls = 5;

}  // namespace heddle::core
