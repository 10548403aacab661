// Can any resident lane ever exit? Explores all lanes that may run until a fixed point: what they read and
// write, which lanes they release, which barriers they complete.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
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

struct Exploration;

/// Hypotheses by which a hang is classified.
struct WhatIf {
  /// Instructions after which the exploration gives up.
  static constexpr std::uint64_t kMostSteps = 40'000'000;

  bool held_lanes_run = false;     ///< the control-flow mechanism blocked no lane
  bool starved_lanes_run = false;  ///< the schedulers eventually chose every lane
  bool waiting_lanes_run = false;  ///< barriers and .sync instructions let every lane pass
  bool stop_at_first = false;      ///< stop at the first lane that leaves
  bool try_harder = false;         ///< lanes that seem to leave are explored with more precision
  bool skip_repeated = false;  ///< lanes that repeated their state need no exploration: memory stays as it is
  std::size_t ctas = 0;        ///< only lanes of so many CTAs run; 0: of all
  std::uint64_t most_steps = kMostSteps;
  /// Stop when that is true of a lane that has been explored; may be empty.
  std::function<bool(const Exploration&, const LaneRef&)> enough;
};

struct Exploration {
  bool complete = false;  ///< the exploration was not cut short
  bool cut = false;       ///< it was, since it took too many steps
  bool enough = false;    ///< it was, since WhatIf::enough holds
  /// Lanes that may exit, fault or do something that is not modelled.
  std::vector<LaneRef> leaving;
  /// By warp, then lane: whether the lane may run, and what it may do.
  struct Lane {
    bool active = false;
    bool let_go = false;  ///< it was not running when the snapshot was taken
    Pc start{};
    std::shared_ptr<const LaneOutcome> found;  ///< null: it has not been explored
    [[nodiscard]] const LaneOutcome& outcome() const {
      static const LaneOutcome nothing;
      return found ? *found : nothing;
    }
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
  /// Whether a lane that runs might leave if these words could have any value and nobody held it up.
  [[nodiscard]] bool frees(const LaneRef& ref, const std::vector<Word>& words);
  /// Kinds of CTAs that there are, by what their lanes do (see WhatIf::ctas).
  [[nodiscard]] std::size_t kinds() const { return kinds_; }
  /// Warp whose lanes are explored first: one with lanes that left last time.
  void look_first_at(std::uint64_t linear_warp) { first_ = linear_warp; }
  [[nodiscard]] std::uint64_t steps() const { return explorer_.steps(); }
  [[nodiscard]] LaneExplorer& explorer() { return explorer_; }
  [[nodiscard]] ValueTable& values() { return values_; }

 private:
  struct Work;
  void order_ctas();
  void start(Work& work) const;
  void explore_lanes(Work& work);
  void explore_again(Work& work) const;
  [[nodiscard]] bool may_pass(const Work& work, const LaneRef& ref, const Arrival& arrival);
  [[nodiscard]] bool let_go(Work& work);
  [[nodiscard]] bool let_held_go(Work& work, std::uint32_t warp);
  [[nodiscard]] bool open_barriers(Work& work);
  [[nodiscard]] bool open_barrier(Work& work, std::uint32_t cta, std::uint32_t barrier);
  [[nodiscard]] bool let_waiting_go(Work& work, std::uint32_t warp);
  [[nodiscard]] bool comes_to_any(const Work& work, std::uint32_t warp, const SuspendedLanes& held) const;
  [[nodiscard]] bool released(const Work& work, std::uint32_t warp, const SuspendedLanes& held) const;
  void activate(Work& work, std::uint32_t warp, LaneMask lanes, Pc at) const;

  const Snapshot& snapshot_;
  ValueTable values_;
  LaneExplorer explorer_;
  std::vector<std::vector<std::uint32_t>> warps_of_cta_;
  std::vector<std::uint32_t> ctas_;  ///< in the order in which they are taken: those of different kinds first
  std::size_t kinds_ = 0;
  std::vector<std::uint32_t> returns_;  ///< PCs
  std::optional<std::uint64_t> first_;
};

}  // namespace heddle::hang
