// Parallel Bloom filter: a sub-array of bits for each of four H3 hash functions ([GPUDet] §4.3, [GPUDet:A24]). Or, as a
// yardstick, the exact set of keys.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

namespace heddle::warp_log {

inline constexpr unsigned kBloomHashes = 4;
inline constexpr unsigned kBloomKeyBits = 25;
inline constexpr unsigned kMostIndexBits = 8;

using BloomIndices = std::array<std::uint32_t, kBloomHashes>;

/// The bit of each sub-array that a key of 25 bits sets: index bit b of sub-array j is the parity of the key and a mask.
/// Sub-arrays of 2^`index_bits` bits use the low bits of the index.
[[nodiscard]] BloomIndices bloom_indices(std::uint32_t key, unsigned index_bits = kMostIndexBits);

class BloomFilter {
 public:
  /// `bits`: a power of two of 128 to 1024; 0: the exact set.
  explicit BloomFilter(std::uint32_t bits);
  /// "128" ... "1024" or "ideal", as configurations say it.
  [[nodiscard]] static std::uint32_t bits_of(const std::string& text) {
    return text == "ideal" ? 0 : static_cast<std::uint32_t>(std::stoul(text));
  }

  /// Keys of more than 25 bits are told apart by the exact set only.
  void insert(std::uint64_t key);
  /// False: it has not been inserted. True: it may have been.
  [[nodiscard]] bool may_hold(std::uint64_t key) const;
  void clear();
  [[nodiscard]] bool empty() const { return inserted_ == 0; }

 private:
  std::uint32_t bits_;
  unsigned index_bits_ = 0;
  std::uint64_t inserted_ = 0;
  std::vector<bool> array_;  ///< sub-array by sub-array
  std::unordered_set<std::uint64_t> exact_;
};

}  // namespace heddle::warp_log
