// Lanes of a warp that wait for each other at .sync instructions (vote, shfl, match, redux, bar.warp.sync): a
// lane goes on when all lanes of its member mask that have not exited have come to the same instruction with
// the same mask (PTX ISA). Only where lanes of a warp run apart (AWARE, Multi-Path) does anybody wait: with a
// time-out, for one, lanes leave their reconvergence point one by one.
//
// "The same instruction" is one place in the code here; bar.warp.sync, which has no result, may be in
// several. The PTX ISA also lets lanes meet that execute like instructions in different places.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/lane_mask.h"

namespace heddle::core {

using base::kLanes;
using base::LaneMask;
using base::Pc;
using base::WarpId;

class WarpSync {
 public:
  explicit WarpSync(std::uint32_t warps) : warps_(warps) {}

  /// Lanes that arrived together and go on together.
  struct Split {
    Pc pc{};
    bool anywhere = false;  ///< bar.warp.sync: meets lanes at another one, too
    LaneMask lanes;         ///< all of the split, those that its guard keeps away included
  };
  /// Lanes that have all come to `pc` and execute it together.
  struct Meeting {
    Pc pc{};
    LaneMask lanes;
  };

  /// `arriving` lanes of the split, which was not here, name the lanes `members[lane]`, themselves included.
  void arrive(WarpId warp, const Split& split, LaneMask arriving,
              const std::array<std::uint32_t, kLanes>& members);
  [[nodiscard]] bool any(WarpId warp) const { return !warps_[warp.value()].splits.empty(); }
  /// What can be executed now; `live`: lanes of the warp that have not exited. Valid until the next call.
  [[nodiscard]] const std::vector<Meeting>& complete(WarpId warp, LaneMask live);
  /// What is complete cannot be executed before a write-back of the warp.
  void postpone(WarpId warp) { warps_[warp.value()].postponed = true; }
  [[nodiscard]] bool postponed(WarpId warp) const { return warps_[warp.value()].postponed; }
  /// The meeting has been executed.
  void met(WarpId warp, LaneMask lanes);
  /// Takes out a split none of whose lanes has to wait any more; false: there is none.
  [[nodiscard]] bool take_finished(WarpId warp, Split& split);
  /// Takes out those lanes of a split that have not to wait any more; false: there are none.
  [[nodiscard]] bool take_met(WarpId warp, Split& split);
  /// Of `lanes`, which wait: the live lanes they name that have not come.
  [[nodiscard]] LaneMask missing(WarpId warp, LaneMask lanes, LaneMask live) const;
  /// Lanes that wait, those that do for the rest of their split included.
  [[nodiscard]] LaneMask waiting(WarpId warp) const;

 private:
  struct Warp {
    std::vector<Split> splits;
    bool postponed = false;
    LaneMask lanes;  ///< that have arrived and not met
    std::array<Pc, kLanes> pc{};
    std::array<bool, kLanes> anywhere{};
    std::array<std::uint32_t, kLanes> members{};
  };
  /// The waiting lanes that lane `lane` could meet.
  [[nodiscard]] static LaneMask alike(const Warp& warp, unsigned lane);

  std::vector<Warp> warps_;
  std::vector<Meeting> complete_;
};

}  // namespace heddle::core
