// CTA dispatcher: hands the CTAs of a launch to cores with room, each cycle at most one per core. Which CTA goes
// where is the policy's (cta_dispatch_policy.h). Runs after the cores of the same instant (clock rank kSystem), so
// completions seen in a cycle do not depend on the order in which cores ran.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <systemc>
#include <vector>

#include "base/stats.h"
#include "core/cta/cta_dispatch_policy.h"
#include "core/cta/launch_group.h"
#include "core/protocols/cta_protocol.h"
#include "sim/block_socket.h"
#include "sim/clock.h"
#include "sim/fault_latch.h"

namespace heddle::core {

class CtaDispatcher : public sc_core::sc_module {
 public:
  /// What goes wrong in a cycle, in the policy or in a core that starts a CTA, goes to `faults`. `instead`: of the
  /// policy that `config` selects.
  CtaDispatcher(const sc_core::sc_module_name& name, const DispatchConfig& config, std::uint32_t cores,
                sim::ClockDomain& clock, sim::FaultLatch& faults, base::StatGroup& stats,
                std::unique_ptr<CtaDispatchPolicy> instead = nullptr);

 private:
  void serve_done(CtaDone& done);

 public:
  using DoneTarget = sim::BlockTarget<CtaDoneProtocol, CtaDispatcher, &CtaDispatcher::serve_done>;
  std::vector<std::unique_ptr<CtaPort>> cta_isocks;      ///< one per core
  std::vector<std::unique_ptr<DoneTarget>> done_tsocks;  ///< one per core

  /// Starts a launch; `launch` must outlive it. Simulation then runs until on_finished.
  void begin(const LaunchContext* launch);
  /// Starts launches that may run at the same time (launch_group.h), which outlive it. `on_left`: LaunchGroup::on_left.
  void begin_together(std::vector<GroupedLaunch>& launches,
                      std::function<void(std::size_t core, std::size_t launch)> on_left);
  /// nullptr: there is one launch, or none.
  [[nodiscard]] const LaunchGroup* group() const { return group_ ? &*group_ : nullptr; }
  /// The cycles in which CTAs of the next launch are done, in order, go to `cycles`, until it ends.
  void note_done(std::vector<Cycle>* cycles) { done_cycles_ = cycles; }
  /// The launch ends as it is, between two instants: cores account for their time up to now. Nothing may run
  /// after it.
  void abandon();
  /// Called in the dispatcher's process when the last CTA is done.
  std::function<void()> on_finished;

  /// All CTAs are done, and for the policy the launch may end: may it? Asked whenever the dispatcher runs; empty: yes.
  std::function<bool()> may_end;
  /// It runs in the next cycle.
  void ask() { clock_.wake(); }

  /// Whether cores may run ahead of what the dispatcher does when one of them is done with a CTA (sim/windows.h).
  [[nodiscard]] bool lets_run_ahead() const { return waiting() == 0 || policy_->fills_freed_room_only(); }

  /// Cycles that pass at least from one in which it may start CTAs to the end of the launch, for those that wait: each core
  /// gets one a cycle, and `exits` threads of a core exit in a cycle. 0: none waits.
  [[nodiscard]] Cycle least_cycles_left(std::uint64_t exits) const {
    if (waiting() == 0) return 0;
    const std::uint64_t cores = cta_isocks.size();
    return (waiting() + cores - 1) / cores + (threads_per_cta_ + exits - 1) / exits;
  }

  [[nodiscard]] std::uint64_t done() const { return done_; }
  [[nodiscard]] std::uint64_t waiting() const { return group_ ? group_->waiting() : total_ - given_; }
  [[nodiscard]] Cycle begin_cycle() const { return begin_cycle_; }
  [[nodiscard]] Cycle end_cycle() const { return end_cycle_; }
  /// In which the last CTA so far has started.
  [[nodiscard]] Cycle last_start() const { return last_start_; }

 private:
  void tick();
  void dispatch();
  void dispatch_group();
  void end(Cycle cycle);
  /// Asks all cores how much room they have.
  void ask_cores();
  void start(const CtaChoice& choice);
  /// Throws std::logic_error if the policy may not choose that.
  void check(const CtaChoice& choice);

  sim::ClockMember clock_;
  sim::FaultLatch& faults_;
  std::uint64_t total_ = 0;      ///< CTAs of the launch; policies number them from 0
  std::uint64_t first_cta_ = 0;  ///< the grid's number of the first one
  std::uint64_t threads_per_cta_ = 0;
  std::uint64_t given_ = 0;  ///< CTAs that have started
  std::uint64_t done_ = 0;
  std::string policy_name_;
  DispatchConfig config_;
  std::optional<LaunchGroup> group_;
  std::unique_ptr<CtaDispatchPolicy> policy_;
  std::vector<std::uint32_t> room_;  ///< by core, as the policy is told
  // Which CTAs have started: all before `first_waiting_`, and these.
  std::uint64_t first_waiting_ = 0;
  std::set<std::uint64_t> ahead_;
  std::uint32_t overhead_cycles_;
  Cycle first_start_ = 0;  ///< no CTA starts before
  Cycle begin_cycle_ = 0;
  Cycle end_cycle_ = 0;
  Cycle last_start_ = 0;
  std::vector<Cycle>* done_cycles_ = nullptr;  ///< nullptr: nobody wants them
  /// A core that has run ahead: CTAs that will be done. It gets no other one before.
  struct alignas(64) Ahead {
    std::deque<CtaDone> done;
  };
  std::vector<Ahead> ahead_done_;  ///< by core
  std::uint64_t started_ = 0;
  std::uint64_t counted_overhead_ = 0;
};

}  // namespace heddle::core
