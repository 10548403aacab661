// Lanes of a warp that wait for each other at .sync instructions (vote, shfl, match, redux, bar.warp.sync): a
// lane goes on when all lanes of its member mask that have not exited have come to the same instruction with
// the same mask. "The same" is the operation with its qualifiers, wherever in the code it stands (PTX ISA: "until all
// non-exited threads corresponding to membermask have executed shfl.sync with the same qualifiers and same
// membermask value"). As long as the lanes of a warp are together nobody waits.
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
    std::uint64_t operation = 0;  ///< Instruction::immediate: lanes meet that execute the same one
    LaneMask lanes;               ///< all of the split, those that its guard keeps away included
  };
  /// Lanes that have come to `pc`.
  struct Place {
    Pc pc{};
    LaneMask lanes;
  };
  /// Lanes that execute their instructions together; one place unless they have met from several.
  struct Meeting {
    std::vector<Place> places;
    LaneMask lanes;
  };

  /// Lanes `lanes` that name `members[lane]` wait for nobody else: no live lane is missing, or names others.
  [[nodiscard]] static bool all_here(LaneMask lanes, LaneMask live,
                                     const std::array<std::uint32_t, kLanes>& members);

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
  /// The member masks of `lanes` that wait, each once, in the order of their first lanes.
  [[nodiscard]] std::vector<std::uint32_t> members(WarpId warp, LaneMask lanes) const;

 private:
  struct Warp {
    std::vector<Split> splits;
    bool postponed = false;
    LaneMask lanes;  ///< that have arrived and not met
    std::array<Pc, kLanes> pc{};
    std::array<std::uint64_t, kLanes> operation{};
    std::array<std::uint32_t, kLanes> members{};
  };
  /// The waiting lanes that lane `lane` could meet.
  [[nodiscard]] static LaneMask alike(const Warp& warp, unsigned lane);
  /// Where `lanes` wait, by their first lanes.
  [[nodiscard]] static std::vector<Place> places_of(const Warp& warp, LaneMask lanes);

  std::vector<Warp> warps_;
  std::vector<Meeting> complete_;
};

}  // namespace heddle::core
