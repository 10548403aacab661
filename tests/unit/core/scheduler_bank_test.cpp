// The warp schedulers behind their sockets: who is told of warps and groups, and whose choice it is. A unit in front of them keeps
// what is sent.
#include "core/issue/scheduler_bank.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "core/schedule/lrr.h"
#include "core/schedule/youngest_cta.h"
#include "sim/fault_latch.h"

namespace heddle::core::scheduler_bank_test {
namespace {

using Op = SchedulerRequest::Op;

/// Keeps requests, and passes them on.
class Listener final : public SchedulerInterposer {
 public:
  explicit Listener(std::uint32_t schedulers) : SchedulerInterposer("listener", schedulers, "nothing") {}
  std::vector<std::pair<std::uint32_t, SchedulerRequest>> heard;

 private:
  void serve(std::uint32_t scheduler, SchedulerRequest& request) override {
    pass(scheduler, request);
    heard.emplace_back(scheduler, request);
  }
};

CoreConfig two_schedulers(const SchedulingPolicy& policy) {
  CoreConfig config;
  config.occupancy.max_warps = 8;
  config.scheduler = SchedulerConfig({policy}, policy.name);
  config.scheduler.count = config.scheduler.sub_cores = 2;
  return config;
}

class Bench : public sc_core::sc_module {
 public:
  Bench(const sc_core::sc_module_name& name, std::uint32_t groups_per_warp,
        const SchedulingPolicy& policy = lrr_policy())
      : sc_module(name),
        state(base::CoreId{0}, two_schedulers(policy), {clock, pool, allocations, progress, faults},
              groups_per_warp),
        listener(2),
        bank(state) {
    bank.bind({&listener});
    for (const auto& tap : bank.taps()) EXPECT_NE(tap, nullptr);
  }
  /// A group of the warp, ready or not.
  GroupId group(std::uint32_t warp, std::uint32_t number, bool ready = true) {
    const GroupId id{warp * state.groups_per_warp + number};
    IssueTable::Group& group = state.groups[id];
    group.warp = WarpId{warp};
    group.scheduler = warp % 2;
    group.pc = Pc{10 + warp};
    group.mask = LaneMask::all();
    group.head_valid = true;
    state.groups.set_status(id, ready ? GroupStatus::kReady : GroupStatus::kFetch);
    return id;
  }
  std::vector<Op> heard_by(std::uint32_t scheduler) const {
    std::vector<Op> ops;
    for (const auto& [who, request] : listener.heard)
      if (who == scheduler) ops.push_back(request.op);
    return ops;
  }

  sim::ClockManager clocks{"clocks"};
  sim::ClockDomain clock{clocks, "core", 1000, sim::ClockRank::kCore};
  sim::MemoryPool pool;
  host::AllocationTable allocations;
  sim::ProgressMonitor progress;
  sim::FaultLatch faults{clocks};
  CoreState state;
  Listener listener;
  SchedulerBank bank;
};

class Schedulers : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  Schedulers() { sc_core::sc_start(sc_core::SC_ZERO_TIME); }
  Bench bench_{"bench", GetParam()};
  Bench shares_{"shares", GetParam(), youngest_cta_policy()};
};
INSTANTIATE_TEST_SUITE_P(GroupsPerWarp, Schedulers, ::testing::Values(1u, 4u),
                         ::testing::PrintToStringParamName());

TEST_P(Schedulers, a_slot_is_assigned_once_until_its_last_group_has_left) {
  bench_.state.now = 7;
  bench_.bank.warp_starts(WarpId{3});
  bench_.bank.warp_starts(WarpId{3});  // a further group of it
  EXPECT_EQ(bench_.heard_by(1), std::vector<Op>{Op::kAssign});
  EXPECT_EQ(bench_.listener.heard[0].second.cycle, 7u);
  EXPECT_TRUE(bench_.heard_by(0).empty());
  bench_.bank.warp_leaves(bench_.state.groups[bench_.group(3, 0)]);
  bench_.bank.warp_starts(WarpId{3});
  EXPECT_EQ(bench_.heard_by(1), (std::vector<Op>{Op::kAssign, Op::kLeave, Op::kAssign}));
}

TEST_P(Schedulers, groups_are_told_of_where_a_warp_may_have_several) {
  bench_.bank.warp_starts(WarpId{2});
  bench_.bank.group_joins(bench_.group(2, 0));
  const bool joins = GetParam() > 1;
  EXPECT_EQ(bench_.heard_by(0).size(), joins ? 2u : 1u);
  if (joins) {
    EXPECT_EQ(bench_.listener.heard[1].second.group, (GroupId{2 * GetParam()}));
  }
}

TEST_P(Schedulers, each_chooses_of_its_own_candidates_and_reads_the_groups) {
  for (const std::uint32_t warp : {1u, 3u}) {
    bench_.bank.warp_starts(WarpId{warp});
    bench_.bank.group_joins(bench_.group(warp, 0));
  }
  base::IndexSet candidates(bench_.state.groups.size());
  const GroupId only{3 * GetParam()};
  candidates.insert(only.value());
  const SchedulerRequest pick = bench_.bank.pick(1, candidates, 20);
  EXPECT_TRUE(pick.found);
  EXPECT_EQ(pick.group, only);
  EXPECT_EQ(bench_.heard_by(1).back(), Op::kPick);
  const GroupReader* const groups = bench_.listener.heard.back().second.groups;
  ASSERT_NE(groups, nullptr);
  EXPECT_EQ(groups->warp(only), WarpId{3});
  EXPECT_EQ(groups->pc(only), Pc{13});
  EXPECT_EQ(groups->lanes(only), LaneMask::all());
}

TEST_P(Schedulers, a_warp_that_waits_is_told_to_its_scheduler) {
  bench_.bank.warp_starts(WarpId{4});
  bench_.bank.long_latency(0, WarpId{4});
  EXPECT_EQ(bench_.heard_by(0), (std::vector<Op>{Op::kAssign, Op::kLongLatency}));
  EXPECT_EQ(bench_.listener.heard.back().second.warp, WarpId{4});
}

TEST_P(Schedulers, room_in_a_memory_queue_is_told_to_policies_that_want_to_know) {
  shares_.bank.memory_room(0b10);
  EXPECT_TRUE(shares_.heard_by(0).empty()) << "of sub-core 1";
  EXPECT_EQ(shares_.heard_by(1), std::vector<Op>{Op::kMemoryRoom});
  shares_.bank.memory_room(0);
  EXPECT_EQ(shares_.listener.heard.size(), 1u);
  bench_.bank.memory_room(0b11);
  EXPECT_TRUE(bench_.listener.heard.empty()) << "round robin has no use for it";
}

}  // namespace
}  // namespace heddle::core::scheduler_bank_test
