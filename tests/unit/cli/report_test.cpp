#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "cli/report.h"
#include "cli/report_model.h"

namespace heddle::cli::report_test {
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
  r.complete = true;
  r.kernel = "saxpy";
  r.shape = {.grid = {2, 1, 1}, .block = {64, 1, 1}, .dynamic_shared_bytes = 0};
  r.cycles = 50;
  r.warp_instructions = 180;
  r.thread_instructions = 2880;
  r.host_seconds = 0.001;
  r.simulation_seconds = 0.0007;
  return r;
}

nlohmann::ordered_json statistics() {
  return {
      {"core0", core_statistics(1)}, {"core1", core_statistics(2)}, {"partition0", partition_statistics()}};
}

LaunchSummary summary() { return summarize(record(), statistics()); }

/// `launches` such launches of one kernel; reports have lines for the first ones.
RunSummary run(std::uint64_t launches) {
  gpu::KernelRecord k;
  k.kernel = "saxpy";
  k.module = "some/folder/saxpy.ptx";
  k.shape = record().shape;
  k.launches = launches;
  for (std::uint64_t i = 0; i < launches; ++i) k += record();
  nlohmann::ordered_json statistics = {{"core0", core_statistics(launches)},
                                       {"core1", core_statistics(2 * launches)},
                                       {"partition0", partition_statistics()}};
  return {{summarize(k, statistics)},
          std::vector<LaunchSummary>(std::min<std::size_t>(launches, kLaunchLines), summary())};
}

TEST(ReportModel, SumsOverCoresAndPartitions) {
  const LaunchSummary s = summary();
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
  nlohmann::ordered_json fewer = statistics();
  fewer["core0"].erase("l1d");
  fewer["core1"].erase("l1d");
  EXPECT_THROW((void)summarize(record(), fewer), std::out_of_range);
  EXPECT_THROW((void)sum_at(fewer, "core*.issue"), std::out_of_range) << "a group has no value";
}

TEST(ReportModel, PatternsMatchWholeElements) {
  const auto json =
      nlohmann::ordered_json::parse(R"({"core0": {"a": 1}, "core10": {"a": 2}, "score": {"a": 4}})");
  EXPECT_EQ(sum_at(json, "core*.a"), 3u);
  EXPECT_EQ(sum_at(json, "core1*.a"), 2u);
  EXPECT_EQ(sum_at(json, "*.a"), 7u);
  EXPECT_THROW((void)sum_at(json, "cor.a"), std::out_of_range);
}

TEST(ReportModel, KernelsAddUp) {
  const LaunchSummary one = summary();
  RunSummary all = run(2);
  all.kernels.push_back(one);
  all.kernels.back().kernel = "other";
  const LaunchSummary total = all.total();
  EXPECT_EQ(total.launches, 3u);
  EXPECT_EQ(total.kernel, "all launches");
  EXPECT_EQ(total.cycles, 150u);
  EXPECT_EQ(total.warp_instructions, 540u);
  EXPECT_EQ(total.all_slots(), 900u);
  EXPECT_EQ(total.dram_read_bytes, std::uint64_t{2} * 384);
  EXPECT_EQ(total.ipc(), one.ipc());
  EXPECT_DOUBLE_EQ(total.host_seconds, 0.003);
  EXPECT_DOUBLE_EQ(total.simulation_seconds, 0.0021);
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
  const std::string text = report_text({"saxpy", "seed 1", {}, true, "all right"}, run(1), gpu::GpuConfig{});
  EXPECT_THAT(text, AllOf(HasSubstr("saxpy on gtx480 (seed 1)\n"), HasSubstr("passed: all right"),
                          HasSubstr("grid 2 x 1 x 1, block 64 x 1 x 1"), HasSubstr("180 warp, 2,880 thread"),
                          HasSubstr("3.600 warp instructions per cycle"), HasSubstr("50.0 %"),
                          HasSubstr("issued             180   60.0 %  ########################\n"),
                          HasSubstr("45 hits of 60 load accesses, 75.0 %"), HasSubstr("row hits 75.0 %")));
  // 512 bytes in 50 cycles of 1400 MHz.
  EXPECT_THAT(text, HasSubstr("14.3 GB/s of 177.4"));
  EXPECT_THAT(text, Not(HasSubstr("host")));
  EXPECT_THAT(host_text(run(1)), HasSubstr("0.001 s, 0.001 of it simulation; 0.180 M warp instructions/s, "
                                           "50.0 k GPU cycles/s"));
}

TEST(Report, SeveralLaunchesGetALineEachAndATotal) {
  const std::string text = report_text({"bfs", "", {}, false, "3 differ"}, run(30), gpu::GpuConfig{});
  EXPECT_THAT(text,
              AllOf(HasSubstr("bfs on gtx480\n"), HasSubstr("FAILED: 3 differ"), HasSubstr("all 30 launches"),
                    HasSubstr("1,500 core cycles"), HasSubstr("6 more: --per-launch")));
}

TEST(Report, NoLaunchesIsNoReport) {
  EXPECT_EQ(report_text({"x", "", {}, true, "ok"}, {}, gpu::GpuConfig{}),
            "x on gtx480\n  result          passed: ok\n");
}

nlohmann::ordered_json json(const std::vector<Measured>& kernels, const std::vector<Measured>* launches) {
  return report_json({"saxpy", "", {{"workload", "saxpy"}}, true, "ok"}, kernels, launches, gpu::GpuConfig{},
                     {{"core.x", {{"unit", ""}}}});
}

TEST(Report, JsonHasTheSameNumbersAndTheWholeTree) {
  const std::vector<Measured> kernels = {{run(2).kernels[0], statistics()}};
  const auto by_kernel = json(kernels, nullptr);
  EXPECT_EQ(by_kernel.at("workload"), "saxpy");
  EXPECT_EQ(by_kernel.at("total").at("launches"), 2);
  EXPECT_EQ(by_kernel.at("total").at("cycles"), 100);
  EXPECT_EQ(by_kernel.at("total").at("issue_slots").at("all"), 600);
  EXPECT_EQ(by_kernel.at("total").at("issue_slots").at("by_cause").at("issued"), 360);
  ASSERT_EQ(by_kernel.at("kernels").size(), 1u);
  const auto& kernel = by_kernel.at("kernels")[0];
  EXPECT_EQ(kernel.at("source"), "saxpy.ptx");
  EXPECT_EQ(kernel.at("launches"), 2);
  EXPECT_EQ(kernel.at("grid"), (nlohmann::ordered_json{2, 1, 1}));
  EXPECT_EQ(kernel.at("summary").at("l1d").at("load_hits"), 90);
  EXPECT_EQ(kernel.at("statistics").at("core1").at("l1d").at("load_hits"), 30);
  EXPECT_FALSE(by_kernel.contains("launches"));
  EXPECT_THAT(by_kernel.dump(), Not(HasSubstr("host"))) << "host times differ from run to run";
}

TEST(Report, EnergyHasALineWithTheLargestClasses) {
  EXPECT_THAT(report_text({"saxpy", "", {}, true, "ok"}, run(1), gpu::GpuConfig{}), Not(HasSubstr("energy")));
  nlohmann::ordered_json with = statistics();
  with["energy"] = {{"dynamic", 8'000'000'000u},
                    {"fetch", {{"dynamic", 400'000'000u}, {"l1i_access", 400'000'000u}}},
                    {"l2", {{"dynamic", 600'000'000u}}},
                    {"dram", {{"dynamic", 5'000'000'000u}}},
                    {"stack", {{"dynamic", 0u}}},
                    {"lsu", {{"dynamic", 800'000'000u}}},
                    {"crossbar", {{"dynamic", 1'200'000'000u}}}};
  const LaunchSummary once = summarize(record(), with);
  RunSummary twice{{once, once}, {once, once}};
  EXPECT_EQ(once.all_femtojoules(), 8'000'000'000u);
  EXPECT_THAT(
      report_text({"saxpy", "", {}, true, "ok"}, twice, gpu::GpuConfig{}),
      HasSubstr("  energy          16.000 uJ dynamic (for ratios only): dram 62.5 %, crossbar 15.0 %, "
                "lsu 10.0 %, l2 7.5 %\n"));
  const auto entry = json({{once, with}, {once, with}}, nullptr).at("total").at("energy");
  EXPECT_EQ(entry.at("dynamic_femtojoules"), 16'000'000'000u);
  EXPECT_EQ(entry.at("by_class").at("fetch"), 800'000'000u);
  for (auto& [name, of_class] : with["energy"].items())
    if (of_class.is_object()) of_class["dynamic"] = 0u;
  EXPECT_THAT(report_text({"saxpy", "", {}, true, "ok"}, {{summarize(record(), with)}, {}}, gpu::GpuConfig{}),
              HasSubstr("  energy          0.000 uJ dynamic (for ratios only)\n"));
}

TEST(Report, JsonMarksWhatHasNotFinished) {
  gpu::LaunchRecord cut = record();
  cut.complete = false;
  const std::vector<Measured> launches = {{summary(), statistics()},
                                          {summarize(cut, statistics()), statistics()}};
  gpu::KernelRecord ended, other;
  ended.complete = false;
  const std::vector<Measured> kernels = {{summarize(other, statistics()), statistics()},
                                         {summarize(ended, statistics()), statistics()}};
  const RunSummary all{{kernels[0].summary, kernels[1].summary}, {}};
  for (const auto& both : {json(kernels, &launches), host_json(all, &launches)})
    for (const char* parts : {"kernels", "launches"}) {
      EXPECT_FALSE(both.at(parts)[0].contains("complete")) << parts;
      EXPECT_EQ(both.at(parts)[1].at("complete"), false) << parts;
    }
}

TEST(Report, JsonHasEveryLaunchOnRequest) {
  const std::vector<Measured> kernels = {{run(2).kernels[0], statistics()}};
  const std::vector<Measured> launches(2, {summary(), statistics()});
  const auto with = json(kernels, &launches);
  ASSERT_EQ(with.at("launches").size(), 2u);
  EXPECT_EQ(with.at("launches")[1].at("kernel"), "saxpy");
  EXPECT_EQ(with.at("launches")[1].at("statistics").at("core1").at("l1d").at("load_hits"), 30);
  EXPECT_EQ(with.at("launches")[0].at("summary").at("l2").at("rate"), 0.5);
  auto without = with;
  without.erase("launches");
  EXPECT_EQ(without, json(kernels, nullptr)) << "nothing else changes";
}

TEST(Report, AKernelOfSeveralShapesHasNone) {
  Measured kernel{run(2).kernels[0], statistics()};
  kernel.summary.one_shape = false;
  const auto entry = json({kernel}, nullptr).at("kernels")[0];
  for (const char* name : {"grid", "block", "dynamic_shared_bytes"}) EXPECT_TRUE(entry.at(name).is_null());
}

TEST(Report, HostTimeIsSplitAndAddsUp) {
  const RunSummary both = run(2);
  const std::vector<Measured> launches(2, {summary(), statistics()});
  const auto host = host_json(both, &launches);
  EXPECT_DOUBLE_EQ(host.at("seconds"), 0.002);
  EXPECT_DOUBLE_EQ(host.at("simulation_seconds"), 0.0014);
  EXPECT_DOUBLE_EQ(host.at("setup_and_statistics_seconds"), 0.0006);
  EXPECT_EQ(host.at("kernels")[0].at("launches"), 2);
  EXPECT_EQ(host.at("launches").size(), 2u);
  EXPECT_FALSE(host_json(both, nullptr).contains("launches"));
}

TEST(Report, ARunThatEndedEarlySaysSo) {
  RunHeader header{"saxpy", "", {{"workload", "saxpy"}}, false, "stopped"};
  header.ended_early = "stopped";
  EXPECT_THAT(report_text(header, run(2), gpu::GpuConfig{}), HasSubstr("INCOMPLETE: stopped\n"));
  const auto early = report_json(header, {{run(2).kernels[0], statistics()}}, nullptr, gpu::GpuConfig{}, {});
  EXPECT_EQ(early.at("complete"), false);
  EXPECT_EQ(early.at("reason"), "stopped");
  EXPECT_FALSE(early.contains("diagnosis"));
}

}  // namespace
}  // namespace heddle::cli::report_test
