// How far cores may run ahead of the rest of the GPU (sim/windows.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/core.h"
#include "core/cta/cta_dispatcher.h"
#include "memory/crossbar.h"
#include "sim/watchdog.h"
#include "sim/windows.h"

namespace heddle::gpu {

/// A core is reached by a response of the network, which takes the network's latency or is seen on its way; by the
/// dispatcher, watchdog and samples, which run in the system clock; and by nothing else, unless somebody says so
/// (forbid()).
class CoreLookahead final : public sim::Lookahead {
 public:
  CoreLookahead(memory::Crossbar& crossbar, const core::CtaDispatcher& dispatcher, const sim::Watchdog& watchdog,
                const sim::ClockDomain& system_clock, const std::vector<std::unique_ptr<core::Core>>& cores)
      : crossbar_(crossbar),
        dispatcher_(dispatcher),
        watchdog_(watchdog),
        system_clock_(system_clock),
        cores_(cores) {}

  /// All cores run cycle by cycle, one after another, in every launch or in the next one. `why`: the key or option, for
  /// reports; empty: they may run ahead.
  void forbid(std::string why) {
    if (of_machine_.empty()) of_machine_ = std::move(why);
  }
  void forbid_in_launch(std::string why) {
    of_launch_ = std::move(why);
    if (seen_.empty()) seen_ = of_launch_;
  }
  /// The first reason so far; empty: there was none.
  [[nodiscard]] const std::string& forbidden() const { return of_machine_.empty() ? seen_ : of_machine_; }

  std::uint64_t begin_window(std::uint64_t floor) override {
    if (!of_machine_.empty() || !of_launch_.empty() || watchdog_.looks() || !dispatcher_.lets_run_ahead()) return floor;
    floor_ = floor;
    return std::min(system_clock_.next_wanted_time(), crossbar_.begin_window(floor));
  }
  /// Without a CTA a core may outlive the launch, which ends when the last core is done with its own.
  std::uint64_t reach(unsigned core) override {
    return cores_[core]->has_ctas() ? crossbar_.reach(core) : floor_;
  }

 private:
  memory::Crossbar& crossbar_;
  const core::CtaDispatcher& dispatcher_;
  const sim::Watchdog& watchdog_;
  const sim::ClockDomain& system_clock_;
  const std::vector<std::unique_ptr<core::Core>>& cores_;
  std::string of_machine_, of_launch_, seen_;
  std::uint64_t floor_ = 0;
};

}  // namespace heddle::gpu
