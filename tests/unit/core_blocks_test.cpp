// Plain models of the core's blocks: scoreboard, scheduling policies, fetch, barriers, CTA slots, timing
// wheel.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "core/barrier_unit.h"
#include "core/cta_slots.h"
#include "core/fetch.h"
#include "core/issue_table.h"
#include "core/scoreboard.h"
#include "core/timing_wheel.h"
#include "core/warp_scheduler.h"

namespace heddle::core {
namespace {

isa::Instruction instruction(std::initializer_list<isa::RegId> reads,
                             std::initializer_list<isa::RegId> writes, isa::Opcode op = isa::Opcode::kLane) {
  isa::Instruction i;
  i.op = op;
  for (const isa::RegId r : reads) i.reads[i.read_count++] = r;
  for (const isa::RegId w : writes) i.writes[i.write_count++] = w;
  return i;
}

TEST(Scoreboard, BlocksRawAndWawUntilTheWriteIsBack) {
  ScoreboardModel board({.entries_per_warp = 4}, 2);
  const WarpId w0{0};
  const auto producer = instruction({1}, {2});
  EXPECT_EQ(board.check(w0, producer), Hazard::kNone);
  board.reserve(w0, producer);
  EXPECT_EQ(board.check(w0, instruction({2}, {})), Hazard::kAlu) << "read after write";
  EXPECT_EQ(board.check(w0, instruction({}, {2})), Hazard::kAlu) << "write after write";
  EXPECT_EQ(board.check(w0, instruction({1}, {3})), Hazard::kNone)
      << "write after read is no hazard: operands are read at issue";
  EXPECT_EQ(board.check(WarpId{1}, instruction({2}, {})), Hazard::kNone) << "other warps have their own set";
  board.release(w0, producer);
  EXPECT_EQ(board.check(w0, instruction({2}, {2})), Hazard::kNone);
}

TEST(Scoreboard, TellsMemoryFromArithmetic) {
  ScoreboardModel board({.entries_per_warp = 4}, 1);
  board.reserve(WarpId{0}, instruction({}, {5}, isa::Opcode::kLoad));
  board.reserve(WarpId{0}, instruction({}, {6}));
  EXPECT_EQ(board.check(WarpId{0}, instruction({6}, {})), Hazard::kAlu);
  EXPECT_EQ(board.check(WarpId{0}, instruction({6, 5}, {})), Hazard::kMemory);
}

TEST(Scoreboard, RefusesDestinationsWithoutAFreeEntry) {
  ScoreboardModel board({.entries_per_warp = 4}, 1);
  const auto vector_load = instruction({}, {1, 2, 3, 4}, isa::Opcode::kLoad);
  board.reserve(WarpId{0}, vector_load);
  EXPECT_EQ(board.check(WarpId{0}, instruction({9}, {8})), Hazard::kFull);
  EXPECT_EQ(board.check(WarpId{0}, instruction({9}, {})), Hazard::kNone) << "no destination, no entry";
  board.release(WarpId{0}, vector_load);
  EXPECT_EQ(board.pending(WarpId{0}), 0u);
}

sim::IndexSet set_of(std::initializer_list<std::uint32_t> members) {
  sim::IndexSet set(64);
  for (const std::uint32_t m : members) set.insert(m);
  return set;
}

TEST(Scheduler, LrrTakesTurns) {
  const auto lrr = make_scheduling_policy(SchedulingPolicy::kLrr, 64);
  const auto ready = set_of({1, 4, 9});
  std::vector<std::uint32_t> order;
  for (int i = 0; i < 5; ++i) {
    const GroupId pick = lrr->pick(ready);
    order.push_back(pick.value());
    lrr->issued(pick);
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{1, 4, 9, 1, 4}));
}

TEST(Scheduler, GtoIsGreedyThenTakesTheOldest) {
  const auto gto = make_scheduling_policy(SchedulingPolicy::kGto, 64);
  for (const std::uint32_t g : {7u, 3u, 5u}) gto->assign(GroupId{g});
  EXPECT_EQ(gto->pick(set_of({3, 5})).value(), 3u) << "older than 5";
  gto->issued(GroupId{3});
  EXPECT_EQ(gto->pick(set_of({3, 5, 7})).value(), 3u) << "greedy although 7 is older";
  EXPECT_EQ(gto->pick(set_of({5, 7})).value(), 7u) << "3 stalled: the oldest";
  gto->issued(GroupId{7});
  gto->assign(GroupId{7});  // the slot was given to a new warp
  EXPECT_EQ(gto->pick(set_of({5, 7})).value(), 5u) << "a new warp inherits neither greed nor age";
}

TEST(Fetch, FillsRoundRobinAndStopsBehindControl) {
  std::vector<isa::Instruction> code(6);
  code[2].unit = isa::Unit::kControl;
  FetchModel fetch({.width_instructions = 2, .latency_cycles = 1, .ibuffer_slots = 2}, 4);
  fetch.set_code(&code);
  fetch.redirect(GroupId{0}, Pc{0});
  fetch.redirect(GroupId{2}, Pc{2});
  FetchRequest tick;
  tick.cycle = 1;
  fetch.tick(tick);
  EXPECT_EQ(tick.filled_count, 0u);
  tick.cycle = 2;
  fetch.tick(tick);
  ASSERT_EQ(tick.filled_count, 1u);
  EXPECT_EQ(tick.filled[0], GroupId{2}) << "round robin starts behind group 0";
  tick.cycle = 3;
  fetch.tick(tick);
  ASSERT_EQ(tick.filled_count, 1u);
  EXPECT_EQ(tick.filled[0], GroupId{0});
  Pc head;
  EXPECT_TRUE(fetch.pop(GroupId{0}, head));
  EXPECT_EQ(head, Pc{1});
  EXPECT_FALSE(fetch.pop(GroupId{0}, head)) << "two were fetched";
  EXPECT_FALSE(fetch.pop(GroupId{2}, head));
  for (tick.cycle = 4; tick.cycle < 10; ++tick.cycle) {
    fetch.tick(tick);
    for (unsigned i = 0; i < tick.filled_count; ++i)
      EXPECT_NE(tick.filled[i], GroupId{2}) << "waits for the branch unit";
  }
  EXPECT_EQ(tick.next_due, kNoCycle);
}

TEST(Fetch, RedirectVoidsWhatIsInFlight) {
  std::vector<isa::Instruction> code(20);
  FetchModel fetch({.width_instructions = 1, .latency_cycles = 5, .ibuffer_slots = 2}, 1);
  fetch.set_code(&code);
  fetch.redirect(GroupId{0}, Pc{0});
  FetchRequest tick;
  tick.cycle = 1;
  fetch.tick(tick);
  fetch.redirect(GroupId{0}, Pc{10});
  unsigned filled = 0;
  for (tick.cycle = 2; tick.cycle <= 6; ++tick.cycle) {
    fetch.tick(tick);
    filled += tick.filled_count;
  }
  EXPECT_EQ(filled, 0u) << "the fetch of cycle 1 was void";
  tick.cycle = 7;
  fetch.tick(tick);
  EXPECT_EQ(tick.filled_count, 1u);
}

class Barriers : public testing::Test {
 protected:
  std::vector<WarpId> arrive(std::uint32_t warp, std::uint32_t threads, std::uint32_t id = 0,
                             std::uint32_t expected = 0, bool waits = true) {
    std::vector<WarpId> released;
    BarrierRequest r;
    r.id = id;
    r.threads = threads;
    r.expected = expected;
    r.warp = WarpId{warp};
    r.waits = waits;
    r.released = &released;
    barriers_.arrive(r);
    return released;
  }
  std::vector<WarpId> exit(std::uint32_t threads) {
    std::vector<WarpId> released;
    BarrierRequest r;
    r.threads = threads;
    r.released = &released;
    barriers_.exit(r);
    return released;
  }
  BarrierModel barriers_{2};
};

TEST_F(Barriers, ReleasesWhenAllThreadsHaveArrived) {
  barriers_.launch(CtaSlot{0}, 96);
  EXPECT_TRUE(arrive(0, 32).empty());
  EXPECT_TRUE(arrive(2, 32).empty());
  EXPECT_EQ(arrive(1, 32), (std::vector<WarpId>{WarpId{0}, WarpId{2}, WarpId{1}}));
  EXPECT_TRUE(arrive(0, 32).empty()) << "the barrier is reusable";
}

TEST_F(Barriers, ExitedThreadsCount) {
  barriers_.launch(CtaSlot{0}, 64);
  EXPECT_TRUE(arrive(0, 32).empty());
  EXPECT_TRUE(exit(16).empty());
  EXPECT_EQ(exit(16), (std::vector<WarpId>{WarpId{0}}));
}

TEST_F(Barriers, ExplicitCountAndArriveWithoutWaiting) {
  barriers_.launch(CtaSlot{0}, 128);
  EXPECT_TRUE(arrive(0, 32, 3, 64, false).empty());
  EXPECT_EQ(arrive(1, 32, 3, 64), (std::vector<WarpId>{WarpId{1}}));
  EXPECT_TRUE(arrive(2, 32, 4, 64).empty()) << "another barrier";
}

TEST(CtaSlots, LimitedByEachResource) {
  CoreConfig config;
  config.occupancy = {.max_warps = 8, .max_ctas = 3, .registers = 4096, .register_unit = 64};
  config.shared_memory.size_kib = 1;
  std::string why;
  EXPECT_EQ(max_resident({2, 64, 0}, config, why), 3u) << "CTA slots";
  EXPECT_EQ(max_resident({4, 64, 0}, config, why), 2u) << "warps";
  EXPECT_EQ(max_resident({1, 2048, 0}, config, why), 2u) << "registers";
  EXPECT_EQ(max_resident({1, 64, 512}, config, why), 2u) << "shared memory";
  EXPECT_EQ(max_resident({9, 64, 0}, config, why), 0u);
  EXPECT_EQ(why, "a CTA needs 9 warp slots, a core has 8");

  CtaSlots slots(config);
  const CtaNeeds needs{2, 64, 384};
  std::vector<WarpId> warps;
  std::uint32_t base = 99;
  ASSERT_TRUE(slots.fits(needs));
  const CtaSlot first = slots.take(needs, warps, base);
  EXPECT_EQ(base, 0u);
  EXPECT_EQ(warps, (std::vector<WarpId>{WarpId{0}, WarpId{1}}));
  slots.take(needs, warps, base);
  EXPECT_EQ(base, 384u);
  EXPECT_FALSE(slots.fits(needs)) << "256 bytes of shared memory left";
  slots.give_back(first);
  ASSERT_TRUE(slots.fits(needs));
  slots.take(needs, warps, base);
  EXPECT_EQ(base, 0u) << "the gap is used again";
  EXPECT_EQ(warps[0], WarpId{0});
}

TEST(TimingWheel, GivesEveryEventAtItsCycleInOrder) {
  TimingWheel<int> wheel;
  std::map<Cycle, std::vector<int>> expected;
  std::mt19937 random(7);
  Cycle now = 0;
  int serial = 0;
  for (int round = 0; round < 20000; ++round) {
    const unsigned additions = random() % 3;
    for (unsigned i = 0; i < additions; ++i) {
      const Cycle at = now + 1 + (random() % 50 == 0 ? random() % 5000 : random() % 300);
      wheel.add(at, serial);
      expected[at].push_back(serial++);
    }
    const Cycle due = expected.empty() ? ~Cycle{0} : expected.begin()->first;
    ASSERT_EQ(wheel.next_due(), due);
    now += random() % 40 == 0 ? 400 : 1 + random() % 3;  // sometimes far beyond what is due
    std::vector<int> got;
    wheel.take(now, [&](int event) { got.push_back(event); });
    std::vector<int> want;
    while (!expected.empty() && expected.begin()->first <= now) {
      want.insert(want.end(), expected.begin()->second.begin(), expected.begin()->second.end());
      expected.erase(expected.begin());
    }
    ASSERT_EQ(got.size(), want.size());
    ASSERT_TRUE(std::is_permutation(got.begin(), got.end(), want.begin()));
  }
}

TEST(IssueTable, CountsStatesAndNamesTheCauseClosestToIssue) {
  IssueTable table(4, 2);
  for (std::uint32_t g = 0; g < 4; ++g) table[GroupId{g}].scheduler = g % 2;
  const bool all_free[isa::kUnits] = {true, true, true, true};
  const bool memory_full[isa::kUnits] = {true, true, false, true};
  EXPECT_EQ(table.idle_cause(0, all_free), SlotUse::kNoWarp);
  table.set_status(GroupId{0}, GroupStatus::kBarrier);
  EXPECT_EQ(table.idle_cause(0, all_free), SlotUse::kBarrier);
  table.set_status(GroupId{2}, GroupStatus::kScoreboardMemory);
  EXPECT_EQ(table.idle_cause(0, all_free), SlotUse::kScoreboardMemory);
  table.set_status(GroupId{0}, GroupStatus::kReady, isa::Unit::kMemory);
  EXPECT_EQ(table.idle_cause(0, memory_full), SlotUse::kMemoryBackPressure);
  EXPECT_TRUE(table.candidates(0, memory_full).empty());
  EXPECT_TRUE(table.candidates(0, all_free).contains(0));
  EXPECT_FALSE(table.any_ready(1));
  table.set_status(GroupId{0}, GroupStatus::kAbsent);
  table.set_status(GroupId{2}, GroupStatus::kAbsent);
  EXPECT_EQ(table.idle_cause(0, all_free), SlotUse::kNoWarp);
}

}  // namespace
}  // namespace heddle::core
