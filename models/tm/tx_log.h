// A row of a transaction's log (tbc-and-kilotm §5.3): 32 addresses and 32 values, a line each. Addresses are byte offsets in
// global memory; a lane without one has the void address.
#pragma once

#include <cstdint>

#include "isa/types.h"
#include "tm/commit_messages.h"

namespace heddle::tm {

inline constexpr std::uint64_t kWordBytes = 4;
inline constexpr std::uint32_t kVoidAddress = 0xffff'ffffu;

[[nodiscard]] constexpr LaneMask lane_bit(unsigned lane) { return LaneMask(1u << lane); }
[[nodiscard]] constexpr std::uint32_t logged_address(std::uint64_t address) {
  return static_cast<std::uint32_t>(address - isa::kGlobalBase);
}
[[nodiscard]] constexpr std::uint64_t device_address(std::uint32_t logged) {
  return isa::kGlobalBase + logged;
}
/// Its 32-bit word.
[[nodiscard]] constexpr std::uint64_t word_of(std::uint64_t address) {
  return address / kWordBytes * kWordBytes;
}

}  // namespace heddle::tm
