// The cycles of a core: how many there were, in how many it was evaluated, and those that it slept through, which are charged to
// the causes to which they would have been charged. Core cycles.
#pragma once

#include <cstdint>

#include "base/stats.h"
#include "core/cta/cta_launcher.h"
#include "core/issue/issue_stage.h"
#include "core/state/core_state.h"

namespace heddle::core {

class CoreCycles {
 public:
  CoreCycles(CoreState& state, IssueStage& issue, const CtaLauncher& ctas)
      : state_(state), issue_(issue), ctas_(ctas) {}
  void declare(base::StatGroup& issue);

  /// A launch has begun in cycle `now`: what was before it is nobody's.
  void begin_launch(Cycle now) {
    last_ = now;
    next_is_active_ = false;
    running_ = true;
  }
  /// It ends with the present cycle: what comes behind it is nobody's.
  void end_launch() {
    sleep_until(state_.services.clock.cycle());
    running_ = false;
  }
  /// A launch of that many cycles has passed without this core.
  void rest(Cycle cycles) {
    issue_.rest(cycles);
    cycles_ += cycles;
  }
  /// Cycle `now` is evaluated; those before it were slept through.
  void evaluate(Cycle now) {
    sleep_until(now - 1);
    last_ = now;
    next_is_active_ = false;
    ++cycles_;
    if (ctas_.resident() != 0) ++resident_cycles_;
    ++active_cycles_;
  }
  /// The core has something to do in the next cycle, of which it knows how it ends: it may sleep through it.
  void next_is_active() { next_is_active_ = true; }
  /// In the cycle that is evaluated, before something issues.
  void count_groups() { group_cycles_ += state_.groups.present(); }
  /// The core slept up to and including cycle `until`. Something changes behind it.
  void sleep_until(Cycle until);
  /// Something changes in the present cycle, which may still be evaluated: those before it are charged as they were.
  void up_to_now();

 private:
  CoreState& state_;
  IssueStage& issue_;
  const CtaLauncher& ctas_;
  bool running_ = false;  ///< a launch
  bool next_is_active_ = false;
  Cycle last_ = 0;  ///< cycles up to and including this one are accounted
  std::uint64_t cycles_ = 0;
  std::uint64_t active_cycles_ = 0;
  std::uint64_t resident_cycles_ = 0;
  std::uint64_t group_cycles_ = 0;
};

}  // namespace heddle::core
