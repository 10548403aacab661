// The issue stage: what an idle slot is charged to when it is not looked at anew. Each test changes one thing that a remembered
// cause depends on.
#include "core/issue/issue_stage.h"

#include <gtest/gtest.h>

#include <string>

#include "core/schedule/lrr.h"
#include "sim/fault_latch.h"

namespace heddle::core::issue_stage_test {
namespace {

CoreConfig one_scheduler() {
  CoreConfig config;
  config.occupancy.max_warps = 4;
  config.scheduler = SchedulerConfig({lrr_policy()}, "lrr");
  config.scheduler.count = 1;
  simt::Mechanism mechanism;  // none is made
  mechanism.name = "none";
  config.control_flow = simt::ControlFlowConfig({mechanism});
  return config;
}

class Bench : public sc_core::sc_module, public IssueTarget {
 public:
  explicit Bench(const sc_core::sc_module_name& name) : sc_module(name) {
    scoreboard.bind(scoreboard_tsock);
    stage.bind_schedulers({});
    stage.declare(stats);
    IssueTable::Group& group = state.groups[only];
    group.mask = LaneMask::all();
    group.head_valid = true;
  }
  void issue(GroupId) override { ++issued; }
  /// What the slot of the cycle is charged to; then the stage sleeps.
  std::string slot(Cycle now) {
    stats.reset();
    stage.cycle(now, *this);
    due = stage.next_due(now);
    return charged();
  }
  std::string charged() {
    for (const std::string& name : slot_use_names())
      if (stats.count("slots." + name) != 0) return name;
    return "nothing";
  }
  void enters(Pipe pipe, Cycle accepts_from) {
    PipesRequest request;
    request.pipe = pipe;
    request.accepts_from = request.busy_until = accepts_from;
    stage.entered(0, request);
  }

  const GroupId only{0};
  unsigned issued = 0;
  Cycle due = 0;
  base::StatGroup stats{"issue", ""};
  sim::ClockManager clocks{"clocks"};
  sim::ClockDomain clock{clocks, "core", 1000, sim::ClockRank::kCore};
  sim::MemoryPool pool;
  host::AllocationTable allocations;
  sim::ProgressMonitor progress;
  sim::FaultLatch faults{clocks};
  CoreState state{base::CoreId{0}, one_scheduler(), {clock, pool, allocations, progress, faults}, 1};

 private:
  void serve(ScoreboardRequest&) {}
  sim::BlockTarget<ScoreboardProtocol, Bench, &Bench::serve> scoreboard_tsock{"scoreboard_tsock", this};
  ScoreboardPort scoreboard{"scoreboard_isock"};

 public:
  IssueStage stage{state, scoreboard};
};

class IdleSlots : public ::testing::Test {
 protected:
  IdleSlots() {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    bench_.stage.schedulers().warp_starts(WarpId{0});
  }
  Bench bench_{"bench"};
};

TEST_F(IdleSlots, AGroupsStatusIsAnotherCause) {
  bench_.stage.set_status(bench_.only, GroupStatus::kFetch);
  EXPECT_EQ(bench_.slot(1), "ibuffer_empty");
  EXPECT_EQ(bench_.due, kNever);
  EXPECT_EQ(bench_.slot(2), "ibuffer_empty");
  bench_.stage.set_status(bench_.only, GroupStatus::kScoreboardMemory);
  EXPECT_EQ(bench_.slot(3), "scoreboard_memory");
  bench_.stage.set_status(bench_.only, GroupStatus::kReady);
  EXPECT_EQ(bench_.slot(4), "issued");
}

TEST_F(IdleSlots, AFullLoadStoreUnitIsFullUntilItSaysOtherwise) {
  bench_.stage.set_status(bench_.only, GroupStatus::kReady, Pipe::kMemory);
  bench_.stage.memory_full(true, 0);
  EXPECT_EQ(bench_.slot(1), "memory_back_pressure");
  EXPECT_EQ(bench_.due, kNever);
  bench_.stage.memory_full(false, 0);
  EXPECT_EQ(bench_.slot(2), "issued");
}

TEST_F(IdleSlots, APipeIsBusyForAsLongAsItSaid) {
  bench_.stage.set_status(bench_.only, GroupStatus::kReady);
  bench_.enters(Pipe::kSp, 8);
  EXPECT_EQ(bench_.slot(1), "pipe_busy");
  EXPECT_EQ(bench_.due, 8u);
  bench_.stats.reset();
  bench_.stage.account_idle(6, 7);
  EXPECT_EQ(bench_.stats.count("slots.pipe_busy"), 6u);
  EXPECT_EQ(bench_.slot(8), "issued");
}

TEST_F(IdleSlots, APipeThatIsBusyForLongerIsLookedAtAgain) {
  bench_.stage.set_status(bench_.only, GroupStatus::kReady);
  bench_.enters(Pipe::kSp, 3);
  EXPECT_EQ(bench_.slot(1), "pipe_busy");
  bench_.enters(Pipe::kSp, 6);
  EXPECT_EQ(bench_.slot(2), "pipe_busy");
  EXPECT_EQ(bench_.due, 6u);
}

}  // namespace
}  // namespace heddle::core::issue_stage_test
