// Where lanes of a warp wait that its mechanism runs apart (AWARE, Multi-Path), or that were sent out of their attempt: a split
// that comes to a tx_begin, tx_commit or tx_abort before its time waits there, as at a barrier, and executes it again later, so
// that other splits of the warp have their turn.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/lane_mask.h"

namespace heddle::tm {

class Splits {
 public:
  enum class Place : std::uint8_t {
    kBegin,  ///< in front of a tx_begin, until the warp is in no transaction and has a token
    kCommit,  ///< in the attempt, in front of the tx_commit, until all lanes of the attempt are there and it is decided
    kOutside,  ///< there, but returned from the attempt, until that is over
    kAbort,    ///< in front of a tx_abort, until the attempt's validation is over
  };

  explicit Splits(std::size_t warps) : warps_(warps) {}

  void wait(base::WarpId id, Place place, base::LaneMask lanes) { at(id, place) |= lanes; }
  void leave(base::WarpId id, Place place, base::LaneMask lanes) {
    at(id, place) = base::LaneMask::difference(at(id, place), lanes);
  }
  /// All leave the place: who they are.
  base::LaneMask leave_all(base::WarpId id, Place place) { return std::exchange(at(id, place), {}); }
  [[nodiscard]] base::LaneMask waiting(base::WarpId id, Place place) const {
    return warps_[id.value()][static_cast<unsigned>(place)];
  }

 private:
  [[nodiscard]] base::LaneMask& at(base::WarpId id, Place place) {
    return warps_[id.value()][static_cast<unsigned>(place)];
  }
  std::vector<std::array<base::LaneMask, 4>> warps_;  ///< by place
};

}  // namespace heddle::tm
