// Launches that are on the GPU at the same time: which of them a core runs CTAs of.
//
// A core has CTAs of one launch at a time. The older launch comes first: its dispatch policy is offered the cores that run it, and
// those that are empty and run none that has CTAs to give; what it leaves, the next launch is offered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "core/cta/cta_dispatch_policy.h"
#include "core/protocols/cta_protocol.h"

namespace heddle::core {

struct GroupedLaunch {
  const LaunchContext* launch = nullptr;
  std::uint32_t ctas_per_core = 0;  ///< that fit on an empty one
  Cycle ready = 0;                  ///< from the beginning of the group: it does not begin before, ...
  std::vector<std::size_t> after;   ///< ... nor before these have ended ...
  Cycle behind = 0;                 ///< ... so long ago
  // What it has done.
  Cycle begin = 0, end = 0;  ///< from what a profiler counts its cycles
  std::uint64_t done = 0;    ///< CTAs
};

class LaunchGroup {
 public:
  using Cores = std::vector<std::unique_ptr<CtaPort>>;
  using MakePolicy = std::function<std::unique_ptr<CtaDispatchPolicy>()>;

  /// `launches` outlives the group, which says there what they have done. `overhead`: cycles of a launch before its first CTA starts.
  LaunchGroup(std::vector<GroupedLaunch>& launches, Cores& cores, Cycle now, Cycle overhead,
              const MakePolicy& make);

  /// A core has left the launch of that number, whose CTAs it has run.
  std::function<void(std::size_t core, std::size_t launch)> on_left;

  /// Gives what there is room for. `held`: the core is done with a CTA of which the dispatcher has not heard yet. When it has to be
  /// called again at the latest.
  Cycle dispatch(Cycle now, const std::function<bool(std::size_t core)>& held);
  void done(const CtaDone& done);
  /// Ends it, finished or not.
  void end(Cycle now);

  [[nodiscard]] bool finished() const { return ended_ == grids_.size(); }
  /// CTAs that have started.
  [[nodiscard]] std::uint64_t started() const { return started_; }
  /// CTAs that have not, of the launches that have begun.
  [[nodiscard]] std::uint64_t waiting() const;
  /// Launches that have begun and not ended.
  [[nodiscard]] std::size_t active() const;
  /// Whether a launch begins although none of those that have begun ends.
  [[nodiscard]] bool will_begin() const;
  /// The one that has begun first of these, or else the first.
  [[nodiscard]] const LaunchContext* oldest() const;
  [[nodiscard]] const LaunchContext* launch_of(std::size_t core) const {
    return grids_[owner_[core]].of->launch;
  }

 private:
  struct Grid {
    GroupedLaunch* of = nullptr;
    std::unique_ptr<CtaDispatchPolicy> policy;
    bool begun = false, ended = false;
    std::optional<Cycle> first_start;  ///< once it has begun
    std::uint64_t total = 0, first_cta = 0, given = 0, first_waiting = 0;
    std::set<std::uint64_t> ahead;  ///< that have started behind it
  };
  /// When it may begin; kNever: it is not known yet.
  [[nodiscard]] Cycle may_begin(const Grid& grid) const;
  /// Whether something of the launch has started in this cycle.
  bool give(std::size_t number, Cycle now);
  void start(std::size_t number, const CtaChoice& choice, Cycle now);
  void leave(std::size_t core);
  void end_if_done(Grid& grid, Cycle now);

  Cores& cores_;
  Cycle began_, overhead_;
  std::vector<Grid> grids_;
  std::vector<std::size_t> owner_;        ///< by core
  std::vector<std::uint32_t> resident_;   ///< CTAs, by core
  std::vector<std::uint32_t> room_;       ///< as a policy is told
  std::vector<std::uint8_t> got_, held_;  ///< in this cycle
  std::size_t ended_ = 0;
  std::uint64_t started_ = 0;
};

}  // namespace heddle::core
