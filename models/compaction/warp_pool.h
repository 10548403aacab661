// The warp pool of dynamic warp formation ([DWF]): warps whose next instruction has not issued yet, and
// which threads may still join. One entry per thread is enough for any code.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "compaction/warp_lut.h"
#include "simt/formation.h"

namespace heddle::compaction {

/// Up to 32 threads with one PC, each in its own lane.
struct PoolWarp {
  base::Pc pc{};
  std::array<simt::Slice, base::kLanes> slices;  ///< by home warp
  std::uint32_t count = 0;
  std::uint32_t slot = WarpLut::kNoWarp;  ///< that shows it to the core; none: it waits for one
  bool is_static = false;                 ///< a warp as it was launched, or re-formed: nobody joins it

  [[nodiscard]] base::LaneMask lanes() const {
    base::LaneMask all;
    for (std::uint32_t i = 0; i < count; ++i) all |= slices[i].lanes;
    return all;
  }
  [[nodiscard]] std::span<const simt::Slice> all() const { return {slices.data(), count}; }
  void add(simt::Slice slice) {
    for (std::uint32_t i = 0; i < count; ++i)
      if (slices[i].home == slice.home) {
        slices[i].lanes |= slice.lanes;
        return;
      }
    slices[count++] = slice;
  }
};

/// Warps by number, with the LUT in front of them.
class WarpPool {
 public:
  WarpPool(std::uint32_t lut_entries, std::uint32_t lut_ways) : lut_(lut_entries, lut_ways) {}

  [[nodiscard]] PoolWarp& operator[](std::uint32_t warp) { return warps_[warp]; }
  [[nodiscard]] const PoolWarp& operator[](std::uint32_t warp) const { return warps_[warp]; }

  /// What became of threads that came to a PC; WarpLut::kNoWarp: no such warp.
  struct Entered {
    std::uint32_t joined = WarpLut::kNoWarp;  ///< a warp that some of them joined
    std::uint32_t made = WarpLut::kNoWarp;    ///< a new one
  };
  /// The threads of a warp that come to `pc` in one clock; they share no lane. `joins`: they may join a warp there.
  Entered enter(base::Pc pc, std::span<const simt::Slice> threads, bool joins = true);
  /// A warp that nobody joins.
  std::uint32_t make_static(base::Pc pc, simt::Slice threads);
  /// The warp has issued, or is gone.
  void remove(std::uint32_t warp);
  /// Nobody joins it any more.
  void close(std::uint32_t warp) { lut_.forget(warps_[warp].pc, warp); }
  void clear();

  [[nodiscard]] std::uint32_t size() const { return size_; }

  struct Stats {
    std::uint64_t made = 0;
    std::uint64_t joined = 0;    ///< threads
    std::uint64_t replaced = 0;  ///< LUT entries
    std::uint64_t look_ups = 0;  ///< of the LUT
    std::uint64_t most = 0;
  };
  Stats stats;

 private:
  std::uint32_t make(base::Pc pc);

  WarpLut lut_;
  std::deque<PoolWarp> warps_;  ///< a deque: answers refer to slices while others are made
  std::vector<std::uint32_t> free_;
  std::uint32_t size_ = 0;
};

}  // namespace heddle::compaction
