// Plain models of the core's blocks: scoreboard, scheduling policies, fetch, barriers, CTA slots, timing
// wheel.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>

#include "base/timing_wheel.h"
#include "core/cta/barrier_unit.h"
#include "core/cta/cta_slots.h"
#include "core/execute/register_file.h"
#include "core/fetch/fetch.h"
#include "core/fetch/instruction_cache.h"
#include "core/issue/issue_table.h"
#include "core/issue/scoreboard.h"
#include "core/schedule/cawa.h"
#include "core/schedule/glrr.h"
#include "core/schedule/gto.h"
#include "core/schedule/lrr.h"
#include "core/schedule/two_level.h"
#include "core/schedule/warp_scheduler.h"
#include "unit/core/instruction.h"

namespace heddle::core {
namespace {

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

TEST(Scoreboard, ARegisterThatLanesWaitForFromMemoryStaysSoWhenOthersWriteIt) {
  ScoreboardModel board({.kind = ScoreboardKind::kPerThreadMask, .entries_per_warp = 4}, 1);
  const WarpId warp{0};
  const LaneMask loading(0x0f), adding(0xf0);
  board.reserve(warp, instruction({}, {5}, isa::Opcode::kLoad), loading);
  EXPECT_EQ(board.check(warp, instruction({}, {5}), adding), Hazard::kNone);
  board.reserve(warp, instruction({}, {5}), adding);
  EXPECT_EQ(board.pending(warp), 1u) << "one entry for both";
  EXPECT_EQ(board.check(warp, instruction({5}, {}), loading), Hazard::kMemory);
  board.release(warp, instruction({}, {5}), adding);
  EXPECT_EQ(board.check(warp, instruction({5}, {}), loading), Hazard::kMemory);
  EXPECT_EQ(board.check(warp, instruction({5}, {}), adding), Hazard::kNone);
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

base::IndexSet set_of(std::initializer_list<std::uint32_t> members) {
  base::IndexSet set(64);
  for (const std::uint32_t m : members) set.insert(m);
  return set;
}

std::unique_ptr<WarpSchedulingPolicy> policy(const SchedulingPolicy& kind, std::uint32_t active_warps = 8) {
  SchedulerConfig config({two_level_policy(), kind.name == "two_level" ? lrr_policy() : kind}, kind.name);
  config.get<TwoLevelConfig>().active_warps = active_warps;
  return config.make(64);
}

TEST(Scheduler, LrrTakesTurns) {
  const auto lrr = policy(lrr_policy());
  const auto ready = set_of({1, 4, 9});
  std::vector<std::uint32_t> order;
  for (Cycle now = 0; now < 5; ++now) {
    const WarpId pick = *lrr->pick(ready, now);
    order.push_back(pick.value());
    lrr->issued(pick, now);
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{1, 4, 9, 1, 4}));
}

TEST(Scheduler, GtoIsGreedyThenTakesTheOldest) {
  const auto gto = policy(gto_policy());
  for (const std::uint32_t g : {7u, 3u, 5u}) gto->assign(WarpId{g}, 0);
  EXPECT_EQ(gto->pick(set_of({3, 5}), 1)->value(), 3u) << "older than 5";
  gto->issued(WarpId{3}, 1);
  EXPECT_EQ(gto->pick(set_of({3, 5, 7}), 2)->value(), 3u) << "greedy although 7 is older";
  EXPECT_EQ(gto->pick(set_of({5, 7}), 3)->value(), 7u) << "3 stalled: the oldest";
  gto->issued(WarpId{7}, 3);
  gto->assign(WarpId{7}, 4);  // the slot was given to a new warp
  EXPECT_EQ(gto->pick(set_of({5, 7}), 5)->value(), 5u) << "a new warp inherits neither greed nor age";
}

TEST(Scheduler, GlrrIsGreedyThenTakesTurns) {
  const auto glrr = policy(glrr_policy());
  for (std::uint32_t g = 0; g < 4; ++g) glrr->assign(WarpId{g}, 0);
  const auto pick = [&](std::initializer_list<std::uint32_t> ready) {
    base::IndexSet set(64);
    for (const std::uint32_t g : ready) set.insert(g);
    const WarpId group = *glrr->pick(set, 0);
    glrr->issued(group, 0);
    return group.value();
  };
  EXPECT_EQ(pick({0, 2, 3}), 2u) << "behind the first slot, which has no claim yet";
  EXPECT_EQ(pick({0, 2, 3}), 2u) << "greedy";
  EXPECT_EQ(pick({0, 1, 3}), 3u) << "the next in turn, not the oldest";
  EXPECT_EQ(pick({0, 1}), 0u);
  glrr->assign(WarpId{0}, 5);
  EXPECT_EQ(pick({0, 1}), 1u) << "a new warp in the slot has no claim";
}

TEST(Scheduler, TwoLevelKeepsToItsActiveSetUntilAMemberWaitsForMemory) {
  const auto two_level = policy(two_level_policy(), 2);
  for (const std::uint32_t g : {1u, 2u, 3u, 4u}) two_level->assign(WarpId{g}, 0);
  const auto everybody = set_of({1, 2, 3, 4});
  std::vector<std::uint32_t> order;
  const auto issue = [&](const base::IndexSet& ready) {
    const auto pick = two_level->pick(ready, 0);
    order.push_back(pick ? pick->value() : 0);
    if (pick) two_level->issued(*pick, 0);
  };
  for (int i = 0; i < 4; ++i) issue(everybody);
  EXPECT_EQ(order, (std::vector<std::uint32_t>{1, 2, 1, 2})) << "3 and 4 are ready but not active";
  order.clear();
  issue(set_of({3, 4}));
  EXPECT_EQ(order.back(), 0u) << "members keep their places over short latencies: the others are held back";
  two_level->long_latency(WarpId{1});
  issue(everybody);
  issue(everybody);
  issue(everybody);
  EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 3, 2, 3})) << "3 took the place of 1";
  two_level->leave(WarpId{2});
  two_level->leave(WarpId{3});
  order.clear();
  for (int i = 0; i < 3; ++i) issue(set_of({1, 4}));
  EXPECT_EQ(order, (std::vector<std::uint32_t>{4, 1, 4})) << "4 waited longer than 1";
}

/// The policy tells itself what it issues at `pc`.
void issue_at(WarpSchedulingPolicy& policy, std::uint32_t warp, std::uint32_t pc, Cycle cycle) {
  const isa::Instruction any;
  policy.issued(WarpId{warp}, cycle);
  IssueTapRequest issue;
  issue.instruction = &any;
  issue.pc = Pc{pc};
  issue.warp = WarpId{warp};
  issue.cycle = cycle;
  policy.tapped(issue);
}

TEST(Scheduler, CawaByDistanceCountsFromTheKernelsLengthAndJumpsBackAdd) {
  const auto cawa = policy(cawa_policy());
  isa::Kernel kernel;
  kernel.code.resize(10);
  cawa->begin(kernel);
  const auto all = set_of({1, 2, 3});
  for (const std::uint32_t warp : {1, 2, 3}) cawa->assign(WarpId{warp}, 0);
  EXPECT_TRUE(cawa->taps(isa::Instruction{})) << "every instruction moves the distance";
  EXPECT_EQ(cawa->pick(all, 1)->value(), 1u) << "a tie goes to the oldest";
  issue_at(*cawa, 1, 0, 4);  // nInst 10, CPIavg 4, nStall 4: 44
  EXPECT_EQ(cawa->pick(all, 5)->value(), 1u) << "greedy";
  EXPECT_EQ(cawa->pick(set_of({2, 3}), 5)->value(), 2u) << "both 0";
  issue_at(*cawa, 2, 0, 6);  // 10 * 6 + 6: 66
  cawa->stalled();
  EXPECT_EQ(cawa->pick(all, 7)->value(), 2u);
  issue_at(*cawa, 2, 7, 8);  // nInst 10 - 7, CPIavg 8 / 2, nStall 8: 20
  cawa->stalled();
  EXPECT_EQ(cawa->pick(all, 9)->value(), 1u) << "2 is nearer to the end";
  issue_at(*cawa, 2, 2, 10);  // 3 + 5 back, CPIavg 10 / 3 whole, nStall 10: 34
  cawa->stalled();
  EXPECT_EQ(cawa->pick(all, 11)->value(), 1u);
  issue_at(*cawa, 2, 2, 20);  // 8 * 5 + 20: 60
  cawa->stalled();
  EXPECT_EQ(cawa->pick(all, 21)->value(), 2u) << "it went back";
  issue_at(*cawa, 2, 30, 22);  // not below 0: 22
  cawa->stalled();
  EXPECT_EQ(cawa->pick(all, 23)->value(), 1u);
  // The rotation: all from 0, the oldest becomes the youngest.
  EXPECT_EQ(cawa->pick(all, 50000)->value(), 2u);
  EXPECT_EQ(cawa->pick(set_of({1, 3}), 50001)->value(), 3u);
}

TEST(Scheduler, CawaByOutcomesPicksTheMostCriticalWarp) {
  SchedulerConfig config{{cawa_policy()}, "cawa"};
  config.get<CawaConfig>().estimate = CawaEstimate::kOutcomes;
  const auto cawa = config.make(8);
  cawa->assign(WarpId{1}, 0);
  cawa->assign(WarpId{2}, 0);
  const auto both = set_of({1, 2});
  EXPECT_EQ(cawa->pick(both, 1)->value(), 1u) << "a tie goes to the older";
  // nInst 0 and nStall 10 - 1 against nStall 10.
  cawa->issued(WarpId{1}, 1);
  EXPECT_EQ(cawa->pick(both, 10)->value(), 2u) << "stalled longer";
  // At cycle 20 both have issued once (CPIavg 20, nStall 19); 1 has chosen a path of 30 instructions.
  cawa->issued(WarpId{2}, 10);
  cawa->issued(WarpId{1}, 15);
  isa::Instruction forward;
  forward.op = isa::Opcode::kBranch;
  forward.target = Pc{10};
  forward.rpc = Pc{40};
  ASSERT_TRUE(cawa->taps(forward)) << "branches, and nothing else";
  EXPECT_FALSE(cawa->taps(isa::Instruction{}));
  IssueTapRequest taken;
  taken.instruction = &forward;
  taken.pc = Pc{5};
  taken.warp = WarpId{1};
  taken.mask = taken.exec = LaneMask::all();
  cawa->tapped(taken);
  // 1: nInst 30, CPIavg 10, nStall 18: 318; 2: nInst 0, nStall 19.
  EXPECT_EQ(cawa->pick(both, 20)->value(), 1u) << "more to come";
  for (Cycle c = 0; c < 30; ++c) cawa->issued(WarpId{1}, 20 + c);
  EXPECT_EQ(cawa->pick(both, 60)->value(), 2u) << "the path is done";
}

/// Instructions of 8 bytes in lines of 32, all lines present unless listed.
struct FetchBench {
  explicit FetchBench(const FetchConfig& config, std::uint32_t groups, std::vector<isa::Instruction>& code)
      : model(config, {.line_bytes = 32, .instruction_bytes = 8}, groups) {
    model.set_code(code, 0x1000);
  }
  FetchRequest tick(Cycle cycle) {
    FetchRequest request;
    request.cycle = cycle;
    model.arrive(request);
    std::uint64_t line = 0;
    if (model.choose(line)) {
      asked.push_back(line);
      const bool there = std::find(absent.begin(), absent.end(), line) == absent.end();
      model.answer(request, line, there ? L1iRequest::Result::kHit : L1iRequest::Result::kMiss);
    }
    request.next_due = model.next_due(cycle);
    return request;
  }
  std::vector<std::uint64_t> absent, asked;
  FetchModel model;
};

TEST(Fetch, FillsRoundRobinAndStopsBehindControl) {
  std::vector<isa::Instruction> code(6);
  code[2].stops_fetch = true;
  FetchBench bench({.width_instructions = 2, .latency_cycles = 1, .ibuffer_slots = 2}, 4, code);
  FetchModel& fetch = bench.model;
  fetch.redirect(GroupId{0}, Pc{0});
  fetch.redirect(GroupId{2}, Pc{2});
  EXPECT_EQ(bench.tick(1).filled_count, 0u);
  FetchRequest tick = bench.tick(2);
  ASSERT_EQ(tick.filled_count, 1u);
  EXPECT_EQ(tick.filled[0], GroupId{2}) << "round robin starts behind group 0";
  tick = bench.tick(3);
  ASSERT_EQ(tick.filled_count, 1u);
  EXPECT_EQ(tick.filled[0], GroupId{0});
  Pc head;
  EXPECT_TRUE(fetch.pop(GroupId{0}, head));
  EXPECT_EQ(head, Pc{1});
  EXPECT_FALSE(fetch.pop(GroupId{0}, head)) << "two were fetched";
  EXPECT_FALSE(fetch.pop(GroupId{2}, head));
  for (Cycle cycle = 4; cycle < 10; ++cycle) {
    tick = bench.tick(cycle);
    for (unsigned i = 0; i < tick.filled_count; ++i)
      EXPECT_NE(tick.filled[i], GroupId{2}) << "waits for the branch unit";
  }
  EXPECT_EQ(tick.next_due, kNever);
}

TEST(Fetch, RedirectVoidsWhatIsInFlight) {
  std::vector<isa::Instruction> code(20);
  FetchBench bench({.width_instructions = 1, .latency_cycles = 5, .ibuffer_slots = 2}, 1, code);
  bench.model.redirect(GroupId{0}, Pc{0});
  bench.tick(1);
  bench.model.redirect(GroupId{0}, Pc{10});
  unsigned filled = 0;
  for (Cycle cycle = 2; cycle <= 6; ++cycle) filled += bench.tick(cycle).filled_count;
  EXPECT_EQ(filled, 0u) << "the fetch of cycle 1 was void";
  EXPECT_EQ(bench.tick(7).filled_count, 1u);
}

TEST(Fetch, DoesNotCrossALineInOneCycle) {
  std::vector<isa::Instruction> code(20);
  FetchBench bench({.width_instructions = 4, .latency_cycles = 1, .ibuffer_slots = 4}, 1, code);
  bench.model.redirect(GroupId{0}, Pc{3});  // the last of the four instructions of its line
  bench.tick(1);
  EXPECT_EQ(bench.tick(2).filled_count, 1u);
  EXPECT_EQ(bench.model.instructions, 1u);
}

TEST(Fetch, AMissLetsOtherGroupsGoOnUntilTheLineIsThere) {
  std::vector<isa::Instruction> code(20);
  FetchBench bench({.width_instructions = 2, .latency_cycles = 1, .ibuffer_slots = 2}, 3, code);
  bench.absent = {0x1020};
  bench.model.redirect(GroupId{1}, Pc{4});
  bench.model.redirect(GroupId{2}, Pc{0});
  FetchRequest tick = bench.tick(1);
  EXPECT_TRUE(tick.miss);
  EXPECT_EQ(tick.missed, GroupId{1});
  bench.tick(2);
  tick = bench.tick(3);
  ASSERT_EQ(tick.filled_count, 1u);
  EXPECT_EQ(tick.filled[0], GroupId{2});
  EXPECT_EQ(tick.next_due, kNever) << "a group that waits for a line costs nothing";
  EXPECT_EQ(bench.asked, (std::vector<std::uint64_t>{0x1020, 0x1000}));
  bench.absent.clear();
  bench.model.refill(0x1040);
  EXPECT_EQ(bench.tick(4).next_due, kNever) << "another line";
  bench.model.refill(0x1020);
  bench.tick(5);
  tick = bench.tick(6);
  ASSERT_EQ(tick.filled_count, 1u);
  EXPECT_EQ(tick.filled[0], GroupId{1});
}

TEST(InstructionCache, ReplacesTheLeastRecentlyUsedLine) {
  InstructionCacheModel cache({.size_kib = 1, .line_bytes = 128, .ways = 2, .mshr_entries = 2});  // 4 sets
  const auto fill = [&](std::uint64_t line) {
    EXPECT_TRUE(cache.mshr_free());
    cache.start_fill(line);
    EXPECT_TRUE(cache.pending(line));
    cache.fill(line);
    EXPECT_FALSE(cache.pending(line));
  };
  fill(0x0000);
  fill(0x0200);  // same set
  EXPECT_TRUE(cache.hit(0x0000));
  fill(0x0400);
  EXPECT_TRUE(cache.hit(0x0000));
  EXPECT_FALSE(cache.hit(0x0200)) << "used longest ago";
  EXPECT_TRUE(cache.hit(0x0400));
  cache.start_fill(0x0600);
  cache.start_fill(0x0800);
  EXPECT_FALSE(cache.mshr_free());
  cache.flush();
  EXPECT_FALSE(cache.hit(0x0000));
}

TEST(RegisterFile, OperandsInOneBankAreReadOneAfterTheOther) {
  RegisterFileModel file({.banks = 4, .ports_per_bank = 1}, 1);
  const auto reads = [](const std::vector<std::uint32_t>& rows) { return register_access(rows, {}, 4); };
  EXPECT_EQ(file.read(0, WarpId{0}, reads({0, 1, 2}), 10), 0u) << "three banks";
  EXPECT_EQ(file.read(0, WarpId{0}, reads({0, 4, 8}), 20), 2u) << "all in bank 0";
  EXPECT_EQ(file.read(0, WarpId{1}, reads({3}), 20), 3u) << "warp 1's register 3 is in bank 0 as well";
  EXPECT_EQ(file.read(0, WarpId{0}, reads({3}), 20), 0u) << "bank 3 is free";
  EXPECT_EQ(file.read(0, WarpId{0}, reads({0}), 30), 0u) << "long over";
  EXPECT_EQ(file.read(0, WarpId{0}, reads({0}), 30), 1u);
  EXPECT_EQ(file.read(0, WarpId{0}, reads({0, 1}), 30), 2u);
  EXPECT_EQ(file.read(0, WarpId{0}, reads({0}), 94), 0u) << "a whole window later";
}

TEST(RegisterFile, SecondPortsAndOtherSubCoresDoNotWait) {
  RegisterFileModel file({.banks = 2, .ports_per_bank = 2}, 2);
  EXPECT_EQ(file.read(0, WarpId{0}, register_access({0, 2, 4}, {}, 2), 5), 1u);
  EXPECT_EQ(file.read(0, WarpId{0}, register_access({0}, {}, 2), 5), 1u) << "the second port of cycle 7";
  EXPECT_EQ(file.read(0, WarpId{0}, register_access({0}, {}, 2), 5), 2u);
  EXPECT_EQ(file.read(1, WarpId{0}, register_access({0, 2}, {}, 2), 5), 0u);
}

TEST(RegisterFile, ResultsShareWriteBackPortsAndBanks) {
  const auto writes = [](const std::vector<std::uint32_t>& rows) { return register_access({}, rows, 4); };
  RegisterFileModel file({.banks = 4, .ports_per_bank = 1, .writeback_ports = 1}, 1);
  EXPECT_EQ(file.write(0, WarpId{0}, writes({0}), 10), 10u);
  EXPECT_EQ(file.write(0, WarpId{0}, writes({1}), 10), 11u) << "one port";
  RegisterFileModel two({.banks = 4, .ports_per_bank = 1, .writeback_ports = 2}, 1);
  EXPECT_EQ(two.write(0, WarpId{0}, writes({0}), 10), 10u);
  EXPECT_EQ(two.write(0, WarpId{0}, writes({1}), 10), 10u);
  EXPECT_EQ(two.write(0, WarpId{0}, writes({2}), 10), 11u) << "two ports";
  EXPECT_EQ(two.write(0, WarpId{0}, writes({6}), 10), 12u) << "bank 2 is written in cycle 11";
  EXPECT_EQ(two.read(0, WarpId{0}, register_access({2}, {}, 4), 11), 1u)
      << "and in cycle 12: the operand waits";
  RegisterFileModel ideal({.banks = 0, .writeback_ports = 0}, 1);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(ideal.write(0, WarpId{0}, register_access({}, {0}, 0), 3), 3u);
  EXPECT_EQ(ideal.read(0, WarpId{0}, register_access({0, 4, 8}, {}, 0), 3), 0u);
}

class Barriers : public testing::Test {
 protected:
  std::vector<WarpId> arrive(std::uint32_t warp, std::uint32_t threads, std::uint32_t id = 0,
                             std::uint32_t expected = 0, bool waits = true) {
    std::vector<BarrierRelease> released;
    BarrierRequest r;
    r.id = id;
    r.threads = threads;
    r.expected = expected;
    r.warp = WarpId{warp};
    r.waits = waits;
    r.released = &released;
    barriers_.arrive(r);
    return warps(released);
  }
  static std::vector<WarpId> warps(const std::vector<BarrierRelease>& released) {
    std::vector<WarpId> list;
    for (const BarrierRelease& release : released) list.push_back(release.warp);
    return list;
  }
  std::vector<WarpId> exit(std::uint32_t threads) {
    std::vector<BarrierRelease> released;
    BarrierRequest r;
    r.threads = threads;
    r.released = &released;
    barriers_.exit(r);
    return warps(released);
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
  ASSERT_EQ(slots.room(needs), 2u) << "1024 bytes of shared memory";
  EXPECT_EQ(slots.room({4, 64, 0}), 2u) << "8 warps";
  EXPECT_EQ(slots.room({1, 4096, 0}), 1u);
  const CtaSlot first = slots.take(needs, warps, base);
  EXPECT_EQ(base, 0u);
  EXPECT_EQ(warps, (std::vector<WarpId>{WarpId{0}, WarpId{1}}));
  slots.take(needs, warps, base);
  EXPECT_EQ(base, 384u);
  EXPECT_EQ(slots.room({1, 64, 256}), 1u) << "a slot is left, and 256 bytes";
  EXPECT_EQ(slots.room({1, 64, 0}), 1u) << "of three CTA slots";
  EXPECT_EQ(slots.room(needs), 0u) << "256 bytes of shared memory left";
  slots.give_back(first);
  ASSERT_NE(slots.room(needs), 0u);
  slots.take(needs, warps, base);
  EXPECT_EQ(base, 0u) << "the gap is used again";
  EXPECT_EQ(warps[0], WarpId{0});
}

TEST(TimingWheel, GivesEveryEventAtItsCycleInOrder) {
  base::TimingWheel<int> wheel;
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
    // Events may add others, to later cycles.
    wheel.take(now, [&](int event) {
      ASSERT_FALSE(expected.empty());
      auto& [at, events] = *expected.begin();
      ASSERT_LE(at, now);
      ASSERT_EQ(event, events.front());
      const Cycle cycle = at;
      events.erase(events.begin());
      if (events.empty()) expected.erase(expected.begin());
      constexpr std::array<Cycle, 6> kLater{1, 2, 63, 64, 65, 128};
      if (random() % 4 != 0) return;
      const Cycle later = cycle + kLater[random() % kLater.size()];
      wheel.add(later, serial);
      expected[later].push_back(serial++);
    });
    ASSERT_TRUE(expected.empty() || expected.begin()->first > now);
  }
}

TEST(IssueTable, CountsStatesAndNamesTheCauseClosestToIssue) {
  IssueTable table(4, 2);
  for (std::uint32_t g = 0; g < 4; ++g) table[GroupId{g}].scheduler = g % 2;
  PipeReadiness pipes;
  EXPECT_EQ(table.idle_cause(0, pipes, 5), SlotUse::kNoWarp);
  table.set_status(GroupId{0}, GroupStatus::kBarrier);
  EXPECT_EQ(table.idle_cause(0, pipes, 5), SlotUse::kBarrier);
  table.set_status(GroupId{2}, GroupStatus::kScoreboardMemory);
  EXPECT_EQ(table.idle_cause(0, pipes, 5), SlotUse::kScoreboardMemory);
  table.set_status(GroupId{0}, GroupStatus::kReady, Pipe::kMemory);
  EXPECT_TRUE(table.candidates(0, pipes, 5)->contains(0));
  EXPECT_EQ(table.idle_cause(0, pipes, 5), SlotUse::kHeldBack) << "nothing but the policy keeps it";
  pipes.memory_full = true;
  EXPECT_EQ(table.idle_cause(0, pipes, 5), SlotUse::kMemoryBackPressure);
  EXPECT_EQ(table.next_due(0, pipes, 5), kNever);
  EXPECT_EQ(table.candidates(0, pipes, 5), nullptr);
  EXPECT_FALSE(table.any_ready(1));
  table.set_status(GroupId{2}, GroupStatus::kReady, Pipe::kSfu);
  pipes.accepts_from[static_cast<unsigned>(Pipe::kSfu)] = 9;
  EXPECT_EQ(table.idle_cause(0, pipes, 5), SlotUse::kOperandCollector);
  EXPECT_EQ(table.next_due(0, pipes, 5), 9u);
  pipes.busy_until[static_cast<unsigned>(Pipe::kSfu)] = 7;
  EXPECT_EQ(table.idle_cause(0, pipes, 5), SlotUse::kPipeBusy);
  EXPECT_EQ(table.next_due(0, pipes, 5), 7u) << "the cause changes there";
  table.set_status(GroupId{0}, GroupStatus::kAbsent);
  table.set_status(GroupId{2}, GroupStatus::kAbsent);
  EXPECT_EQ(table.idle_cause(0, pipes, 5), SlotUse::kNoWarp);
}

}  // namespace
}  // namespace heddle::core
