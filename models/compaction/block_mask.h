// Threads of a block (CTA) as a mask: lane l of static warp w. What is stored per lane in hardware, W groups of S bits
// ([TBC] §3.3.2), is kept per static warp here.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/lane_mask.h"

namespace heddle::compaction {

inline constexpr unsigned kMostWarps = 32;  ///< S of the largest block: 1024 threads

class BlockMask {
 public:
  [[nodiscard]] base::LaneMask& operator[](unsigned warp) { return lanes_[warp]; }
  [[nodiscard]] base::LaneMask operator[](unsigned warp) const { return lanes_[warp]; }

  [[nodiscard]] bool none() const {
    return std::all_of(lanes_.begin(), lanes_.end(), [](base::LaneMask lanes) { return lanes.none(); });
  }
  [[nodiscard]] bool any() const { return !none(); }
  /// Threads.
  [[nodiscard]] std::uint32_t count() const {
    std::uint32_t threads = 0;
    for (const base::LaneMask lanes : lanes_) threads += lanes.count();
    return threads;
  }
  /// Static warps with threads in it.
  [[nodiscard]] std::uint32_t static_warps() const {
    return static_cast<std::uint32_t>(
        std::count_if(lanes_.begin(), lanes_.end(), [](base::LaneMask lanes) { return lanes.any(); }));
  }
  [[nodiscard]] bool contains(const BlockMask& other) const {
    for (unsigned warp = 0; warp < kMostWarps; ++warp)
      if (!lanes_[warp].contains(other.lanes_[warp])) return false;
    return true;
  }
  bool operator==(const BlockMask&) const = default;
  BlockMask& operator|=(const BlockMask& other) {
    for (unsigned warp = 0; warp < kMostWarps; ++warp) lanes_[warp] |= other.lanes_[warp];
    return *this;
  }
  BlockMask& operator&=(const BlockMask& other) {
    for (unsigned warp = 0; warp < kMostWarps; ++warp) lanes_[warp] &= other.lanes_[warp];
    return *this;
  }
  friend BlockMask operator&(BlockMask a, const BlockMask& b) { return a &= b; }
  BlockMask& remove(const BlockMask& other) {
    for (unsigned warp = 0; warp < kMostWarps; ++warp)
      lanes_[warp] = base::LaneMask::difference(lanes_[warp], other.lanes_[warp]);
    return *this;
  }

 private:
  std::array<base::LaneMask, kMostWarps> lanes_;
};

}  // namespace heddle::compaction
