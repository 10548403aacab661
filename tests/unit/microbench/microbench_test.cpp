// The parts of the microbenchmarks that need no GPU: expectations, reports, clock edges, DRAM timing, kernel
// text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "frontend/ptx/parser.h"
#include "microbench/alu_ops.h"
#include "microbench/bandwidth.h"
#include "microbench/dram_path.h"
#include "microbench/kernel_text.h"
#include "microbench/memory_path.h"
#include "microbench/number.h"
#include "microbench/report.h"

namespace heddle::microbench::microbench_test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(MicrobenchExpectation, AcceptsWhatItsBoundSays) {
  EXPECT_TRUE(exactly(18).accepts(18));
  EXPECT_TRUE(exactly(1.0 / 3).accepts(32.0 / 96));
  EXPECT_FALSE(exactly(18).accepts(18.001));
  EXPECT_FALSE(exactly(500.5).accepts(500.49));
  EXPECT_TRUE(at_least(2).accepts(2));
  EXPECT_FALSE(at_least(2).accepts(1.999));
  EXPECT_TRUE(at_most(2).accepts(1));
  EXPECT_FALSE(at_most(2).accepts(2.001));
  EXPECT_TRUE(within(0.5, 10).accepts(10.5));
  EXPECT_FALSE(within(0.5, 10).accepts(10.51));
  EXPECT_FALSE(within(0.5, 10).accepts(9.49));
  EXPECT_FALSE(exactly(0).accepts(std::numeric_limits<double>::quiet_NaN()));
}

TEST(MicrobenchExpectation, IsShownAsItIsMeant) {
  EXPECT_EQ(exactly(18).text(), "18");
  EXPECT_EQ(at_least(168.5).text(), ">= 168.5");
  EXPECT_EQ(at_most(2).text(), "<= 2");
  EXPECT_EQ(within(0.25, 18.125).text(), "18.125 +- 0.25");
  EXPECT_EQ(within(0, 18).text(), "18");
  EXPECT_EQ(number(1.0 / 3), "0.333");
  EXPECT_EQ(number(-2.5), "-2.5");
  EXPECT_EQ(number(1e6), "1000000");
}

std::vector<Result> some_results() {
  Result good{.benchmark = "good", .readings = {}};
  good.readings.push_back(
      {.what = "a", .measured = 4, .expected = exactly(4), .unit = "cycles", .keys = "x.y"});
  Result bad{.benchmark = "bad", .readings = {}};
  bad.readings.push_back({.what = "b",
                          .measured = 5,
                          .expected = at_least(6),
                          .unit = "cycles",
                          .keys = "x.z",
                          .why = "nobody knows"});
  return {good, bad, {.benchmark = "absent", .readings = {}, .missing = "there is no such unit"}};
}

TEST(MicrobenchReport, TellsFailuresBoundsAndWhatIsMissing) {
  const std::vector<Result> results = some_results();
  EXPECT_TRUE(results[0].ok());
  EXPECT_FALSE(results[1].ok());
  EXPECT_TRUE(results[2].ok());
  const std::string text = table(results);
  EXPECT_THAT(text, HasSubstr("good a"));
  EXPECT_THAT(text, HasSubstr("FAILED"));
  EXPECT_THAT(text, HasSubstr("there is no such unit"));
  EXPECT_THAT(text, HasSubstr("bad: nobody knows"));
  EXPECT_THAT(table({results[0]}), Not(HasSubstr("FAILED")));
}

TEST(MicrobenchReport, JsonHoldsEveryReading) {
  const nlohmann::ordered_json json = to_json(some_results());
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[1]["benchmark"], "bad");
  EXPECT_EQ(json[1]["measured"], 5);
  EXPECT_EQ(json[1]["bound"], "at_least");
  EXPECT_EQ(json[1]["ok"], false);
}

TEST(MicrobenchSuite, NamesAreUniqueAndFound) {
  std::set<std::string> names;
  for (const Benchmark& benchmark : all()) {
    EXPECT_TRUE(names.insert(benchmark.name).second) << benchmark.name;
    EXPECT_EQ(find(benchmark.name), &benchmark);
    EXPECT_FALSE(benchmark.description.empty());
    EXPECT_FALSE(benchmark.mutations(gpu::GpuConfig{}).empty()) << benchmark.name;
  }
  EXPECT_EQ(find("no-such-benchmark"), nullptr);
}

TEST(MicrobenchEdges, AreRoundedPicosecondsAndFoundFromBothSides) {
  const Edges edges(924);
  EXPECT_EQ(edges.time(0), 0u);
  EXPECT_EQ(edges.time(1), 1082u);  // 1082.25
  EXPECT_EQ(edges.time(3), 3247u);  // 3246.75
  EXPECT_EQ(edges.time(924'000), 1'000'000'000u);
  for (const double mhz : {1.0, 333.0, 700.0, 924.0, 1364.999, 3500.0}) {
    const Edges clock(mhz);
    for (std::uint64_t k = 1; k < 3000; k += 7) {
      EXPECT_EQ(clock.at_or_after(clock.time(k)), k);
      EXPECT_EQ(clock.at_or_after(clock.time(k) - 1), k);
      EXPECT_EQ(clock.after(clock.time(k)), k + 1);
    }
  }
}

TEST(MicrobenchClosedLoop, IsLittlesLawUpToTheSlowestStage) {
  const ClosedLoop loop{{100, 100}, {5, 5}, true};
  EXPECT_DOUBLE_EQ(closed_loop_rate(loop, 1).most, 0.01);
  EXPECT_DOUBLE_EQ(closed_loop_rate(loop, 20).most, 0.2);  // both limits are equal
  EXPECT_DOUBLE_EQ(closed_loop_rate(loop, 21).most, 0.2);
  EXPECT_DOUBLE_EQ(closed_loop_rate(loop, 500).most, 0.2);
  for (const double lines : {1.0, 10.0, 20.0, 30.0, 500.0})
    EXPECT_DOUBLE_EQ(closed_loop_rate(loop, lines).least, closed_loop_rate(loop, lines).most) << lines;
}

TEST(MicrobenchClosedLoop, LinesMayMeetWhereLatencyAndThroughputLimitAlike) {
  const ClosedLoop loop{{100, 100}, {5, 5}};
  EXPECT_DOUBLE_EQ(closed_loop_rate(loop, 4).least, 0.04);                    // a load of 0.2
  EXPECT_DOUBLE_EQ(closed_loop_rate(loop, 20).least, 20.0 / (100 + 19 * 5));  // each waits for all others
  EXPECT_DOUBLE_EQ(closed_loop_rate(loop, 41).least, 0.2);  // more than twice what saturates it
  const ClosedLoop varying{{80, 125}, {4, 5}, true};
  EXPECT_DOUBLE_EQ(closed_loop_rate(varying, 4).least, 4.0 / 125);
  EXPECT_DOUBLE_EQ(closed_loop_rate(varying, 4).most, 4.0 / 80);
  EXPECT_DOUBLE_EQ(closed_loop_rate(varying, 400).least, 0.2);
  EXPECT_DOUBLE_EQ(closed_loop_rate(varying, 400).most, 0.25);
}

TEST(MicrobenchPorts, ReadThePartitionOfTheirNumber) {
  gpu::GpuConfig config;
  config.memory.partitions = 4;
  config.memory.crossbar.cluster_cores = 3;
  using testing::ElementsAre;
  EXPECT_THAT(ports_reading(config, 0, 14), ElementsAre(3, 2));  // the fifth port has two cores
  EXPECT_THAT(ports_reading(config, 1, 14), ElementsAre(3));
  EXPECT_THAT(ports_reading(config, 3, 14), ElementsAre(3));
  EXPECT_THAT(ports_reading(config, 0, 1), ElementsAre(1));
  EXPECT_THAT(ports_reading(config, 1, 3), testing::IsEmpty());
}

/// 8 bytes of header, 32-byte flits, lines of 128 bytes: five flits for a line, one for a request. 1 GHz.
gpu::GpuConfig plain_gpu() {
  gpu::GpuConfig config;
  config.clocks = {.core_mhz = 1000, .interconnect_mhz = 1000, .l2_mhz = 1000, .dram_mhz = 1000};
  config.memory.crossbar.header_bytes = 8;
  config.memory.crossbar.flit_bytes = 32;
  config.memory.crossbar.latency_cycles = 5;
  config.memory.crossbar.output_queue_packets = 8;
  config.memory.dram.t_refi = 0;
  return config;
}

TEST(MicrobenchLimits, LinksCarryAFlitPerCycle) {
  gpu::GpuConfig config = plain_gpu();
  EXPECT_DOUBLE_EQ(port_limit(config, 1), 128 / 5.0);
  EXPECT_DOUBLE_EQ(slice_limit(config), 128 / 5.0);
  config.memory.crossbar.output_queue_packets =
      1;  // an entry is reserved for 5 + 5 cycles by a line, for 1 + 5 by a request
  EXPECT_DOUBLE_EQ(port_limit(config, 1), 12.8);
  EXPECT_DOUBLE_EQ(slice_limit(config), 128 / 6.0);
  config.clocks.core_mhz = 50;
  EXPECT_DOUBLE_EQ(port_limit(config, 1), 6.4);  // a line per cycle
  EXPECT_DOUBLE_EQ(port_limit(config, 2), 12.8);
  config.clocks.l2_mhz = 100;
  EXPECT_DOUBLE_EQ(slice_limit(config), 12.8);
}

TEST(MicrobenchLimits, ChannelCarriesWhatItsBusAndTheL2sMissesAllow) {
  gpu::GpuConfig config = plain_gpu();
  memory::DramConfig& dram = config.memory.dram;
  const double bus = dram.burst_bytes / std::max<double>(dram.t_ccd, dram.burst_cycles());
  config.memory.l2.banks = 1, config.memory.l2.mshr_entries = 1000;
  EXPECT_DOUBLE_EQ(channel_limit(config, RowChanges::kHidden), bus);
  dram.t_refi = 1000, dram.t_rp = 10, dram.t_rcd = 15, dram.t_rfc = 75;
  EXPECT_DOUBLE_EQ(refreshing(dram), 0.1);
  EXPECT_DOUBLE_EQ(channel_limit(config, RowChanges::kHidden), 0.9 * bus);
  // One line at a time: its latency, with a possible row change.
  config.memory.l2.mshr_entries = 1;
  const double hidden = 128 / channel_limit(config, RowChanges::kHidden);
  EXPECT_NEAR(128 / channel_limit(config, RowChanges::kEach), hidden + 25, 1e-9);
  EXPECT_NEAR(128 / channel_limit(config, RowChanges::kShared), hidden + 25 * 128.0 / dram.row_bytes, 1e-9);
}

// Row hits and conflicts from the latency model, at every phase of the slower clocks.
TEST(MicrobenchMemoryPath, TripsSpanRowHitsAndConflicts) {
  const gpu::GpuConfig config;
  const MemoryPath path(config);
  const MemoryPath::Trips l2 = path.l2_trips(128), dram = path.dram_trips(128);
  const double l2_cycle = config.clocks.core_mhz / config.clocks.l2_mhz,
               dram_cycle = config.clocks.core_mhz / config.clocks.dram_mhz;
  EXPECT_EQ(l2.least, std::min(path.delivered(1, 128) + 1, path.delivered(2, 128)));  // two phases: 2 to 1
  EXPECT_LE(l2.most - l2.least, 2 * l2_cycle);
  EXPECT_GT(dram.least, l2.most);
  const double row_change = (config.memory.dram.t_rp + config.memory.dram.t_rcd) * dram_cycle;
  EXPECT_NEAR(static_cast<double>(dram.most - dram.least), row_change, 4 * l2_cycle);
  EXPECT_LT(path.l2_trips(32).least, l2.least);  // fewer flits
}

memory::DramConfig plain_dram() {
  memory::DramConfig dram;  // the GTX 480's
  dram.t_refi = 0;
  dram.latency_cycles = 100;
  return dram;
}

// Two bursts of 64 bytes, tCCDL = 3 apart as they are in one bank.
TEST(MicrobenchDramPath, HitClosedAndConflictAddTheirCommands) {
  DramPath dram(plain_dram());
  constexpr std::uint64_t kRow = 4096, kBanks = 16;
  const DramPath::Read first = dram.read(0, 128, 1000);
  EXPECT_EQ(first.outcome, RowOutcome::kUnknown);
  EXPECT_EQ(first.answered, 1000 + 12 + 3 + 12 + 2 + 100);
  const DramPath::Read hit = dram.read(128, 128, 2000);
  EXPECT_EQ(hit.outcome, RowOutcome::kHit);
  EXPECT_EQ(hit.answered, 2000 + 3 + 12 + 2 + 100);
  const DramPath::Read conflict = dram.read(kRow * kBanks, 128, 3000);
  EXPECT_EQ(conflict.outcome, RowOutcome::kConflict);
  EXPECT_EQ(conflict.answered, 3000 + 12 + 12 + 3 + 12 + 2 + 100);
  EXPECT_EQ(dram.read(kRow * kBanks, 64, 4000).answered, 4000 + 12 + 2 + 100);  // one burst
}

TEST(MicrobenchDramPath, RowMustHaveBeenOpenFortRasBeforeItCloses) {
  DramPath dram(plain_dram());
  (void)dram.read(0, 64, 1000);  // activate at 1000
  const DramPath::Read soon = dram.read(std::uint64_t{4096} * 16, 64, 1013);
  EXPECT_EQ(soon.answered, 1000 + 40 + 12 + 12 + 2 + 100);  // tRC; tRAS + tRP is the same
}

TEST(MicrobenchDramPath, RefreshClosesRowsAndDelaysWhatComesMeanwhile) {
  memory::DramConfig config = plain_dram();
  config.t_refi = 2000;
  config.t_rfc = 60;
  DramPath dram(config);
  (void)dram.read(0, 64, 1900);
  const DramPath::Read meanwhile = dram.read(0, 64, 2005);
  EXPECT_EQ(meanwhile.outcome, RowOutcome::kClosed);
  // Precharge at 2000, refresh tRP later, activate tRFC after that.
  EXPECT_EQ(meanwhile.answered, 2000 + 12 + 60 + 12 + 12 + 2 + 100);
  const DramPath::Read later = dram.read(0, 64, 3000);
  EXPECT_EQ(later.outcome, RowOutcome::kHit);
  // Due between the activate and the read: the row has to be opened again.
  const DramPath::Read between = dram.read(4096, 64, 3995);
  EXPECT_EQ(between.outcome, RowOutcome::kUnknown);
  // Activate at 3995; it stays open for tRAS, to 4023; refresh at 4035, and at 4095 it can be opened again.
  EXPECT_EQ(between.answered, 3995 + 28 + 12 + 60 + 12 + 12 + 2 + 100);
}

TEST(MicrobenchAluOps, StepsMatchTheirNames) {
  for (const AluOp& op : alu_ops()) {
    EXPECT_EQ(op.after(0), op.x) << op.name;
    EXPECT_EQ(op.after(3), op.step(op.step(op.step(op.x, op.y), op.y), op.y)) << op.name;
  }
  EXPECT_EQ(alu_op(isa::LatencyClass::kIntMad).after(1), 24u);  // 7 * 3 + 3
  EXPECT_EQ(alu_op(isa::LatencyClass::kIntDiv).after(2), 7u);   // 1000 / (1000 / 7)
}

TEST(MicrobenchKernelText, IsPtxThatTheFrontEndTakes) {
  TimedKernel kernel("timed");
  const std::string x = kernel.parameter("f64"), y = kernel.reg("f64"), p = kernel.reg("pred");
  kernel.module_line(".const .align 4 .b32 table[4];");
  kernel.line("mov.f64 {}, {}", y, x);
  kernel.begin_rounds();
  kernel.start_clock();
  kernel.line("add.f64 {0}, {0}, {0}", y);
  kernel.line("setp.lt.u32 {}, {}, 4", p, kernel.lane());
  kernel.stop_clock();
  kernel.end_rounds(3);
  kernel.keep(kernel.warp());
  kernel.keep_lanes("f64", y);
  for (const std::uint32_t padding : {0u, 5u}) {
    const ptx::Module module = ptx::parse_text(kernel.text(padding), "timed");
    ASSERT_EQ(module.functions.size(), 1u);
    EXPECT_EQ(module.functions[0].name, "timed");
  }
  EXPECT_EQ(kernel.record_words(), 4u);
  EXPECT_EQ(kernel.lane_values(), 1u);
  EXPECT_TRUE(kernel.has_rounds());
}

}  // namespace
}  // namespace heddle::microbench::microbench_test
