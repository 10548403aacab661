// Every microbenchmark on every kind of platform: measurements with the GPU's clock equal the configuration, and
// follow changes of it. Each change is made on one platform; from HEDDLE_TEST_DEPTH=5 on, on each.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "blocks/isolated.h"
#include "depth.h"
#include "fewer_cores.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "microbench/report.h"
#include "microbench/session.h"

namespace heddle::microbench_test {
namespace {

struct Outcome {
  std::vector<microbench::Reading> readings;
  std::string table;
};

microbench::Reading reading_of(const nlohmann::ordered_json& json) {
  using Bound = microbench::Expectation::Bound;
  const std::string bound = json["bound"];
  microbench::Reading reading;
  reading.what = json["what"];
  reading.measured = json["measured"];
  reading.expected = {bound == "exactly"    ? Bound::kExactly
                      : bound == "at_least" ? Bound::kAtLeast
                      : bound == "at_most"  ? Bound::kAtMost
                                            : Bound::kWithin,
                      json["expected"], json["slack"]};
  return reading;
}

/// One benchmark on a platform with some keys changed, in a process of its own.
Outcome measure(const std::string& benchmark, const std::string& platform,
                const std::vector<std::string>& assignments) {
  const auto json = tb::isolated([&]() -> nlohmann::ordered_json {
    gpu::GpuDevice device(microbench::as_written(gpu::load_platform(platform, assignments)), {});
    microbench::Session session(device);
    const microbench::Result result = microbench::run(*microbench::find(benchmark), session);
    return {{"readings", microbench::to_json({result})}, {"table", microbench::table({result})}};
  });
  if (json.contains("errors")) {
    ADD_FAILURE() << json.dump(1);
    return {};
  }
  Outcome outcome;
  outcome.table = json["table"];
  for (const auto& reading : json["readings"]) outcome.readings.push_back(reading_of(reading));
  return outcome;
}

bool all_ok(const Outcome& outcome) {
  return !outcome.readings.empty() &&
         std::all_of(outcome.readings.begin(), outcome.readings.end(), [](const auto& r) { return r.ok(); });
}

/// Some value has changed so far that it would have been rejected before the change.
bool has_moved(const Outcome& before, const Outcome& after) {
  for (const microbench::Reading& now : after.readings)
    for (const microbench::Reading& then : before.readings)
      if (then.what == now.what && !then.expected.accepts(now.measured)) return true;
  return false;
}

template <class T>
std::size_t place_in(const std::vector<T>& all, const T& one) {
  return static_cast<std::size_t>(std::find(all.begin(), all.end(), one) - all.begin());
}

std::vector<std::string> benchmark_names() {
  std::vector<std::string> names;
  for (const microbench::Benchmark& benchmark : microbench::all()) names.push_back(benchmark.name);
  return names;
}

/// Of platforms that differ in values alone each benchmark is tested on one; from HEDDLE_TEST_DEPTH=3 on, on all.
bool is_in_turn(const std::string& benchmark, const std::string& platform) {
  static const std::vector<std::vector<std::string>> kAlike{{"a100", "rtx2080ti", "v100"},
                                                            {"gtx480", "tesla_c2050"}};
  for (const std::vector<std::string>& alike : kAlike) {
    const std::size_t number = place_in(alike, platform);
    if (number == alike.size()) continue;
    const auto turns = depth::turns(place_in(benchmark_names(), benchmark), alike.size());
    return std::find(turns.begin(), turns.end(), number) != turns.end();
  }
  return true;
}

/// More than 64 cores: benchmarks that load every core, or fill L2, take minutes there on a machine of this size.
const std::set<std::string> kWide{"a100", "h100", "rtx2080ti", "v100"};

/// The platforms that the benchmark is tested on. Named, not loaded: every test of this program comes by here when it starts.
std::vector<std::string> platforms_of(const std::string& benchmark) {
  static const std::set<std::string> loads_every_core{"occupancy",
                                                      "atomics",
                                                      "l2-working-set",
                                                      "memory-bandwidth",
                                                      "bandwidth-by-warps",
                                                      "bandwidth-by-cores",
                                                      "bandwidth-by-working-set"};
  std::vector<std::string> names;
  for (const gpu::Platform& platform : gpu::platforms())
    if (is_in_turn(benchmark, platform.name) &&
        (loads_every_core.count(benchmark) == 0 || kWide.count(platform.name) == 0))
      names.push_back(platform.name);
  return names;
}

TEST(MicrobenchPlatforms, AreWideWithMoreThan64Cores) {
  for (const gpu::Platform& platform : gpu::platforms())
    EXPECT_EQ(kWide.count(platform.name), gpu::load_platform(platform.name, {}).cores > 64) << platform.name;
}

class Microbench : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  [[nodiscard]] const std::string& benchmark() const { return std::get<0>(GetParam()); }
  [[nodiscard]] const std::string& platform() const { return std::get<1>(GetParam()); }
  [[nodiscard]] std::string missing() const {
    const auto why = microbench::find(benchmark())->missing;
    return why == nullptr ? "" : why(gpu::load_platform(platform(), cores()));
  }
  [[nodiscard]] std::vector<std::string> cores() const {
    return depth::fewer_cores(place_in(benchmark_names(), benchmark()), platform());
  }
  [[nodiscard]] Outcome measured(const std::vector<std::string>& assignments) const {
    std::vector<std::string> all = cores();
    all.insert(all.end(), assignments.begin(), assignments.end());
    return measure(benchmark(), platform(), all);
  }
};

/// Which of the benchmark's changes are made on the platform: each on one, those of the next benchmark from the next platform on.
std::vector<std::size_t> turns_of(const std::string& benchmark, const std::string& platform,
                                  std::size_t changes) {
  const std::vector<std::string> platforms = platforms_of(benchmark);
  const std::size_t usual = (changes + platforms.size() - 1) / platforms.size();
  const std::size_t number =
      (place_in(platforms, platform) + place_in(benchmark_names(), benchmark)) % platforms.size();
  std::vector<std::size_t> turns = depth::turns(number * usual, platforms.size() * usual, usual);
  std::erase_if(turns, [&](std::size_t turn) { return turn >= changes; });
  return turns;
}

TEST_P(Microbench, MeasuresWhatIsConfiguredAndFollowsIt) {
  if (!missing().empty()) GTEST_SKIP() << missing();
  const microbench::Benchmark& what = *microbench::find(benchmark());
  const gpu::GpuConfig config = gpu::load_platform(platform(), cores());
  const std::vector<std::string> prepared =
      what.prepare == nullptr ? std::vector<std::string>{} : what.prepare(config);
  const Outcome plain = measured({});
  EXPECT_TRUE(all_ok(plain)) << plain.table;
  const auto mutations = what.mutations(config);
  ASSERT_FALSE(mutations.empty());
  const std::vector<std::size_t> turns = turns_of(benchmark(), platform(), mutations.size());
  if (turns.empty()) return;
  const Outcome before = prepared.empty() ? plain : measured(prepared);
  EXPECT_TRUE(all_ok(before)) << before.table;
  for (const std::size_t turn : turns) {
    std::vector<std::string> mutation = mutations[turn];
    mutation.insert(mutation.begin(), prepared.begin(), prepared.end());
    const Outcome after = measured(mutation);
    EXPECT_TRUE(all_ok(after)) << ::testing::PrintToString(mutation) << "\n" << after.table;
    EXPECT_TRUE(has_moved(before, after)) << ::testing::PrintToString(mutation) << "\n"
                                          << before.table << after.table;
  }
}

std::vector<std::tuple<std::string, std::string>> all_cases() {
  std::vector<std::tuple<std::string, std::string>> cases;
  for (const std::string& benchmark : benchmark_names())
    for (const std::string& platform : platforms_of(benchmark)) cases.emplace_back(benchmark, platform);
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, Microbench, ::testing::ValuesIn(all_cases()), [](const auto& test) {
  std::string name = std::get<0>(test.param) + "_" + std::get<1>(test.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// What was published of these cards, in cycles; the heads of their files name the sources. DRAM of a100: 466 are the mean of both
// halves of L2, of which the farther one takes 125 more; the chase is over the near one.
struct Published {
  const char* platform;
  const char* benchmark;
  const char* what;
  double cycles;
  double slack = 0;
};

class PublishedLatency : public ::testing::TestWithParam<Published> {};

TEST_P(PublishedLatency, IsTheModels) {
  const Published& published = GetParam();
  const Outcome outcome = measure(published.benchmark, published.platform, {});
  const auto reading = std::find_if(outcome.readings.begin(), outcome.readings.end(),
                                    [&](const auto& each) { return each.what == published.what; });
  ASSERT_NE(reading, outcome.readings.end()) << outcome.table;
  EXPECT_NEAR(reading->measured, published.cycles, published.slack) << outcome.table;
}

INSTANTIATE_TEST_SUITE_P(
    Of, PublishedLatency,
    ::testing::Values(
        Published{"a100", "l1-chase", "hit", 33}, Published{"a100", "shared-latency", "load", 23},
        Published{"a100", "alu-latency", "fp_mad", 4}, Published{"a100", "l2-chase", "hit", 261.5, 3},
        Published{"a100", "dram-chase", "row conflict", 403.7, 4},
        Published{"rtx2080ti", "l1-chase", "hit", 32}, Published{"rtx2080ti", "shared-latency", "load", 22},
        Published{"rtx2080ti", "alu-latency", "fp_mad", 4}, Published{"rtx2080ti", "l2-chase", "hit", 188, 2},
        Published{"rtx2080ti", "dram-chase", "row hit", 296, 3}, Published{"v100", "l1-chase", "hit", 28},
        Published{"v100", "shared-latency", "load", 19}, Published{"v100", "alu-latency", "int_mad", 5},
        Published{"v100", "l2-chase", "hit", 193, 2},
        Published{"v100", "dram-chase", "row conflict", 375, 6}),
    [](const auto& test) {
      std::string name = std::string(test.param.platform) + "_" + test.param.benchmark;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

// Far from the platforms: the sweeps' expectations must know the limits there.
class BandwidthSweep : public ::testing::TestWithParam<std::pair<const char*, std::vector<std::string>>> {};

TEST_P(BandwidthSweep, IsAsExpectedFarFromThePlatforms) {
  const auto& [benchmark, assignments] = GetParam();
  const Outcome outcome = measure(benchmark, "gtx480", assignments);
  EXPECT_TRUE(all_ok(outcome)) << ::testing::PrintToString(assignments) << "\n" << outcome.table;
}

constexpr const char *kWarps = "bandwidth-by-warps", *kCores = "bandwidth-by-cores",
                     *kWorkingSet = "bandwidth-by-working-set";
INSTANTIATE_TEST_SUITE_P(
    With, BandwidthSweep,
    ::testing::Values(
        std::pair{kWarps, std::vector<std::string>{"memory.crossbar.flit_bytes=1"}},
        std::pair{kWarps, std::vector<std::string>{"clocks.l2_mhz=20", "memory.l2.latency_cycles=0"}},
        std::pair{kWarps, std::vector<std::string>{"clocks.dram_mhz=10"}},
        std::pair{kWarps, std::vector<std::string>{"memory.dram.tRFC=600"}},
        std::pair{kWarps, std::vector<std::string>{"memory.partitions=1", "memory.l2.size_kib=2"}},
        std::pair{kWarps, std::vector<std::string>{"core.occupancy.max_warps=24"}},
        std::pair{kWarps, std::vector<std::string>{"core.l1d.line_bytes=64", "memory.l2.line_bytes=64",
                                                   "core.l1i.line_bytes=64"}},
        std::pair{kCores, std::vector<std::string>{"memory.partition_interleave_bytes=1048576"}},
        std::pair{
            kCores,
            std::vector<std::string>{"cores=5", "memory.partitions=1", "memory.crossbar.cluster_cores=4",
                                     "memory.crossbar.output_queue_packets=1", "core.occupancy.max_warps=8"}},
        std::pair{kCores, std::vector<std::string>{"cores=24", "memory.partitions=1"}},
        std::pair{kCores, std::vector<std::string>{"memory.crossbar.latency_cycles=50"}},
        std::pair{kWorkingSet,
                  std::vector<std::string>{"core.occupancy.max_warps=1", "core.scheduler.count=1"}},
        std::pair{kWorkingSet, std::vector<std::string>{"core.l1d.size_kib=1024", "core.l1d.unified_kib=0"}},
        std::pair{kWorkingSet, std::vector<std::string>{"memory.partition_interleave_bytes=1048576"}}),
    [](const auto& test) {
      std::string name = test.param.first;
      for (const std::string& assignment : test.param.second) name += "_" + assignment;
      std::replace_if(
          name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
      return name;
    });

}  // namespace
}  // namespace heddle::microbench_test
