// Loads outside of transactions that are under way: a tx_begin waits for those of its warp, or of its split, because
// registers are saved when they have their values (register_checkpoint.h).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/lane_mask.h"

namespace heddle::tm {

class PlainLoads {
 public:
  /// `by_lane`: lanes of a warp run apart.
  PlainLoads(std::size_t warps, bool by_lane) : by_lane_(by_lane), warps_(warps) {}

  void issued(base::WarpId id, base::LaneMask lanes) {
    Warp& of = warps_[id.value()];
    ++of.loads;
    if (by_lane_) lanes.for_each([&](unsigned lane) { ++of.of_lane[lane]; });
  }
  void ended(base::WarpId id, base::LaneMask lanes) {
    Warp& of = warps_[id.value()];
    --of.loads;
    if (by_lane_) lanes.for_each([&](unsigned lane) { --of.of_lane[lane]; });
  }
  [[nodiscard]] bool any(base::WarpId id) const { return warps_[id.value()].loads != 0; }
  /// With `by_lane`.
  [[nodiscard]] bool any(base::WarpId id, base::LaneMask lanes) const {
    bool found = false;
    lanes.for_each([&](unsigned lane) { found = found || warps_[id.value()].of_lane[lane] != 0; });
    return found;
  }

 private:
  struct Warp {
    std::uint32_t loads = 0;
    std::array<std::uint32_t, base::kLanes> of_lane{};
  };
  bool by_lane_;
  std::vector<Warp> warps_;
};

}  // namespace heddle::tm
