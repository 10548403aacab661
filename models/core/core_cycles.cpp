#include "core/core_cycles.h"

#include <utility>

namespace heddle::core {

void CoreCycles::declare(base::StatGroup& issue) {
  // A sleeping core's counters are brought up to the present when somebody reads them during a launch (--sample).
  issue.before_reading([this] {
    if (running_) sleep_until(state_.services.clock.cycle());
  });
  issue.counter("cycles", "core cycles", "length of the launch", &cycles_);
  issue.counter("resident_cycles", "core cycles", "cycles with at least one warp on the core",
                &resident_cycles_);
  issue.counter("group_cycles", "group-cycles",
                "issue groups (a warp, or a part of one that runs by itself) present, summed over cycles; "
                "divided by cycles x warp slots: the achieved occupancy",
                &group_cycles_);
  issue.counter("active_cycles", "core cycles", "cycles in which the core had something to do",
                &active_cycles_);
}

void CoreCycles::sleep_until(Cycle until) {
  if (until <= last_) return;
  const Cycle skipped = until - last_;
  issue_.account_idle(skipped, until);
  cycles_ += skipped;
  active_cycles_ += std::exchange(next_is_active_, false) ? 1 : 0;
  group_cycles_ += state_.groups.present() * skipped;
  if (ctas_.resident() != 0) resident_cycles_ += skipped;
  last_ = until;
}

void CoreCycles::up_to_now() {
  state_.now = state_.services.clock.cycle();
  if (state_.now != 0) sleep_until(state_.now - 1);
}

}  // namespace heddle::core
