// Plain models of a sub-core's front end: L0 with its stream buffer, I-buffers and fetch policy; the shell's share of L1I.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "core/fetch/line_supply.h"
#include "core/fetch/sub_core_fetch.h"

namespace heddle::core::sub_core_fetch_test {
namespace {

constexpr std::uint32_t kLine = 128;
constexpr std::uint64_t kBase = 0x10000;

std::uint64_t line(std::uint64_t number) { return kBase + number * kLine; }

struct SupplyBench {
  explicit SupplyBench(std::uint32_t stream_lines, std::uint32_t size_kib = 4)
      : model({.size_kib = size_kib, .ways = 4, .stream_buffer_lines = stream_lines}, kLine, counters) {
    model.begin_launch(line(100), false);
  }
  /// Asks for everything that is wanted; the numbers of the lines.
  std::vector<std::uint64_t> ask() {
    std::vector<std::uint64_t> lines;
    while (model.wants()) {
      lines.push_back((model.wanted() - kBase) / kLine);
      model.asked(model.wanted());
    }
    return lines;
  }
  using Lines = std::vector<std::uint64_t>;
  LineSupplyCounters counters;
  LineSupplyModel model;
};

TEST(LineSupply, AMissAsksForTheLineAndForThoseBehindIt) {
  SupplyBench bench(3);
  EXPECT_FALSE(bench.model.look_up(line(5)));
  EXPECT_EQ(bench.ask(), (SupplyBench::Lines{5, 6, 7, 8})) << "the one that is waited for first";
  EXPECT_EQ(bench.counters.misses, 1u);
  EXPECT_EQ(bench.counters.prefetches, 3u);
  EXPECT_FALSE(bench.model.look_up(line(5))) << "on its way: another group joins";
  EXPECT_TRUE(bench.ask().empty());
  EXPECT_TRUE(bench.model.awaits(line(5)));
  EXPECT_TRUE(bench.model.arrived(line(5)));
  EXPECT_TRUE(bench.model.look_up(line(5)));
}

TEST(LineSupply, ALineOfTheStreamBufferMovesIntoL0AndFurtherOnesAreAskedFor) {
  SupplyBench bench(3);
  (void)bench.model.look_up(line(0));
  (void)bench.ask();
  for (const std::uint64_t n : {0, 1, 2})
    EXPECT_EQ(bench.model.arrived(line(n)), n == 0) << "nobody waits for " << n;
  EXPECT_TRUE(bench.model.look_up(line(1)));
  EXPECT_EQ(bench.counters.stream_hits, 1u);
  EXPECT_EQ(bench.ask(), (SupplyBench::Lines{4}));
  EXPECT_FALSE(bench.model.look_up(line(4))) << "past 2 and 3, which are dropped; 4 is on its way";
  EXPECT_EQ(bench.counters.late, 1u);
  EXPECT_EQ(bench.ask(), (SupplyBench::Lines{5, 6, 7}));
  EXPECT_TRUE(bench.model.arrived(line(4)));
  EXPECT_FALSE(bench.model.look_up(line(2))) << "it was dropped";
  EXPECT_EQ(bench.counters.misses, 2u);
}

TEST(LineSupply, AnotherMissBeginsTheStreamAgainAndLosesNoWaitingGroup) {
  SupplyBench bench(2);
  (void)bench.model.look_up(line(0));
  (void)bench.model.look_up(line(50));
  EXPECT_EQ(bench.ask(), (SupplyBench::Lines{0, 50, 51, 52}));
  EXPECT_TRUE(bench.model.arrived(line(0)));
  EXPECT_TRUE(bench.model.arrived(line(50)));
  EXPECT_FALSE(bench.model.arrived(line(1))) << "of a stream that is no more";
}

TEST(LineSupply, StopsAtTheEndOfTheCodeAndWithoutStreamBuffer) {
  SupplyBench bench(8);
  (void)bench.model.look_up(line(98));
  EXPECT_EQ(bench.ask(), (SupplyBench::Lines{98, 99}));
  SupplyBench none(0);
  (void)none.model.look_up(line(3));
  EXPECT_EQ(none.ask(), (SupplyBench::Lines{3}));
}

TEST(LineSupply, KeepsItsLinesBetweenLaunchesOnlyIfTold) {
  SupplyBench bench(0);
  (void)bench.model.look_up(line(3));
  (void)bench.ask();
  (void)bench.model.arrived(line(3));
  bench.model.begin_launch(line(100), true);
  EXPECT_TRUE(bench.model.look_up(line(3)));
  bench.model.begin_launch(line(100), false);
  EXPECT_FALSE(bench.model.look_up(line(3)));
}

/// Instructions of 16 bytes; all lines that are asked for arrive in the next cycle.
struct FrontEndBench {
  explicit FrontEndBench(const FetchConfig& config, std::uint32_t groups = 4, std::uint32_t instructions = 64)
      : code{.instruction_shift = 4, .line_bytes = kLine},
        instructions_(instructions),
        behind_control(config.behind_control),
        model(config, code, groups, LineSupplyModel({.size_kib = 16, .ways = 4}, kLine, lines), counters) {
    set();
  }
  void set() {
    code.set(instructions_, kBase, behind_control);
    model.begin_launch(true);
  }
  FetchReport tick() {
    FetchReport report;
    ++now;
    while (model.lines().wants()) {
      const std::uint64_t wanted = model.lines().wanted();
      model.lines().asked(wanted);
      arriving.push_back(wanted);
    }
    model.tick(now, report);
    for (const std::uint64_t each : arriving) model.line_arrives(each);
    arriving.clear();
    return report;
  }
  void warm() {
    for (std::uint64_t n = 0; n * kLine < instructions_.size() * 16; ++n) {
      (void)model.lines().look_up(line(n));
      while (model.lines().wants()) model.lines().asked(model.lines().wanted());
      (void)model.lines().arrived(line(n));
    }
  }
  FetchedCode code;
  std::vector<isa::Instruction> instructions_;
  FetchBehindControl behind_control;
  LineSupplyCounters lines;
  FetchCounters counters;
  SubCoreFetchModel model;
  std::vector<std::uint64_t> arriving;
  Cycle now = 0;
};

TEST(SubCoreFetch, ThreeSlotsKeepAWarpIssuingEveryCycleWithTwoCyclesOfFetchAndDecode) {
  for (const std::uint32_t slots : {2u, 3u}) {
    FrontEndBench bench({.width_instructions = 1, .latency_cycles = 2, .ibuffer_slots = slots});
    bench.warm();
    bench.model.appears(GroupId{0});
    bench.model.redirect(GroupId{0}, Pc{0}, bench.now);
    bool head = false;
    unsigned issued = 0;
    for (unsigned cycle = 0; cycle < 33; ++cycle) {  // issue comes before fetch
      if (head) {
        head = bench.model.pop(GroupId{0});
        ++issued;
      }
      if (bench.tick().filled_count != 0) head = true;
    }
    EXPECT_EQ(issued, slots == 3 ? 30u : 20u) << slots << " slots";
  }
}

TEST(SubCoreFetch, FollowsIssueUntilTheBufferIsFullThenTakesTheYoungest) {
  FrontEndBench bench({.policy = FetchPolicy::kFollowsIssue, .width_instructions = 1, .ibuffer_slots = 2});
  bench.warm();
  for (const std::uint32_t group : {2u, 0u, 3u}) {
    bench.model.appears(GroupId{group});
    bench.model.redirect(GroupId{group}, Pc{0}, bench.now);
  }
  std::vector<std::uint32_t> order;
  for (unsigned i = 0; i < 7; ++i) {
    const FetchReport tick = bench.tick();
    for (unsigned k = 0; k < tick.filled_count; ++k) order.push_back(tick.filled[k].value());
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{3, 0, 2})) << "the youngest first, each until it is full";
  EXPECT_TRUE(bench.model.pop(GroupId{2}));
  EXPECT_TRUE(bench.model.pop(GroupId{0}));
  (void)bench.tick();
  EXPECT_EQ(bench.counters.fetches, 7u);
  EXPECT_FALSE(bench.model.pop(GroupId{2})) << "fetched for 0, which issued last";
}

TEST(SubCoreFetch, RoundRobinTakesTurns) {
  FrontEndBench bench({.width_instructions = 1, .ibuffer_slots = 2});
  bench.warm();
  for (const std::uint32_t group : {0u, 1u, 2u}) bench.model.redirect(GroupId{group}, Pc{0}, bench.now);
  std::vector<std::uint32_t> order;
  for (unsigned i = 0; i < 5; ++i) {
    const FetchReport tick = bench.tick();
    for (unsigned k = 0; k < tick.filled_count; ++k) order.push_back(tick.filled[k].value());
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{1, 2, 0}));
}

TEST(SubCoreFetch, StopsBehindControlInstructionsAndVoidsWhatIsOnItsWay) {
  FrontEndBench bench({.width_instructions = 1, .latency_cycles = 3, .ibuffer_slots = 4});
  bench.instructions_[1].stops_fetch = true;
  bench.set();
  bench.warm();
  bench.model.redirect(GroupId{0}, Pc{0}, bench.now);
  for (unsigned i = 0; i < 8; ++i) (void)bench.tick();
  EXPECT_EQ(bench.counters.fetches, 2u);
  EXPECT_EQ(bench.model.next_due(bench.now), kNever) << "it waits for the branch unit at no cost";
  bench.model.redirect(GroupId{0}, Pc{8}, bench.now);
  (void)bench.tick();
  bench.model.redirect(GroupId{0}, Pc{0}, bench.now);
  unsigned filled = 0;
  for (unsigned i = 0; i < 3; ++i) filled += bench.tick().filled_count;
  EXPECT_EQ(filled, 0u) << "what was fetched at 8 is void";
  EXPECT_EQ(bench.tick().filled_count, 1u);
}

TEST(SubCoreFetch, AGroupThatWaitsForALineLetsOthersGoOn) {
  FrontEndBench bench({.width_instructions = 1, .ibuffer_slots = 2});
  (void)bench.model.lines().look_up(line(0));
  bench.model.lines().asked(line(0));
  (void)bench.model.lines().arrived(line(0));
  bench.model.redirect(GroupId{1}, Pc{32}, bench.now);  // line 4
  bench.model.redirect(GroupId{2}, Pc{0}, bench.now);
  FetchReport report;
  bench.model.tick(1, report);
  ASSERT_EQ(report.missed_count, 1u);
  EXPECT_EQ(report.missed[0], GroupId{1});
  for (Cycle cycle = 2; cycle < 6; ++cycle) {
    report = {};
    bench.model.tick(cycle, report);
  }
  EXPECT_EQ(bench.counters.fetches, 2u) << "for group 2";
  EXPECT_EQ(bench.model.next_due(6), kNever);
  bench.model.line_arrives(line(5));
  EXPECT_EQ(bench.model.next_due(6), kNever) << "another line";
  bench.model.line_arrives(line(4));
  EXPECT_EQ(bench.model.next_due(6), 7u);
}

TEST(SubCoreFetch, DoesNotCrossALineInOneCycle) {
  FrontEndBench bench({.width_instructions = 4, .latency_cycles = 1, .ibuffer_slots = 8});
  bench.warm();
  bench.model.redirect(GroupId{0}, Pc{6}, bench.now);  // the last but one of its line
  (void)bench.tick();
  (void)bench.tick();
  EXPECT_EQ(bench.counters.instructions, 2u);
  (void)bench.tick();
  EXPECT_EQ(bench.counters.instructions, 6u);
}

TEST(SubCoreFetch, GoesOnBehindAControlInstructionAndHasWhatFollows) {
  FrontEndBench bench({.behind_control = FetchBehindControl::kGoesOn,
                       .redirect_cycles = 5,
                       .width_instructions = 1,
                       .latency_cycles = 1,
                       .ibuffer_slots = 3});
  bench.instructions_[0].stops_fetch = true;
  bench.set();
  bench.warm();
  bench.model.appears(GroupId{0});
  bench.model.redirect(GroupId{0}, Pc{0}, bench.now);
  for (unsigned i = 0; i < 6; ++i) (void)bench.tick();
  EXPECT_EQ(bench.counters.fetches, 3u) << "the I-buffer is full";
  bench.model.redirect(GroupId{0}, Pc{1}, bench.now);  // not taken
  EXPECT_EQ(bench.tick().filled_count, 1u) << "at once";
  bench.model.redirect(GroupId{0}, Pc{20}, bench.now);  // taken
  for (unsigned cycle = 1; cycle <= 7; ++cycle)
    EXPECT_EQ(bench.tick().filled_count, cycle == 6 ? 1u : 0u)
        << "five cycles, then a fetch: cycle " << cycle;
}

TEST(SubCoreFetch, ADirectBranchNotFarAwayIsFetchedForEarlier) {
  FrontEndBench bench({.behind_control = FetchBehindControl::kGoesOn,
                       .redirect_cycles = 9,
                       .near_redirect_cycles = 4,
                       .near_back_redirect_cycles = 6,
                       .near_lines = 2,
                       .width_instructions = 1,
                       .latency_cycles = 1,
                       .ibuffer_slots = 3});
  /// Cycles from a branch at `from` to the first instruction at `to`; its target is `target`.
  const auto cycles = [&](std::uint32_t from, std::uint32_t to, std::uint32_t target) {
    bench.instructions_[from].op = isa::Opcode::kBranch;
    bench.instructions_[from].target = Pc{target};
    bench.set();
    bench.warm();
    bench.model.appears(GroupId{0});
    bench.model.redirect(GroupId{0}, Pc{from}, bench.now);
    for (unsigned i = 0; i < 6; ++i) (void)bench.tick();
    bench.model.redirect(GroupId{0}, Pc{to}, bench.now);
    unsigned taken = 1;
    while (bench.tick().filled_count == 0) ++taken;
    return taken;
  };
  EXPECT_EQ(cycles(2, 5, 5), 5u) << "in its line";
  EXPECT_EQ(cycles(2, 15, 15), 5u) << "in the next one, lines have eight";
  EXPECT_EQ(cycles(2, 16, 16), 10u) << "in the one behind that";
  EXPECT_EQ(cycles(6, 3, 3), 7u) << "backward in its line";
  EXPECT_EQ(cycles(9, 3, 3), 7u) << "in the one before";
  EXPECT_EQ(cycles(17, 3, 3), 10u) << "in the one before that";
  EXPECT_EQ(cycles(2, 6, 20), 10u) << "not its target: lanes that had waited go on";
}

TEST(SubCoreFetch, ABlockedGroupKeepsWhatFollowsAndANewOneHasNothing) {
  FrontEndBench bench(
      {.behind_control = FetchBehindControl::kGoesOn, .width_instructions = 1, .ibuffer_slots = 3});
  bench.warm();
  bench.model.appears(GroupId{1});
  bench.model.redirect(GroupId{1}, Pc{0}, bench.now);
  for (unsigned i = 0; i < 5; ++i) (void)bench.tick();
  bench.model.stop(GroupId{1});  // at a barrier
  EXPECT_EQ(bench.model.next_due(bench.now), kNever);
  bench.model.redirect(GroupId{1}, Pc{1}, bench.now);
  EXPECT_EQ(bench.tick().filled_count, 1u);
  bench.model.stop(GroupId{1});
  bench.model.appears(GroupId{1});  // of another warp
  bench.model.redirect(GroupId{1}, Pc{2}, bench.now);
  EXPECT_EQ(bench.tick().filled_count, 0u);
  EXPECT_EQ(bench.tick().filled_count, 1u);
}

TEST(SubCoreFetch, EmptyFirstServesWhoHasNothingThoughAnotherIssuesInEachCycle) {
  for (const FetchPolicy policy : {FetchPolicy::kEmptyFirst, FetchPolicy::kFollowsIssue}) {
    FrontEndBench bench({.policy = policy, .width_instructions = 1, .latency_cycles = 2, .ibuffer_slots = 3});
    bench.warm();
    for (const std::uint32_t group : {1u, 0u}) {
      bench.model.appears(GroupId{group});
      bench.model.redirect(GroupId{group}, Pc{0}, bench.now);
    }
    for (unsigned i = 0; i < 9; ++i) (void)bench.tick();  // both are full
    bench.model.redirect(GroupId{1}, Pc{20}, bench.now);
    unsigned issued = 0, filled = 0;
    bool head = true;
    for (unsigned i = 0; i < 12; ++i) {
      if (head) {
        head = bench.model.pop(GroupId{0});
        ++issued;
      }
      const FetchReport report = bench.tick();
      for (unsigned k = 0; k < report.filled_count; ++k) {
        head = head || report.filled[k] == GroupId{0};
        filled += report.filled[k] == GroupId{1} ? 1u : 0u;
      }
    }
    const bool fair = policy == FetchPolicy::kEmptyFirst;
    EXPECT_EQ(filled, fair ? 1u : 0u);
    EXPECT_EQ(issued, fair ? 11u : 12u) << "one fetch was the other group's";
  }
}

}  // namespace
}  // namespace heddle::core::sub_core_fetch_test
