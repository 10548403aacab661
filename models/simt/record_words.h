// Words of spilled table entries: a 29-bit instruction number (instructions are eight bytes, so this is a
// 32-bit address without its lowest bits) with three bits of something else above it.
#pragma once

#include <cstdint>

#include "simt/split.h"

namespace heddle::simt {

inline constexpr unsigned kPcBits = 29;
inline constexpr std::uint32_t kPcMask = (1u << kPcBits) - 1;  ///< as a PC: none

/// `upper`: three bits.
[[nodiscard]] constexpr std::uint32_t pc_word(Pc pc, std::uint32_t upper) {
  return (pc == kNoPc ? kPcMask : pc.value() & kPcMask) | (upper << kPcBits);
}
[[nodiscard]] constexpr Pc pc_of(std::uint32_t word) {
  return (word & kPcMask) == kPcMask ? kNoPc : Pc{word & kPcMask};
}

/// The R-Index takes five of the six spare bits of two words; the sixth says that there is none.
inline constexpr std::uint32_t kNoIndexBits = 0x20;
[[nodiscard]] constexpr std::uint32_t index_bits(ReconvergenceId index) {
  return index == kNoReconvergence ? kNoIndexBits : index.value();
}
[[nodiscard]] constexpr ReconvergenceId index_of(std::uint32_t first_word, std::uint32_t second_word) {
  const std::uint32_t bits = (first_word >> kPcBits) | ((second_word >> kPcBits) << 3);
  return (bits & kNoIndexBits) != 0 ? kNoReconvergence : ReconvergenceId{static_cast<std::uint8_t>(bits)};
}

}  // namespace heddle::simt
