// Every workload on every platform, each with both compilers' PTX: right result, same memory as the oracle, same statistics
// in every run and for any order of module creation, every issue slot accounted for, no false alarm.
//
// The compilers alternate over workloads and platforms: each workload, and each platform, meets both. Where one platform of two is
// enough, they alternate over the workloads. From HEDDLE_TEST_DEPTH=2 on everything runs with everything.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "depth.h"
#include "fewer_cores.h"
#include "gpu/platform_files.h"
#include "workload_scenario.h"

namespace heddle::workloads_test {
namespace {

using testing::number_of;
using testing::run;
using testing::same_on_the_oracle;
using testing::Scenario;
using testing::test_name;
using testing::workload_names;
using workloads::Compiler;

const std::vector<std::string> kPlatforms{"tiny",        "gtx480",  "quadro_fx5800",
                                          "tesla_c2050", "rtx2060", "h100"};

/// A workload, and the number of a platform.
using Parameters = std::tuple<std::string, std::size_t>;

/// Of this test.
std::vector<Compiler> compilers(const Parameters& test) {
  std::vector<Compiler> all;
  for (const std::size_t turn : depth::turns(number_of(std::get<0>(test)) + std::get<1>(test), 2))
    all.push_back(turn == 0 ? Compiler::kNvcc : Compiler::kClang);
  return all;
}

/// Launches that are not simulated (functional/machine.h).
class WithoutTime : public ::testing::TestWithParam<std::string> {};

TEST_P(WithoutTime, GivesTheRightResult) {
  const workloads::Workload& workload = *workloads::find(GetParam());
  const auto compiler = number_of(workload.name) % 2 == 0 ? Compiler::kNvcc : Compiler::kClang;
  const auto result = run({.workload = workload.name,
                           .platform = "tiny",
                           .compiler = compiler,
                           .oracle = true,
                           .statistics = nullptr,
                           .without_time = true});
  if (workload.needs_transactions) {
    ASSERT_TRUE(result.contains("errors"));
    EXPECT_NE(result["errors"][0].get<std::string>().find("cannot run without time: transactions"),
              std::string::npos)
        << result;
    return;
  }
  ASSERT_FALSE(result.contains("errors")) << result["errors"][0];
  EXPECT_TRUE(result["passed"].get<bool>()) << result["summary"];
  if (same_on_the_oracle(workload)) {
    EXPECT_EQ(result["oracle"], "same");
  }
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const workloads::Workload& workload : workloads::all()) names.push_back(workload.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Workloads, WithoutTime, ::testing::ValuesIn(all_names()),
                         [](const auto& of) { return test_name(of.param); });

class Workloads : public ::testing::TestWithParam<Parameters> {};

/// Of every core: {"slots", "warp_instructions"}.
nlohmann::ordered_json issue_of(const nlohmann::ordered_json& statistics) {
  nlohmann::ordered_json cores = nlohmann::ordered_json::array();
  for (const auto& [name, group] : statistics.items())
    if (name.starts_with("core"))
      cores.push_back(
          {{"slots", group["issue"]["slots"]}, {"warp_instructions", group["issue"]["warp_instructions"]}});
  return cores;
}

void gives_the_right_result(Scenario once) {
  SCOPED_TRACE(test_name(once.compiler));
  once.oracle = true;
  once.statistics = issue_of;
  const auto result = run(once);
  ASSERT_FALSE(result.contains("errors")) << result.dump();
  EXPECT_TRUE(result["passed"].get<bool>()) << result["summary"];
  const gpu::GpuConfig config = gpu::load_platform(once.platform, once.assignments);
  const bool rounds_correctly = config.approximations == gpu::Approximations::kRounded ||
                                !testing::uses_approximate_functions(once.workload);
  if (same_on_the_oracle(*workloads::find(once.workload)) && rounds_correctly) {
    EXPECT_EQ(result["oracle"], "same");
  }
  // Every scheduler slot of every cycle has exactly one use.
  for (const auto& launch : result["launches"]) {
    EXPECT_EQ(launch["stats"].size(), config.cores);
    for (const auto& issue : launch["stats"]) {
      std::uint64_t slots = 0;
      for (const auto& [use, count] : issue["slots"].items()) slots += count.get<std::uint64_t>();
      EXPECT_EQ(slots, launch["cycles"].get<std::uint64_t>() * config.core.scheduler.count);
      EXPECT_EQ(issue["slots"]["issued"], issue["warp_instructions"]);
    }
  }
}

TEST_P(Workloads, GiveTheRightResultAndTheOraclesMemory) {
  const auto& [workload, platform] = GetParam();
  for (const Compiler compiler : compilers(GetParam()))
    gives_the_right_result({workload, kPlatforms[platform], compiler,
                            depth::fewer_cores(number_of(workload), kPlatforms[platform])});
}

std::string scenario_name(const ::testing::TestParamInfo<Parameters>& test) {
  return test_name(std::get<0>(test.param) + "_" + kPlatforms[std::get<1>(test.param)]);
}

INSTANTIATE_TEST_SUITE_P(All, Workloads,
                         ::testing::Combine(::testing::ValuesIn(workload_names(false)),
                                            ::testing::Range(std::size_t{0}, kPlatforms.size())),
                         scenario_name);

class Determinism : public ::testing::TestWithParam<std::string> {
 protected:
  /// Platforms of this test, of two.
  [[nodiscard]] static std::vector<std::string> of(const std::vector<std::string>& platforms) {
    std::vector<std::string> own;
    for (const std::size_t turn : depth::turns(number_of(GetParam()), platforms.size()))
      own.push_back(platforms[turn]);
    return own;
  }
};

// What differs from run to run differs in a run with another order of creation, too: only such runs are repetitions.
TEST_P(Determinism, SameStatisticsTwiceAndInAnyOrderOfCreation) {
  for (const std::string& platform : of({"gtx480", "rtx2060"})) {
    const Scenario natural{GetParam(), platform};
    const std::string first = run(natural).dump();
    ASSERT_EQ(first.find("\"errors\""), std::string::npos) << first;
    for (std::uint64_t i = 0; i < depth::times(1); ++i) {
      Scenario shuffled = natural;
      shuffled.shuffle = 1 + number_of(GetParam()) + 41 * i;
      EXPECT_EQ(run(shuffled).dump(), first)
          << "creation order " << shuffled.shuffle << " matters on " << platform;
    }
  }
}

// Idle modules sleep; that saves host time and must not change any number, except how often cores were woken.
TEST_P(Determinism, SleepingChangesNoStatistic) {
  const auto statistics = [](bool keep_awake) {
    Scenario what{GetParam(), "tiny", Compiler::kNvcc, {"watchdog.enabled=false"}};
    what.keep_awake = keep_awake;
    what.statistics = testing::text_asleep_or_awake;
    nlohmann::ordered_json result = run(what);
    EXPECT_FALSE(result.contains("errors")) << result.dump();
    return result;
  };
  const auto sleeping = statistics(false);
  const auto awake = statistics(true);
  EXPECT_EQ(nlohmann::ordered_json::diff(sleeping, awake).dump(2), "[]");
}

// The watchdog may check at any time and must not change anything, least of all the outcome.
TEST_P(Determinism, WatchdogNeitherAlarmsNorDisturbs) {
  for (const std::string& platform : of({"tiny", "gtx480"})) {
    const std::string off = run({GetParam(), platform, Compiler::kClang, {"watchdog.enabled=false"}}).dump();
    const std::string busy =
        run({GetParam(), platform, Compiler::kClang, {"watchdog.check_cycles=64"}}).dump();
    EXPECT_EQ(busy, off) << platform;
    EXPECT_EQ(busy.find("\"errors\""), std::string::npos) << busy;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Determinism, ::testing::ValuesIn(workload_names(false)),
                         [](const auto& test) { return test_name(test.param); });

class Shapes : public ::testing::TestWithParam<std::string> {};

// Configurations at the limits of the allowed ranges, each verified by result and oracle.
TEST_P(Shapes, OddMachinesGiveTheSameMemory) {
  for (const char* workload : {"sgemm", "histogram", "bfs"}) {
    std::vector<std::string> assignments;
    for (std::size_t at = 0; at < GetParam().size();) {
      const std::size_t end = std::min(GetParam().find(' ', at), GetParam().size());
      assignments.push_back(GetParam().substr(at, end - at));
      at = end + 1;
    }
    Scenario odd{workload, "tiny", Compiler::kNvcc, assignments};
    odd.oracle = true;
    const auto result = run(odd);
    ASSERT_FALSE(result.contains("errors")) << GetParam() << ": " << result.dump();
    EXPECT_TRUE(result["passed"].get<bool>()) << result["summary"];
    EXPECT_EQ(result["oracle"], "same") << workload;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Shapes,
    ::testing::Values(
        "cores=1 memory.partitions=1", "cores=80 memory.partitions=7",
        "core.scheduler.count=1 core.scheduler.policy=lrr",
        "core.scheduler.count=4 core.control_flow.first_side=not_taken",
        "core.scheduler.count=4 core.scheduler.sub_cores=4 core.scheduler.policy=two_level "
        "core.scheduler.active_warps=2 "
        "core.pipes.sp_units=1 core.pipes.int_units=1 core.pipes.dp_units=1 core.register_file.banks=2",
        "core.scheduler.policy=glrr core.register_file.banks=3",
        "core.scheduler.policy=cawa core.register_file.banks=1 core.register_file.collectors_sp=1 "
        "core.register_file.collectors_sfu=1 core.register_file.collectors_memory=1 "
        "core.register_file.writeback_ports=1",
        "core.l1i.size_kib=1 core.l1i.ways=1 core.l1i.mshr_entries=1 core.l1i.instruction_bytes=16 "
        "core.register_file.banks=0 core.register_file.collectors_sp=0 "
        "core.register_file.collectors_memory=0",
        "core.l1i.enabled=false core.register_file.collectors_sfu=0 core.register_file.writeback_ports=0",
        "core.lsu.queue_entries=1 core.memory_port.request_queue_packets=1 "
        "core.memory_port.response_queue_packets=1 "
        "core.l1d.mshr_entries=1 core.l1d.mshr_targets=1",
        "core.l1d.line_bytes=32 core.l1i.line_bytes=32 core.constant_cache.line_bytes=32 "
        "memory.l2.line_bytes=32",
        "core.l1d.cache_global_loads=false core.fetch.ibuffer_slots=1", "core.l1d.enabled=false",
        "core.l1d.sector_bytes=32 core.l1d.global_write=write_through core.l1d.size_kib=1",
        "core.l1d.sector_bytes=64 core.l1d.local_write=write_through core.l1d.mshr_targets=1",
        "core.l1d.size_kib=0 core.l1d.unified_kib=64 core.shared_memory.size_kib=32 core.l1d.ways=1",
        "core.shared_memory.banks=16 core.l1d.unified_kib=0 core.l1d.local_write=write_evict",
        "clocks.core_mhz=700 clocks.interconnect_mhz=1300 clocks.l2_mhz=333 clocks.dram_mhz=1750"),
    [](const auto& test) { return "shape" + std::to_string(test.index); });

class SpinLock : public ::testing::TestWithParam<std::tuple<std::string, Compiler>> {};

TEST_P(SpinLock, HangIsDiagnosedAsSimtDeadlock) {
  const auto result = run({"spinlock", std::get<0>(GetParam()), std::get<1>(GetParam())});
  ASSERT_TRUE(result.contains("errors"));
  const std::string text = result["errors"][0];
  EXPECT_NE(text.find("SIMT-induced deadlock"), std::string::npos) << text;
  // Timing decides which warp gets the lock: a full one or the last of a CTA.
  EXPECT_TRUE(text.find("lanes 0x0000fffe spin in the loop that starts at") != std::string::npos ||
              text.find("lanes 0xfffffffe spin in the loop that starts at") != std::string::npos)
      << text;
  EXPECT_NE(text.find("lanes 0x00000001 wait to reconverge with them at"), std::string::npos) << text;
  EXPECT_NE(
      text.find(std::get<1>(GetParam()) == Compiler::kNvcc ? "spinlock.nvcc.ptx:" : "spinlock.clang.ptx:"),
      std::string::npos)
      << text;
}

INSTANTIATE_TEST_SUITE_P(All, SpinLock,
                         ::testing::Combine(::testing::Values("tiny", "gtx480"),
                                            ::testing::Values(Compiler::kNvcc, Compiler::kClang)),
                         [](const auto& test) {
                           return std::get<0>(test.param) +
                                  (std::get<1>(test.param) == Compiler::kNvcc ? "_nvcc" : "_clang");
                         });

class MimdForm : public ::testing::TestWithParam<std::string> {};

// Kernels that need progress of diverged lanes: on a stack each run is a diagnosed hang. Barriers hang only
// where they count threads. Two of five platforms each, in turns.
TEST_P(MimdForm, HangIsDiagnosed) {
  constexpr std::size_t kStacks = 5;
  for (const std::size_t platform : depth::turns(number_of(GetParam()), kStacks, 2))
    for (const Compiler compiler : compilers({GetParam(), platform})) {
      SCOPED_TRACE(kPlatforms[platform] + ", " + test_name(compiler));
      Scenario what{GetParam(),
                    kPlatforms[platform],
                    compiler,
                    {"core.control_flow.mechanism=simt_stack", "core.barrier.counts=threads"}};
      what.max_cycles = 3'000'000;
      const auto result = run(what);
      ASSERT_TRUE(result.contains("errors")) << result.dump();
      const std::string text = result["errors"][0];
      EXPECT_NE(text.find("hangs: SIMT-induced deadlock"), std::string::npos) << text;
    }
}

INSTANTIATE_TEST_SUITE_P(All, MimdForm, ::testing::ValuesIn(workload_names(true)),
                         [](const auto& test) { return test_name(test.param); });

// Where lanes of a warp wait for each other wherever they are, they finish.
class IndependentThreads : public Workloads {};

TEST_P(IndependentThreads, GiveTheRightResultAndTheOraclesMemory) {
  for (const Compiler compiler : compilers(GetParam()))
    gives_the_right_result({std::get<0>(GetParam()), kPlatforms[std::get<1>(GetParam())], compiler});
}

INSTANTIATE_TEST_SUITE_P(All, IndependentThreads,
                         ::testing::Combine(::testing::ValuesIn(workload_names(true)),
                                            ::testing::Values(kPlatforms.size() - 1)),
                         scenario_name);

}  // namespace
}  // namespace heddle::workloads_test
