// BOWS: warps that have executed a spin-inducing branch are last in priority, and start their next attempt no sooner
// than the delay limit after the last one ([DDOS/BOWS] §6.2). It stands before the warp schedulers, whatever their
// policy is.
//
// With a clocked SIB table (timing: contract) SIBs are told when the cycle begins in which they are known, and a scheduler whose
// branch waits for the table issues no other backward branch.
//
// Hardware: per warp a bit BackedOff and a counter PendingDelay of 14 bits, per scheduler a queue of warps, per core the
// delay limit. The queue is searched within the scheduler's pick. A back-off is effective in the clock after its event.
#pragma once

#include <cstdint>
#include <systemc>
#include <utility>
#include <vector>

#include "base/index_set.h"
#include "base/stats.h"
#include "core/observe/trace.h"
#include "core/schedule/scheduler_interposer.h"
#include "sim/block_socket.h"
#include "spin/config.h"
#include "spin/protocols.h"

namespace heddle::spin {

class BackoffUnit : public core::SchedulerInterposer {
 public:
  /// Of a core with `schedulers`, warp slots `warps`, and `groups_per_warp` issue groups in each.
  struct Shape {
    std::uint32_t schedulers = 0;
    std::uint32_t warps = 0;
    std::uint32_t groups_per_warp = 0;
    base::CoreId core{};
    bool clocked_table = false;  ///< SIBs are told by kStep of `look_up_isock`,
    bool refuses = false;        ///< which may say that schedulers are busy
  };
  BackoffUnit(const sc_core::sc_module_name& name, const BowsConfig& config, Shape shape,
              base::StatGroup& stats);
  WindowPort window_isock{"window_isock"};
  /// A warp starts or ends.
  HistoryPort history_isock{"history_isock"};
  LookUpPort look_up_isock{"look_up_isock"};

 private:
  void spins(SpinEvent& event);

 public:
  sim::BlockTarget<SpinEventProtocol, BackoffUnit, &BackoffUnit::spins> spin_tsock{"spin_tsock", this};

  /// A launch begins. `trace`: null: nothing is recorded. `backward`: by PC: backward branches, if the table is clocked.
  void begin(core::TraceSink* trace, std::vector<bool> backward) {
    trace_ = trace;
    backward_ = std::move(backward);
  }
  [[nodiscard]] bool may_be_busy() const override { return refuses_; }

  /// For tests.
  [[nodiscard]] bool backed_off(WarpId warp) const { return lanes_[warp.value()].any(); }
  /// Cycles until the warp's next attempt may start.
  [[nodiscard]] Cycle pending_delay(WarpId warp, Cycle now) const;
  [[nodiscard]] std::uint32_t limit() const { return limit_; }

 private:
  struct Waiting {
    WarpId warp{};
    LaneMask lanes;
    Cycle since = 0;  ///< first cycle in which it counts
  };
  using Queue = std::vector<Waiting>;

  void serve(std::uint32_t scheduler, core::SchedulerRequest& request) override;
  void answer(std::uint32_t scheduler, core::SchedulerRequest& request);
  /// The clocked table: its cycle, and what it refuses.
  void step(std::uint32_t scheduler, core::SchedulerRequest& request);
  void pick(std::uint32_t scheduler, core::SchedulerRequest& request);
  /// Of the candidates that are no backward branches.
  void pick_admitted(std::uint32_t scheduler, core::SchedulerRequest& request);
  /// Whether the group's lanes have all backed off.
  [[nodiscard]] bool waits(const core::SchedulerRequest& request, base::GroupId group) const;
  /// First of the queue that could issue one of the candidates now; `due`: when one could.
  struct Choice {
    const Waiting* waiting = nullptr;
    base::GroupId group{};
    Cycle due = base::kNever;
  };
  [[nodiscard]] Choice first_in_queue(const Queue& queue, const core::SchedulerRequest& request) const;
  [[nodiscard]] Cycle delay_ends(const Waiting& waiting) const;
  /// The scheduler hears of a choice that is not its own by a pick from one candidate. False: it holds that back.
  bool choose(std::uint32_t scheduler, core::SchedulerRequest& request, base::GroupId group);
  void issues(std::uint32_t scheduler, const core::SchedulerRequest& request, base::GroupId group);
  void forget(std::uint32_t scheduler, WarpId warp);
  void leave_queue(Queue& queue, WarpId warp, LaneMask lanes, Cycle now);
  /// Records how many warps are backed off from `cycle` on, if that has changed.
  void trace(Cycle cycle) {
    if (trace_ != nullptr) record(cycle);
  }
  void record(Cycle cycle);
  /// Brings windows and limit up to `now`.
  void pass_time(Cycle now);
  [[nodiscard]] std::uint32_t scheduler_of(WarpId warp) const {
    return static_cast<std::uint32_t>(warp.value() % queues_.size());
  }

  BowsConfig config_;
  base::CoreId core_;
  core::TraceSink* trace_ = nullptr;
  std::uint32_t recorded_ = 0;  ///< backed-off warps
  std::uint32_t groups_per_warp_;
  bool clocked_table_;
  bool refuses_;
  Cycle stepped_ = 0;               ///< last cycle that the clocked table was told of
  std::uint32_t busy_ = 0;          ///< in it, bit per scheduler
  std::vector<bool> backward_;      ///< by PC
  std::vector<Queue> queues_;       ///< by scheduler
  std::vector<LaneMask> lanes_;     ///< by warp: those that have backed off
  std::vector<Cycle> effective_;    ///< by warp: first cycle in which its last back-off counts
  std::vector<Cycle> delay_until_;  ///< by warp, or by lane if splits back off
  base::IndexSet free_, waiting_, chosen_, admitted_;  ///< scratch, of groups
  std::uint32_t present_ = 0;                          ///< warps on the core

  std::uint32_t limit_ = 0, next_limit_ = 0;
  Cycle next_limit_from_ = base::kNever;
  Cycle window_ends_;
  std::uint64_t window_instructions_ = 0, window_sibs_ = 0;

  std::uint64_t events_ = 0, not_backed_off_ = 0, attempts_ = 0, promoted_ = 0, backed_off_cycles_ = 0,
                most_ = 0;
};

}  // namespace heddle::spin
