#include "warp_log/bloom_filter.h"

#include <bit>
#include <stdexcept>

namespace heddle::warp_log {
namespace {

using HashMasks = std::array<std::array<std::uint32_t, kMostIndexBits>, kBloomHashes>;

/// Appendix A: a 32-bit xorshift generator, its upper 25 bits, hash by hash.
constexpr HashMasks hash_masks() {
  HashMasks masks{};
  std::uint32_t x = 0x9e3779b9u;
  for (auto& of_hash : masks)
    for (std::uint32_t& mask : of_hash) {
      x ^= x << 13;
      x ^= x >> 17;
      x ^= x << 5;
      mask = x >> (32 - kBloomKeyBits);
    }
  return masks;
}
constexpr HashMasks kMasks = hash_masks();
static_assert(kMasks[0][0] == 0x0a2188c && kMasks[3][7] == 0x107a1af, "[GPUDet:A24]");

}  // namespace

BloomIndices bloom_indices(std::uint32_t key, unsigned index_bits) {
  BloomIndices indices{};
  for (unsigned j = 0; j < kBloomHashes; ++j)
    for (unsigned b = 0; b < index_bits; ++b)
      indices[j] |= static_cast<std::uint32_t>(std::popcount(key & kMasks[j][b]) & 1) << b;
  return indices;
}

BloomFilter::BloomFilter(std::uint32_t bits) : bits_(bits), array_(bits) {
  if (bits == 0) return;
  if (!std::has_single_bit(bits) || bits < kBloomHashes || bits / kBloomHashes > 1u << kMostIndexBits)
    throw std::invalid_argument("bits of a Bloom filter");
  index_bits_ = static_cast<unsigned>(std::countr_zero(bits / kBloomHashes));
}

void BloomFilter::insert(std::uint64_t key) {
  ++inserted_;
  if (bits_ == 0) {
    exact_.insert(key);
    return;
  }
  const BloomIndices indices =
      bloom_indices(static_cast<std::uint32_t>(key & ((1u << kBloomKeyBits) - 1)), index_bits_);
  for (unsigned j = 0; j < kBloomHashes; ++j) array_[(std::size_t{j} << index_bits_) + indices[j]] = true;
}

bool BloomFilter::may_hold(std::uint64_t key) const {
  if (inserted_ == 0) return false;
  if (bits_ == 0) return exact_.contains(key);
  const BloomIndices indices =
      bloom_indices(static_cast<std::uint32_t>(key & ((1u << kBloomKeyBits) - 1)), index_bits_);
  for (unsigned j = 0; j < kBloomHashes; ++j)
    if (!array_[(std::size_t{j} << index_bits_) + indices[j]]) return false;
  return true;
}

void BloomFilter::clear() {
  if (inserted_ == 0) return;
  inserted_ = 0;
  array_.assign(array_.size(), false);
  exact_.clear();
}

}  // namespace heddle::warp_log
