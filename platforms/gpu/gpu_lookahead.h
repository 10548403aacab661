// How far cores and memory partitions may run ahead of the rest of the GPU (sim/windows.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/core.h"
#include "core/cta/cta_dispatcher.h"
#include "memory/crossbar.h"
#include "sim/watchdog.h"
#include "sim/windows.h"

namespace heddle::gpu {

/// Processes: the cores, then the partitions. One is reached by a packet of the network, which takes the network's latency
/// or is seen on its way; by the dispatcher, watchdog and samples, which run in the system clock; and by nothing else,
/// unless somebody says so (forbid()).
///
/// A launch ends with the last of its CTAs, and nothing may have run beyond that. So partitions and cores without CTAs run
/// only as far as some core needs at least for its own (it goes on at its next edge or when the network reaches it, and every
/// thread that lives has yet to exit), or the CTAs that wait need to start and to exit.
class GpuLookahead final : public sim::Lookahead {
 public:
  GpuLookahead(memory::Crossbar& crossbar, const core::CtaDispatcher& dispatcher,
               const sim::Watchdog& watchdog, const sim::ClockDomain& system_clock,
               const std::vector<std::unique_ptr<core::Core>>& cores)
      : crossbar_(crossbar),
        dispatcher_(dispatcher),
        watchdog_(watchdog),
        system_clock_(system_clock),
        cores_(cores) {}
  /// Before anything runs. `l2_service`: see memory::Crossbar::run_ahead().
  void bind(sim::Windows& windows, std::uint64_t l2_service) {
    windows_ = &windows;
    crossbar_.run_ahead(windows, l2_service);
  }

  /// All run edge by edge, one after another, from now on.
  void forbid() { forbidden_ = true; }
  /// A launch begins; `forbidden`: the same in it.
  void begin_launch(bool forbidden) { forbidden_in_launch_ = forbidden; }

  sim::Turn begin_window(sim::Turn floor) override {
    if (!lets_run_ahead() || !dispatcher_.lets_run_ahead()) return floor;
    floor_ = floor;
    launch_end_.reset();
    end_ = std::min(system_clock_.next_turn(), crossbar_.begin_window(floor));
    return end_;
  }
  sim::Turn reach(unsigned process) override {
    const auto cores = static_cast<unsigned>(cores_.size());
    if (process >= cores)
      return std::min({end_, launch_end(), crossbar_.reach_of_partition(process - cores)});
    const sim::Turn reach = std::min(system_clock_.next_turn(), crossbar_.reach_of_core(process));
    return cores_[process]->has_ctas() ? reach : std::min({end_, launch_end(), reach});
  }
  void end_windows() override { crossbar_.end_windows(); }
  /// The watchdog's looks are long: cores need not leave and enter their windows for each edge meanwhile.
  [[nodiscard]] bool lets_run_ahead() const override {
    return !forbidden_ && !forbidden_in_launch_ && !watchdog_.looks();
  }

 private:
  /// Before this turn the launch does not end.
  [[nodiscard]] sim::Turn launch_end() {
    if (!launch_end_) launch_end_ = earliest_end();
    return *launch_end_;
  }
  [[nodiscard]] sim::Turn earliest_end() {
    std::uint64_t end = sim::time_of(floor_);
    if (const base::Cycle cycles = dispatcher_.least_cycles_left(cores_.front()->exits_per_cycle());
        cycles != 0)
      end += system_clock_.edge_time(cycles - 1);
    // Mostly the core that was enough in the window before is enough.
    const auto count = static_cast<unsigned>(cores_.size());
    unsigned core = enough_;
    for (unsigned n = 0; n < count && end < sim::time_of(end_);
         ++n, core = core + 1 == count ? 0 : core + 1) {
      const base::Cycle cycles = cores_[core]->least_cycles_left();
      if (cycles == 0) continue;
      // It goes on at its next edge or when it is reached.
      const sim::Turn goes_on = std::min(windows_->next_edge(core), crossbar_.reach_of_core(core));
      end = std::max(end, sim::time_of(goes_on) + system_clock_.edge_time(cycles - 1));
      enough_ = core;
    }
    return turn_before(end);
  }
  /// Edges are rounded.
  [[nodiscard]] static sim::Turn turn_before(std::uint64_t time) {
    return sim::turn_at(time - std::min<std::uint64_t>(time, 1), sim::ClockRank::kCore);
  }

  memory::Crossbar& crossbar_;
  const core::CtaDispatcher& dispatcher_;
  const sim::Watchdog& watchdog_;
  const sim::ClockDomain& system_clock_;
  const std::vector<std::unique_ptr<core::Core>>& cores_;
  const sim::Windows* windows_ = nullptr;
  // In this window.
  sim::Turn floor_ = 0;
  sim::Turn end_ = 0;
  std::optional<sim::Turn> launch_end_;  ///< once somebody has asked
  unsigned enough_ = 0;                  ///< core that was looked at last
  bool forbidden_ = false;
  bool forbidden_in_launch_ = false;
};

}  // namespace heddle::gpu
