// What a log entry holds ([GPUDet] §4.3): a chunk of memory, the bytes stored to it, and which of them.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace heddle::determinism {

inline constexpr unsigned kChunkBytes = 128;
inline constexpr unsigned kChunkWords = kChunkBytes / 4;  ///< a depth each

using ChunkData = std::array<std::byte, kChunkBytes>;

/// A set of a chunk's bytes; the i-th is bit i % 64 of half i / 64.
struct ByteMask {
  std::array<std::uint64_t, 2> half{};

  constexpr void set(unsigned byte) { half[byte / 64] |= std::uint64_t{1} << (byte % 64); }
  constexpr void set_word(unsigned word) { half[word / 16] |= std::uint64_t{0xf} << (word % 16 * 4); }
  [[nodiscard]] constexpr bool test(unsigned byte) const {
    return (half[byte / 64] >> (byte % 64) & 1u) != 0;
  }
  [[nodiscard]] constexpr bool empty() const { return (half[0] | half[1]) == 0; }
  [[nodiscard]] constexpr unsigned count() const {
    return static_cast<unsigned>(std::popcount(half[0]) + std::popcount(half[1]));
  }
  [[nodiscard]] constexpr unsigned word_bits(unsigned word) const {
    return static_cast<unsigned>(half[word / 16] >> (word % 16 * 4) & 0xfu);
  }
  constexpr bool operator==(const ByteMask&) const = default;
};

/// A set of a chunk's words.
using WordMask = std::uint32_t;

/// Words of which at least one byte is set.
[[nodiscard]] constexpr WordMask touched_words(const ByteMask& mask) {
  WordMask words = 0;
  for (unsigned w = 0; w < kChunkWords; ++w) words |= (mask.word_bits(w) != 0 ? 1u : 0u) << w;
  return words;
}
/// Words of which some bytes are set and some are not: the Z-buffer has one depth for them ([GPUDet] §4.6).
[[nodiscard]] constexpr WordMask partial_words(const ByteMask& mask) {
  WordMask words = 0;
  for (unsigned w = 0; w < kChunkWords; ++w) {
    const unsigned bits = mask.word_bits(w);
    words |= (bits != 0 && bits != 0xf ? 1u : 0u) << w;
  }
  return words;
}
[[nodiscard]] constexpr ByteMask bytes_of(WordMask words) {
  ByteMask mask;
  for (unsigned w = 0; w < kChunkWords; ++w)
    if ((words >> w & 1u) != 0) mask.set_word(w);
  return mask;
}

}  // namespace heddle::determinism
