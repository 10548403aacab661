// Can any resident lane ever exit? Explores all lanes that may run until a fixed point: what they read and
// write, which lanes they release, which barriers they complete.
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

/// Hypotheses by which a hang is classified.
struct WhatIf {
  bool held_lanes_run = false;     ///< the control-flow mechanism blocked no lane
  bool starved_lanes_run = false;  ///< the schedulers eventually chose every lane
  bool waiting_lanes_run = false;  ///< barriers and .sync instructions let every lane pass
  std::vector<Word> any;           ///< these words may have any value
  std::vector<LaneRef> only;       ///< not empty: only these lanes run, and no lane is released
  bool stop_at_first = false;      ///< stop at the first lane that leaves
  bool try_harder = false;         ///< lanes that seem to leave are explored with more precision
  bool skip_repeated = false;  ///< lanes that repeated their state need no exploration: memory stays as it is
};

struct Exploration {
  bool complete = false;  ///< the exploration was not cut short by its limits
  /// Lanes that may exit, fault or do something that is not modelled.
  std::vector<LaneRef> leaving;
  /// By warp, then lane: whether the lane may run, and what it may do.
  struct Lane {
    bool active = false;
    bool let_go = false;  ///< it was not running when the snapshot was taken
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
  /// Warp whose lanes are explored first: one with lanes that left last time.
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
  [[nodiscard]] bool released(const Work& work, std::uint32_t warp, const HeldLanes& held) const;
  void activate(Work& work, std::uint32_t warp, LaneMask lanes, Pc at) const;

  const Snapshot& snapshot_;
  ValueTable values_;
  LaneExplorer explorer_;
  std::vector<std::vector<std::uint32_t>> warps_of_cta_;
  std::optional<std::uint64_t> first_;
};

}  // namespace heddle::hang
