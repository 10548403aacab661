// Plain models of the fetch unit and of the instruction cache.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/fetch/fetch.h"
#include "core/fetch/instruction_cache.h"

namespace heddle::core::fetch_test {
namespace {

/// Instructions of 8 bytes in lines of 32, all lines present unless listed.
struct FetchBench {
  explicit FetchBench(const FetchConfig& config, std::uint32_t groups, std::vector<isa::Instruction>& code)
      : model(config, {.line_bytes = 32, .instruction_bytes = 8}, groups) {
    model.set_code(code, 0x1000);
  }
  FetchReport tick(Cycle cycle) {
    FetchReport report;
    model.arrive(cycle, report);
    std::uint64_t line = 0;
    if (model.choose(line)) {
      asked.push_back(line);
      const bool there = std::find(absent.begin(), absent.end(), line) == absent.end();
      model.answer(cycle, report, line, there ? L1iRequest::Result::kHit : L1iRequest::Result::kMiss);
    }
    report.next_due = model.next_due(cycle);
    return report;
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
  FetchReport tick = bench.tick(2);
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
  FetchReport tick = bench.tick(1);
  ASSERT_EQ(tick.missed_count, 1u);
  EXPECT_EQ(tick.missed[0], GroupId{1});
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

TEST(InstructionCache, TheSecondLevelHasTheLaunchsLinesOnce) {
  InstructionCacheModel cache(
      {.size_kib = 4, .line_bytes = 128, .ways = 4, .mshr_entries = 2, .second_latency_cycles = 50});
  cache.expect(0x1000, 0x1200, true);
  EXPECT_FALSE(cache.hit(0x1100)) << "L1I has not asked";
  EXPECT_FALSE(cache.fetch_held(0x2000, 10)) << "none of them";
  EXPECT_FALSE(cache.fetch_held(0x1200, 10)) << "the one behind them";
  ASSERT_TRUE(cache.fetch_held(0x1100, 10));
  EXPECT_EQ(cache.late(10), 50u);
  for (const std::uint64_t line : {0x1000, 0x1080, 0x1100, 0x1180}) EXPECT_TRUE(cache.hit(line));
  EXPECT_EQ(cache.late(35), 25u) << "the others come with the first";
  EXPECT_EQ(cache.late(61), 0u);
  cache.flush();
  EXPECT_FALSE(cache.fetch_held(0x1000, 100)) << "a line that L1I gave up comes from L2";
  cache.expect(0x1000, 0x1200, false);
  EXPECT_FALSE(cache.fetch_held(0x1000, 200)) << "the launch is the first one";
}

TEST(InstructionCache, TheLaunchsLinesArriveWithTheFirstOfThem) {
  InstructionCacheModel cache({.size_kib = 4, .line_bytes = 128, .ways = 4, .mshr_entries = 2});
  cache.expect(0x1000, 0x1200, false);
  EXPECT_FALSE(cache.hit(0x1100)) << "they are on their way";
  cache.start_fill(0x2000);
  cache.fill(0x2000);
  EXPECT_FALSE(cache.hit(0x1100)) << "none of them";
  cache.start_fill(0x1080);
  cache.fill(0x1080);
  for (const std::uint64_t line : {0x1000, 0x1080, 0x1100, 0x1180}) EXPECT_TRUE(cache.hit(line));
  EXPECT_FALSE(cache.hit(0x1200));
}

}  // namespace
}  // namespace heddle::core::fetch_test
