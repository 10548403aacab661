// A row of a transaction's log ([KiloTM] §4.2.4): 32 addresses and 32 values, a line each. Addresses are byte offsets in
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
/// Bytes of an access of up to 16: bit i is byte i from its first word on.
[[nodiscard]] constexpr std::uint16_t byte_bits(unsigned first, unsigned count) {
  return static_cast<std::uint16_t>(((1u << count) - 1u) << first);
}
[[nodiscard]] constexpr std::uint16_t word_bits(unsigned word) {
  return byte_bits(word * static_cast<unsigned>(kWordBytes), static_cast<unsigned>(kWordBytes));
}
/// Its 32-bit word.
[[nodiscard]] constexpr std::uint64_t word_of(std::uint64_t address) {
  return address / kWordBytes * kWordBytes;
}

}  // namespace heddle::tm
