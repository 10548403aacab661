#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "cli/report.h"
#include "cli/report_model.h"

namespace heddle::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

nlohmann::ordered_json core_statistics(std::uint64_t factor) {
  return {
      {"issue",
       {{"active_cycles", 40 * factor},
        {"slots", {{"issued", 60 * factor}, {"scoreboard_memory", 30 * factor}, {"no_warp", 10 * factor}}}}},
      {"l1d", {{"load_accesses", 20 * factor}, {"load_hits", 15 * factor}}}};
}

nlohmann::ordered_json partition_statistics() {
  return {{"l2",
           {{"hits", {{"read", 4}, {"write", 1}, {"atomic", 0}}},
            {"misses", {{"read", 2}, {"write", 1}, {"atomic", 1}}},
            {"merged", {{"read", 1}, {"write", 0}, {"atomic", 0}}},
            {"dram_read_bytes", 384},
            {"dram_write_bytes", 128}}},
          {"dram", {{"row_hits", 3}, {"row_misses", 1}, {"row_conflicts", 0}}}};
}

/// Two cores, of which the second did twice the work, and one partition.
gpu::LaunchRecord record() {
  gpu::LaunchRecord r;
  r.kernel = "saxpy";
  r.shape = {.grid = {2, 1, 1}, .block = {64, 1, 1}, .dynamic_shared_bytes = 0};
  r.cycles = 50;
  r.warp_instructions = 180;
  r.thread_instructions = 2880;
  r.host_seconds = 0.001;
  r.stats = {
      {"core0", core_statistics(1)}, {"core1", core_statistics(2)}, {"partition0", partition_statistics()}};
  return r;
}

TEST(ReportModel, SumsOverCoresAndPartitions) {
  const LaunchSummary s = summarize(record());
  EXPECT_EQ(s.busy_core_cycles, 120u);
  ASSERT_EQ(s.slots.size(), 3u);
  EXPECT_EQ(s.slots[0].name, "issued");
  EXPECT_EQ(s.slots[0].slots, 180u);
  EXPECT_EQ(s.slots[2].slots, 30u);
  EXPECT_EQ(s.all_slots(), 300u);
  EXPECT_EQ(s.l1d_loads.part, 45u);
  EXPECT_EQ(s.l1d_loads.rate(), 0.75);
  EXPECT_EQ(s.l2.part, 5u);
  EXPECT_EQ(s.l2.whole, 10u);
  EXPECT_EQ(s.dram_rows.rate(), 0.75);
  EXPECT_EQ(s.ipc(), 3.6);
  EXPECT_EQ(s.simd().rate(), 0.5);
}

TEST(ReportModel, MissingStatisticsAreNotZero) {
  gpu::LaunchRecord r = record();
  r.stats["core0"].erase("l1d");
  r.stats["core1"].erase("l1d");
  EXPECT_THROW((void)summarize(r), std::out_of_range);
  EXPECT_THROW((void)sum_at(r.stats, "core*.issue"), std::out_of_range) << "a group has no value";
}

TEST(ReportModel, PatternsMatchWholeElements) {
  const auto json =
      nlohmann::ordered_json::parse(R"({"core0": {"a": 1}, "core10": {"a": 2}, "score": {"a": 4}})");
  EXPECT_EQ(sum_at(json, "core*.a"), 3u);
  EXPECT_EQ(sum_at(json, "core1*.a"), 2u);
  EXPECT_EQ(sum_at(json, "*.a"), 7u);
  EXPECT_THROW((void)sum_at(json, "cor.a"), std::out_of_range);
}

TEST(ReportModel, LaunchesAddUp) {
  const LaunchSummary one = summarize(record());
  const LaunchSummary total = add_up({one, one, one});
  EXPECT_EQ(total.cycles, 150u);
  EXPECT_EQ(total.warp_instructions, 540u);
  EXPECT_EQ(total.all_slots(), 900u);
  EXPECT_EQ(total.l2.whole, 30u);
  EXPECT_EQ(total.dram_read_bytes, std::uint64_t{3} * 384);
  EXPECT_EQ(total.ipc(), one.ipc());
}

TEST(Report, PercentagesAddUpToAHundred) {
  for (const std::vector<std::uint64_t>& counts :
       std::vector<std::vector<std::uint64_t>>{{1, 1, 1},
                                               {1, 2, 3, 5, 7, 11},
                                               {999'999, 1},
                                               {1},
                                               {0, 5, 0},
                                               {1, 1, 1, 1, 1, 1, 1},
                                               {10'000'000'000'000, 1}}) {
    const auto percents = percentages(counts);
    long tenths = 0;
    for (const double percent : percents) tenths += std::lround(percent * 10);
    EXPECT_EQ(tenths, 1000);
    for (std::size_t i = 0; i < counts.size(); ++i) EXPECT_TRUE(counts[i] != 0 || percents[i] == 0.0);
  }
  EXPECT_THAT(percentages({0, 0}), testing::ElementsAre(0.0, 0.0));
}

TEST(Report, NumbersAreGrouped) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(grouped(123456), "123,456");
}

TEST(Report, TextHasTheNumbersOfTheModelAndNoHostTime) {
  const std::vector<LaunchSummary> launches = {summarize(record())};
  const std::string text =
      report_text({"saxpy", "seed 1", {}, true, "all right"}, launches, gpu::GpuConfig{});
  EXPECT_THAT(text, AllOf(HasSubstr("saxpy on gtx480 (seed 1)\n"), HasSubstr("passed: all right"),
                          HasSubstr("grid 2 x 1 x 1, block 64 x 1 x 1"), HasSubstr("180 warp, 2,880 thread"),
                          HasSubstr("3.600 warp instructions per cycle"), HasSubstr("50.0 %"),
                          HasSubstr("issued             180   60.0 %  ########################\n"),
                          HasSubstr("45 hits of 60 load accesses, 75.0 %"), HasSubstr("row hits 75.0 %")));
  // 512 bytes in 50 cycles of 1400 MHz.
  EXPECT_THAT(text, HasSubstr("14.3 GB/s of 177.4"));
  EXPECT_THAT(text, Not(HasSubstr("host")));
  EXPECT_THAT(host_text(launches), HasSubstr("0.001 s, 0.180 M warp instructions/s, 50.0 k GPU cycles/s"));
}

TEST(Report, SeveralLaunchesGetALineEachAndATotal) {
  std::vector<LaunchSummary> launches(30, summarize(record()));
  const std::string text = report_text({"bfs", "", {}, false, "3 differ"}, launches, gpu::GpuConfig{});
  EXPECT_THAT(text,
              AllOf(HasSubstr("bfs on gtx480\n"), HasSubstr("FAILED: 3 differ"), HasSubstr("all 30 launches"),
                    HasSubstr("1,500 core cycles"), HasSubstr("6 more, see stats.json")));
}

TEST(Report, NoLaunchesIsNoReport) {
  EXPECT_EQ(report_text({"x", "", {}, true, "ok"}, {}, gpu::GpuConfig{}),
            "x on gtx480\n  result          passed: ok\n");
}

TEST(Report, JsonHasTheSameNumbersAndTheWholeTree) {
  const std::vector<gpu::LaunchRecord> records = {record(), record()};
  const std::vector<LaunchSummary> launches = {summarize(records[0]), summarize(records[1])};
  const auto json = report_json({"saxpy", "", {{"workload", "saxpy"}}, true, "ok"}, launches, records,
                                gpu::GpuConfig{}, {{"core.x", {{"unit", ""}}}});
  EXPECT_EQ(json.at("workload"), "saxpy");
  EXPECT_EQ(json.at("total").at("cycles"), 100);
  EXPECT_EQ(json.at("total").at("issue_slots").at("all"), 600);
  EXPECT_EQ(json.at("total").at("issue_slots").at("by_cause").at("issued"), 360);
  EXPECT_EQ(json.at("launches").size(), 2u);
  EXPECT_EQ(json.at("launches")[1].at("statistics").at("core1").at("l1d").at("load_hits"), 30);
  EXPECT_EQ(json.at("launches")[0].at("summary").at("l2").at("rate"), 0.5);
  EXPECT_THAT(json.dump(), Not(HasSubstr("host"))) << "host times differ from run to run";
}

TEST(Report, ARunThatEndedEarlySaysSo) {
  std::vector<gpu::LaunchRecord> records = {record(), record()};
  records[0].complete = true;
  const std::vector<LaunchSummary> launches = {summarize(records[0]), summarize(records[1])};
  RunHeader header{"saxpy", "", {{"workload", "saxpy"}}, false, "stopped"};
  header.ended_early = "stopped";
  EXPECT_THAT(report_text(header, launches, gpu::GpuConfig{}), HasSubstr("INCOMPLETE: stopped\n"));
  const auto json = report_json(header, launches, records, gpu::GpuConfig{}, {});
  EXPECT_EQ(json.at("complete"), false);
  EXPECT_EQ(json.at("reason"), "stopped");
  EXPECT_FALSE(json.contains("diagnosis"));
  EXPECT_FALSE(json.at("launches")[0].contains("complete"));
  EXPECT_EQ(json.at("launches")[1].at("complete"), false);
}

}  // namespace
}  // namespace heddle::cli
