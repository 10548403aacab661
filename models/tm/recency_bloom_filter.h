// Recency Bloom filter ([KiloTM] §4.2.5, §4.4.3): who wrote a word last, or somebody later. Each sub-array has a hash
// function of its own; a bucket keeps the youngest number of those that were inserted into it, and a key's answer is the
// oldest of its buckets: the one with the fewest aliases.
//
// Kilo TM's numbers are commit ids within a window; those of temporal conflict detection are times ([WarpTM] §6.4).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "tm/commit_id.h"

namespace heddle::tm {

class RecencyBloomFilter {
 public:
  /// Bucket of a key in a sub-array.
  using Hash = std::function<std::uint32_t(unsigned array, std::uint64_t key)>;

  RecencyBloomFilter(unsigned arrays, std::uint32_t buckets, Hash hash)
      : arrays_(arrays),
        buckets_(buckets),
        hash_(std::move(hash)),
        bucket_(std::size_t{arrays} * buckets, 0) {}

  /// Max, never an overwrite: entries of the exact table are not evicted in the order of their ids (rule 1). What means
  /// nobody in the window is overwritten, else it would hide what comes later.
  void insert(std::uint64_t key, Cid cid, const CidWindow& window) {
    for (unsigned j = 0; j < arrays_; ++j) {
      Cid& bucket = bucket_[std::size_t{j} * buckets_ + hash_(j, key)];
      const std::optional<Cid> known = window.meaning(bucket);
      if (!known || *known < cid) bucket = window.stored(cid);
    }
  }
  /// None: nobody in the window. False writers are possible, a missed one is not.
  [[nodiscard]] std::optional<Cid> lookup(std::uint64_t key, const CidWindow& window) const {
    std::optional<Cid> oldest;
    for (unsigned j = 0; j < arrays_; ++j) {
      const std::optional<Cid> of_bucket = window.meaning(bucket(j, hash_(j, key)));
      if (!of_bucket) return std::nullopt;
      if (!oldest || *of_bucket < *oldest) oldest = of_bucket;
    }
    return oldest;
  }
  [[nodiscard]] Cid bucket(unsigned array, std::uint32_t index) const {
    return bucket_[std::size_t{array} * buckets_ + index];
  }

 private:
  unsigned arrays_;
  std::uint32_t buckets_;
  Hash hash_;
  std::vector<Cid> bucket_;
};

}  // namespace heddle::tm
