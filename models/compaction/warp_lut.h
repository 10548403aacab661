// The warp LUT of dynamic warp formation ([DWF], [DWF:S6]): for a PC the youngest warp of the pool that
// waits there, and which lanes it has. Set-associative, LRU.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/lane_mask.h"
#include "cache/tag_array.h"

namespace heddle::compaction {

class WarpLut {
 public:
  static constexpr std::uint32_t kNoWarp = ~0u;

  WarpLut(std::uint32_t entries, std::uint32_t ways)
      : tags_(entries / ways, ways, cache::lru_replacement().make({entries / ways, ways})),
        entries_(tags_.frames()) {}

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
    base::LaneMask occupancy;
    std::uint32_t warp = kNoWarp;
  };
  [[nodiscard]] std::uint32_t find(base::Pc pc) const { return tags_.find(pc.value(), pc.value()); }

  cache::TagArray tags_;  ///< PCs
  std::vector<Entry> entries_;
};

}  // namespace heddle::compaction
