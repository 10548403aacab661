// Temporal conflict detection at a partition ([WarpTM] §6.4): when a block of 128 bytes was last written by a transaction
// that committed, or somewhat later; and for the strict form, by which one. Times come from one clock for the whole GPU.
#pragma once

#include <bit>
#include <cstdint>

#include "tm/h3_hash.h"
#include "tm/recency_bloom_filter.h"

namespace heddle::tm {

/// What a load of a transaction brings back beside its data.
struct LastWritten {
  std::uint64_t time = 0;  ///< 0: never
  Cid cid = 0;             ///< 0: nobody
};

class LastWrittenTimes {
 public:
  static constexpr std::uint64_t kBlockBytes = 128;

  /// `buckets`: of a sub-array, a power of two.
  LastWrittenTimes(unsigned arrays, std::uint32_t buckets, std::uint64_t seed)
      : LastWrittenTimes(arrays, buckets, hash_of(arrays, buckets, seed)) {}
  LastWrittenTimes(unsigned arrays, std::uint32_t buckets, const RecencyBloomFilter::Hash& hash)
      : times_(arrays, buckets, hash), cids_(arrays, buckets, hash) {}

  /// Not later than the data can be read.
  void written(std::uint64_t address, std::uint64_t time, Cid cid) {
    times_.insert(address / kBlockBytes, time, kAlways);
    cids_.insert(address / kBlockBytes, cid, kAlways);
  }
  /// Not earlier than the data was read.
  [[nodiscard]] LastWritten read(std::uint64_t address) const {
    return {times_.lookup(address / kBlockBytes, kAlways).value_or(0),
            cids_.lookup(address / kBlockBytes, kAlways).value_or(0)};
  }
  /// ([WarpTM] §6.4.2) A bucket has 64 bits.
  [[nodiscard]] static std::uint64_t storage_bytes(unsigned arrays, std::uint32_t buckets) {
    return std::uint64_t{arrays} * buckets * 8;
  }

 private:
  static constexpr CidWindow kAlways{1, ~std::uint64_t{0} >> 1, 64};
  static RecencyBloomFilter::Hash hash_of(unsigned arrays, std::uint32_t buckets, std::uint64_t seed) {
    return [hash = H3Hash(arrays, static_cast<unsigned>(std::countr_zero(buckets)), seed)](
               unsigned array, std::uint64_t key) { return hash(array, key); };
  }
  RecencyBloomFilter times_, cids_;
};

/// What a thread's attempt has seen.
class FirstRead {
 public:
  void begin() { *this = {}; }
  /// ([WarpTM] §6.4.2) A time of 64 bits for each thread of a core.
  [[nodiscard]] static std::uint64_t storage_bytes(std::uint32_t threads) {
    return std::uint64_t{threads} * 8;
  }
  /// A load of global memory is sent.
  void sent(std::uint64_t time, Cid retired_everywhere, Cid own_last) {
    if (begun_) return;
    begun_ = true;
    time_ = time;
    retired_ = retired_everywhere;
    own_last_ = own_last;
  }
  /// A load has come back. Strictly later: what was written at the time itself has been seen by all loads ([WarpTM:A18]).
  void returned(const LastWritten& written) {
    late_ = late_ || written.time > time_;
    strict_late_ = strict_late_ || written.cid >= retired_;
  }
  /// Something may have been written since the first load. `strict`: or parts of a transaction may be missing that has
  /// written what was read, or of the thread's own last one ([KiloTM:E4]).
  [[nodiscard]] bool conflict(bool strict) const {
    return late_ || (strict && begun_ && (strict_late_ || own_last_ >= retired_));
  }
  /// Behind which transaction it stands, in the strict form.
  [[nodiscard]] Cid behind() const { return begun_ ? retired_ - 1 : 0; }

 private:
  bool begun_ = false, late_ = false, strict_late_ = false;
  std::uint64_t time_ = 0;
  Cid retired_ = kFirstCid, own_last_ = 0;
};

}  // namespace heddle::tm
