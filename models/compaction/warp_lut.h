// The warp LUT of dynamic warp formation ([DWF], [DWF:S6]): for a PC the youngest warp of the pool that
// waits there, and which lanes it has. Set-associative, LRU.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/lane_mask.h"

namespace heddle::compaction {

class WarpLut {
 public:
  static constexpr std::uint32_t kNoWarp = ~0u;

  WarpLut(std::uint32_t entries, std::uint32_t ways)
      : ways_(ways), sets_(entries / ways), entries_(std::size_t{sets_} * ways) {}

  struct Request {
    base::Pc pc{};
    base::LaneMask lanes;  ///< of incoming threads
  };
  struct Answer {
    std::uint32_t warp = kNoWarp;  ///< of the pool, which `joins` enter
    base::LaneMask joins;          ///< lanes that it has free
    base::LaneMask rest;           ///< these need a new warp: point() says which
  };
  /// Looks for a warp that threads may join, and marks their lanes as taken.
  Answer request(const Request& request);
  /// A new warp at the PC: the next ones join it. `replaced`: another PC lost its entry.
  void point(base::Pc pc, std::uint32_t warp, base::LaneMask lanes, bool& replaced);
  /// The warp is in the pool no more.
  void forget(base::Pc pc, std::uint32_t warp);
  void clear();

 private:
  struct Entry {
    bool valid = false;
    base::Pc pc{};
    base::LaneMask occupancy;
    std::uint32_t warp = kNoWarp;
    std::uint64_t used = 0;
  };
  [[nodiscard]] Entry* find(base::Pc pc);
  [[nodiscard]] Entry* set_of(base::Pc pc) {
    return entries_.data() + std::size_t{pc.value() % sets_} * ways_;
  }

  std::uint32_t ways_;
  std::uint32_t sets_;
  std::vector<Entry> entries_;
  std::uint64_t uses_ = 0;
};

}  // namespace heddle::compaction
