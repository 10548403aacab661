// Statistics of synchronisation (core.sync_statistics): kernels whose counts are known, and whole workloads.
#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "blocks/isolated.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "workload_scenario.h"

namespace heddle::sync_statistics_test {
namespace {

using testing::run;
using testing::Scenario;
using Json = nlohmann::ordered_json;

const std::vector<std::string> kStack{"core.control_flow.mechanism=simt_stack"};
const std::vector<std::string> kAware{"core.control_flow.mechanism=aware"};
const std::vector<std::string> kMultiPath{"core.control_flow.mechanism=multi_path"};
const std::vector<std::string> kBows{"core.spin.source=annotations", "core.spin.bows.minimum_delay=100"};

std::uint64_t sync(const Json& result, const std::string& counter) {
  std::uint64_t sum = 0;
  for (const Json& launch : result["launches"])
    for (const auto& [name, stats] : launch["stats"].items())
      if (name.starts_with("core")) sum += stats["sync"][counter].get<std::uint64_t>();
  return sum;
}

/// `k(data)`: %rd1 is data, %r1 %tid.x, %rd2 the thread's word after the first 64 bytes. All words hold `first`.
Json run_kernel_alone(const std::string& body, std::uint32_t threads, std::vector<std::string> keys,
                      std::uint32_t first = 0) {
  return tb::isolated([&]() -> Json {
    keys.insert(keys.end(), {"cores=1", "core.sync_statistics=true"});
    gpu::RunOptions options;
    options.per_launch = true;
    gpu::GpuDevice device(gpu::load_platform("gtx480", keys), std::move(options));
    const auto module = device.load_ptx_text(R"(.version 7.0
.target sm_50
.address_size 64
.visible .entry k(.param .u64 data)
{
  .reg .b32 %r<20>;
  .reg .b64 %rd<9>;
  .reg .pred %p<8>;
  ld.param.u64 %rd1, [data];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd2, %rd1, %rd2;
  mov.u32 %r5, 0;
)" + body + "  ret;\n}\n",
                                             "kernel.ptx");
    const std::uint64_t data = device.upload(std::vector<std::uint32_t>(256, first), "data");
    device.launch(module, "k", {{1, 1, 1}, {threads, 1, 1}, 0}, host::Args{}.add(data));
    Json result;
    result["launches"][0]["stats"] = device.statistics(device.last_launch().values);
    result["data"] = device.download<std::uint32_t>(data, 256);
    return result;
  });
}

/// Throws what went wrong.
Json run_kernel(const std::string& body, std::uint32_t threads, const std::vector<std::string>& keys,
                std::uint32_t first = 0) {
  Json result = run_kernel_alone(body, threads, keys, first);
  if (result.contains("errors")) throw std::runtime_error(result.dump());
  return result;
}

/// Each thread adds one to the second word under the lock in the first.
constexpr const char* kCriticalSection = R"(
LOOP:
  .pragma "heddle spin lock";
  atom.global.cas.b32 %r3, [%rd1], 0, 1;
  setp.ne.u32 %p1, %r3, 0;
  @%p1 bra FAIL;
  ld.volatile.global.u32 %r4, [%rd1+4];
  add.u32 %r4, %r4, 1;
  st.volatile.global.u32 [%rd1+4], %r4;
  membar.gl;
  mov.u32 %r5, 1;
  atom.global.exch.b32 %r6, [%rd1], 0;
FAIL:
  setp.eq.u32 %p2, %r5, 0;
  @%p2 bra LOOP;
)";

class SyncStatisticsOn : public ::testing::TestWithParam<std::vector<std::string>> {};

TEST_P(SyncStatisticsOn, LanesOfOneWarpFailOnEachOthersLock) {
  const Json result = run_kernel(kCriticalSection, 32, GetParam());
  EXPECT_EQ(result["data"][1], 32u);
  EXPECT_EQ(sync(result, "lock_success"), 32u);
  EXPECT_EQ(sync(result, "lock_fail_intra_warp"), 31u * 32 / 2);
  EXPECT_EQ(sync(result, "lock_fail_inter_warp"), 0u);
  EXPECT_EQ(sync(result, "released"), 32u);
  // In round n of 32, 33 - n lanes: all for the attempt and the end of the loop, all but the holder for the test.
  EXPECT_EQ(sync(result, "waiting_warp_instructions"), 32u * 3);
  EXPECT_EQ(sync(result, "waiting_lane_instructions"), 528u * 5 - 32 * 2);
  EXPECT_EQ(sync(result, "critical_warp_instructions"), 32u * 8);
  EXPECT_EQ(sync(result, "critical_lane_instructions"), 32u * 8);
  EXPECT_EQ(sync(result, "waiting_transactions"), 32u);
  EXPECT_EQ(sync(result, "critical_transactions"), 32u * 3);
}

TEST_P(SyncStatisticsOn, WarpsFailOnEachOthersLock) {
  const Json result = run_kernel(kCriticalSection, 64, GetParam());
  EXPECT_EQ(result["data"][1], 64u);
  EXPECT_EQ(sync(result, "lock_success"), 64u);
  EXPECT_EQ(sync(result, "released"), 64u);
  // A lane that fails beside one of its warp that succeeds does so on that one's lock: 31 + ... + 0 of each warp.
  EXPECT_EQ(sync(result, "lock_fail_intra_warp"), 2u * 496);
  EXPECT_GT(sync(result, "lock_fail_inter_warp"), 0u);
}

TEST_P(SyncStatisticsOn, ALockThatNoLaneOfTheWarpHoldsIsAnotherWarps) {
  const Json result = run_kernel(R"(
LOOP:
  .pragma "heddle spin lock";
  atom.global.cas.b32 %r3, [%rd1], 0, 1;
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p1, %r5, 5;
  @%p1 bra LOOP;
)",
                                 32, GetParam(), 1);
  EXPECT_EQ(sync(result, "lock_success"), 0u);
  EXPECT_EQ(sync(result, "lock_fail_intra_warp"), 0u);
  EXPECT_EQ(sync(result, "lock_fail_inter_warp"), 32u * 5);
}

TEST_P(SyncStatisticsOn, AnExchangeAcquiresInALoopWithoutCas) {
  const Json result = run_kernel(R"(
LOOP:
  .pragma "heddle spin lock";
  atom.global.exch.b32 %r3, [%rd2], 1;
  setp.ne.u32 %p1, %r3, 0;
  @%p1 bra LOOP;
  st.global.u32 [%rd2], 0;
)",
                                 32, GetParam());
  EXPECT_EQ(sync(result, "lock_success"), 32u);
  EXPECT_EQ(sync(result, "released"), 32u);
  EXPECT_EQ(sync(result, "lock_fail_intra_warp") + sync(result, "lock_fail_inter_warp"), 0u);
}

TEST_P(SyncStatisticsOn, LaneNGoesRoundNTimesBeforeItLeaves) {
  const Json result = run_kernel(R"(
LOOP:
  .pragma "heddle spin wait";
  atom.global.add.u32 %r3, [%rd2], 1;
  setp.lt.u32 %p1, %r3, %r1;
  @%p1 bra LOOP;
)",
                                 32, GetParam());
  EXPECT_EQ(sync(result, "wait_exit_success"), 32u);
  EXPECT_EQ(sync(result, "wait_exit_fail"), 496u);
  EXPECT_EQ(sync(result, "lock_success"), 0u);
  EXPECT_EQ(sync(result, "waiting_lane_instructions"), 3u * (496 + 32));
}

TEST_P(SyncStatisticsOn, AWaitMayBeLeftInItsMiddle) {
  const Json result = run_kernel(R"(
LOOP:
  .pragma "heddle spin wait";
  atom.global.add.u32 %r3, [%rd2], 1;
  setp.ge.u32 %p1, %r3, %r1;
  @%p1 bra DONE;
  bra.uni LOOP;
DONE:
)",
                                 32, GetParam());
  EXPECT_EQ(sync(result, "wait_exit_success"), 32u);
  EXPECT_EQ(sync(result, "wait_exit_fail"), 496u);
}

std::uint64_t cycles_of(const Json& result, const char* state) {
  return result["launches"][0]["stats"]["core0"]["sync"]["thread_cycles"][state].get<std::uint64_t>();
}

TEST_P(SyncStatisticsOn, ThreadsAreInOneStateFromTheirFirstInstructionToTheirLast) {
  // AT: the loop of a lock is nearly everything; holders are not in it.
  const Json locks = run_kernel(kCriticalSection, 32, GetParam());
  EXPECT_GT(cycles_of(locks, "lock_atomic"), cycles_of(locks, "other"));
  EXPECT_EQ(cycles_of(locks, "barrier"), 0u);
  // BA: warp 1 waits while warp 0 goes round.
  const std::string counts = R"(
  setp.gt.u32 %p1, %r1, 31;
  @%p1 bra THERE;
GO:
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p2, %r5, 500;
  @%p2 bra GO;
THERE:
  bar.sync 0;
)";
  const Json barrier = run_kernel(counts, 64, GetParam());
  const std::uint64_t waited = cycles_of(barrier, "barrier");
  EXPECT_EQ(cycles_of(barrier, "lock_atomic"), 0u);
  EXPECT_GT(waited, 32u * 3 * 500) << "three instructions a pass, a cycle each at least";
  EXPECT_GT(cycles_of(barrier, "other"), waited - 32 * 200) << "what warp 0 executes meanwhile";
  EXPECT_EQ(cycles_of(barrier, "transaction"), 0u);
  // An atomic whose result is awaited.
  const Json atomic =
      run_kernel("  atom.global.add.u32 %r3, [%rd1], 1;\n  st.global.u32 [%rd2+64], %r3;\n", 32, GetParam());
  EXPECT_GT(cycles_of(atomic, "lock_atomic"), 32u * 100);
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, SyncStatisticsOn, ::testing::Values(kStack, kAware, kMultiPath),
                         [](const auto& test) { return test.param[0].substr(test.param[0].find('=') + 1); });

class SyncStatisticsOf : public ::testing::TestWithParam<std::string> {};

/// Without the statistics of synchronisation.
Json others(Json result) {
  for (Json& launch : result["launches"])
    for (auto& [name, stats] : launch["stats"].items()) stats.erase("sync");
  return result;
}

TEST_P(SyncStatisticsOf, EveryLockIsGivenBackAndNothingElseChanges) {
  for (const auto& mechanism : {kStack, kAware, kMultiPath})
    for (const bool bows : {false, true}) {
      Scenario what{GetParam(), "gtx480"};
      what.statistics = testing::all_of;
      what.assignments = mechanism;
      if (bows) what.assignments.insert(what.assignments.end(), kBows.begin(), kBows.end());
      const Json off = run(what);
      what.assignments.emplace_back("core.sync_statistics=true");
      const Json on = run(what);
      const std::string label = mechanism[0] + (bows ? " with BOWS" : "");
      ASSERT_FALSE(on.contains("errors")) << label << ": " << on.dump().substr(0, 2000);
      EXPECT_TRUE(on["passed"].get<bool>()) << label;
      EXPECT_EQ(sync(on, "lock_success"), sync(on, "released")) << label;
      EXPECT_GT(sync(on, "lock_success") + sync(on, "wait_exit_success"), 0u) << label;
      // One acquisition per key, climber and body of the tiny input.
      const std::map<std::string, std::uint64_t> acquisitions{
          {"hashtable", 400}, {"tsp", 100}, {"bh-build", 300}};
      if (const auto known = acquisitions.find(GetParam()); known != acquisitions.end()) {
        EXPECT_EQ(sync(on, "lock_success"), known->second) << label;
      }
      EXPECT_TRUE(others(on) == off) << label;
    }
}

INSTANTIATE_TEST_SUITE_P(All, SyncStatisticsOf,
                         ::testing::Values("hashtable", "atm", "tsp", "cloth", "bh-build", "bh-sort",
                                           "nw-rows", "nw-tiles"),
                         [](const auto& test) { return testing::test_name(test.param); });

TEST(SyncStatistics, AreTheSameInEveryRun) {
  Scenario what{"hashtable", "gtx480"};
  what.assignments = {"core.sync_statistics=true", "core.spin.source=ddos"};
  const std::string first = run(what).dump();
  EXPECT_EQ(run(what).dump(), first);
  what.shuffle = 7;
  EXPECT_EQ(run(what).dump(), first);
}

}  // namespace
}  // namespace heddle::sync_statistics_test
