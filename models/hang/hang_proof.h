// Can any resident lane ever end? Explores all lanes that may run until nothing new is found: what they read
// and write, whom they let go, which barriers they complete.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "hang/abstract_memory.h"
#include "hang/lane_explorer.h"
#include "hang/snapshot.h"
#include "hang/value_table.h"

namespace heddle::hang {

struct LaneRef {
  std::uint32_t warp = 0;  ///< index into Snapshot::warps
  unsigned lane = 0;
  auto operator<=>(const LaneRef&) const = default;
};

/// What would happen if ...: the questions by which a hang is classified.
struct WhatIf {
  bool held_lanes_run = false;     ///< the control-flow mechanism held nobody back
  bool starved_lanes_run = false;  ///< the schedulers chose everybody in the end
  bool waiting_lanes_run = false;  ///< barriers and .sync instructions let everybody through
  std::vector<Word> any;           ///< these words may have any value
  std::vector<LaneRef> only;       ///< not empty: just these lanes run, and nobody is let go
  bool stop_at_first = false;      ///< one lane that leaves is answer enough
  bool try_harder = false;         ///< lanes that seem to leave are looked at with more precision
  bool skip_repeated = false;  ///< lanes that repeated their state need no exploration: memory stays as it is
};

struct Exploration {
  bool complete = false;  ///< nothing was left out for want of time
  /// Lanes that may end, fault or do what is not followed.
  std::vector<LaneRef> leaving;
  /// By warp, then lane: whether the lane may run, and what it may do.
  struct Lane {
    bool active = false;
    bool let_go = false;  ///< it did not run when the snapshot was taken
    Pc start{};
    LaneOutcome outcome;
  };
  std::vector<std::array<Lane, kLanes>> lanes;
  std::set<Word> changed;  ///< words that may get new values

  [[nodiscard]] const Lane& at(const LaneRef& ref) const { return lanes[ref.warp][ref.lane]; }
  [[nodiscard]] bool nobody_leaves() const { return complete && leaving.empty(); }
};

class HangProof {
 public:
  explicit HangProof(const Snapshot& snapshot);

  [[nodiscard]] Exploration explore(const WhatIf& what_if = {});
  /// Lanes of the warp to look at first: those that left last time.
  void look_first_at(std::uint64_t linear_warp) { first_ = linear_warp; }
  [[nodiscard]] std::uint64_t steps() const { return explorer_.steps(); }
  [[nodiscard]] LaneExplorer& explorer() { return explorer_; }
  [[nodiscard]] ValueTable& values() { return values_; }

 private:
  struct Work;
  void start(Work& work) const;
  void explore_lanes(Work& work);
  [[nodiscard]] bool may_pass(const Work& work, const LaneRef& ref, const Arrival& arrival);
  [[nodiscard]] bool let_go(Work& work);
  [[nodiscard]] bool let_held_go(Work& work, std::uint32_t warp);
  [[nodiscard]] bool open_barriers(Work& work);
  [[nodiscard]] bool open_barrier(Work& work, std::uint32_t cta, std::uint32_t barrier);
  [[nodiscard]] bool let_waiting_go(Work& work, std::uint32_t warp);
  [[nodiscard]] bool comes_to_any(const Work& work, std::uint32_t warp, const HeldLanes& held) const;
  void activate(Work& work, std::uint32_t warp, LaneMask lanes, Pc at) const;

  const Snapshot& snapshot_;
  ValueTable values_;
  LaneExplorer explorer_;
  std::vector<std::vector<std::uint32_t>> warps_of_cta_;
  std::optional<std::uint64_t> first_;
};

}  // namespace heddle::hang
