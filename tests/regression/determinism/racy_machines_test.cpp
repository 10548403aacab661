// Racy kernels with small buffers and few hot words, on machines on which one of determinism's rules matters most: what they
// leave in memory depends neither on timing, as --deterministic-check asks, nor on options that must not matter (G18), and the
// model's own assertions stay silent. tests/mutants/determinism.json leaves each rule out once, which both must show
// (models/determinism/ACCEPTANCE.md). Of constant_flush, the one rule that the thesis lacks, it is shown here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "blocks/isolated.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "regression/depth.h"
#include "regression/racy/racy_kernel.h"

namespace heddle::racy_machines_test {
namespace {

using Json = nlohmann::ordered_json;
using Settings = std::vector<std::string>;

/// Over platform tiny.
struct Machine {
  const char* name = nullptr;
  Settings settings{};
  Settings options{};          ///< of every other run
  std::uint64_t cycles = 80;   ///< how far requests of different cores are perturbed
  std::uint64_t kernels = 16;  ///< more where few of them show a missing rule
  testing::RacyMix mix{};
};
void PrintTo(const Machine& machine, std::ostream* out) { *out << machine.name; }

std::uint64_t setting(const char* name, std::uint64_t fallback) {
  const char* const text = std::getenv(name);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 0);
}
std::uint64_t kernels_of(const Machine& machine) {
  return setting("HEDDLE_RACY_KERNELS", depth::times(machine.kernels));
}

/// {"memory": digests after each kernel, "stopped": why one did not end}.
Json digests(const Machine& machine, const Settings& more_settings, std::uint64_t seed) {
  Settings assignments{"determinism.enabled=true"};
  for (const Settings* settings : {&machine.settings, &more_settings})
    assignments.insert(assignments.end(), settings->begin(), settings->end());
  for (std::istringstream more(std::getenv("HEDDLE_SET") ? std::getenv("HEDDLE_SET") : ""); more.good();)
    if (std::string each; more >> each) assignments.push_back(each);
  const std::string number = std::to_string(seed);
  assignments.push_back("test.memory.crossbar.perturb_seed=" + number);
  assignments.push_back("test.memory.crossbar.perturb_cycles=" + std::to_string(seed * 197 % machine.cycles));
  assignments.push_back("test.memory.dram.perturb_seed=" + number);
  assignments.push_back("test.core.scheduler.perturb_seed=" + number);
  assignments.push_back("test.core.start_jitter.perturb_seed=" + number);
  return tb::isolated([&]() -> Json {
    gpu::GpuDevice gpu(gpu::load_platform("tiny", assignments), {.max_cycles = 2'000'000});
    Json result{{"memory", Json::array()}};
    for (std::uint64_t i = 0; i < kernels_of(machine) && !result.contains("stopped"); ++i) {
      try {
        result["memory"].push_back(testing::digest_after(gpu, testing::racy_kernel(1 + i, machine.mix)));
        gpu.forget_launches();
      } catch (const std::exception& error) {
        result["stopped"] = error.what();
      }
    }
    return result;
  });
}

const Settings kNobodyLooks{"determinism.assertions=false"};
constexpr unsigned kRuns = 4;

class RacyMachines : public ::testing::TestWithParam<Machine> {};

TEST_P(RacyMachines, LeaveTheSameMemory) {
  const Machine& machine = GetParam();
  const Json expected = digests(machine, kNobodyLooks, 0);
  ASSERT_EQ(expected["memory"].size(), kernels_of(machine)) << expected.dump();
  for (unsigned seed = 1; seed <= kRuns; ++seed) {
    Settings more = kNobodyLooks;
    if (seed % 2 == 0) more.insert(more.end(), machine.options.begin(), machine.options.end());
    ASSERT_EQ(digests(machine, more, seed), expected) << "seed " << seed;
  }
}

TEST_P(RacyMachines, BreakNoRule) {
  for (unsigned seed = 1; seed <= kRuns / 2; ++seed) {
    const Json result = digests(GetParam(), {}, seed);
    ASSERT_FALSE(result.contains("stopped")) << result["stopped"].get<std::string>();
    ASSERT_EQ(result["memory"].size(), kernels_of(GetParam())) << result.dump();
  }
}

std::string quanta_of(unsigned instructions) {
  return "determinism.quantum_size=" + std::to_string(instructions);
}
/// Z-buffer units of which every set holds one line, before an L2 that holds them up.
Settings tight_units(unsigned l2_mhz) {
  return {quanta_of(13), "clocks.l2_mhz=" + std::to_string(l2_mhz), "determinism.zbuffer.l2_queue=8",
          "determinism.zbuffer.cache_kib=1", "determinism.zbuffer.cache_ways=1"};
}

const Machine kConstants{.name = "constants",
                         .settings = {quanta_of(13), "core.constant_cache.ways=1"},
                         .kernels = 12,
                         .mix = {.constant_loads = 60, .hot_words = 1024}};

INSTANTIATE_TEST_SUITE_P(
    Each, RacyMachines,
    ::testing::Values(
        Machine{.name = "plain", .options = {"determinism.commit_engine=lock"}, .kernels = 40},
        Machine{.name = "small_l1", .settings = {"core.l1d.size_kib=1"}},
        Machine{.name = "late_loads", .settings = {quanta_of(7)}, .cycles = 500, .kernels = 40},
        Machine{.name = "short_quanta", .settings = {quanta_of(5)}, .kernels = 100}, kConstants,
        Machine{.name = "refilled_slots", .settings = {"core.occupancy.max_ctas=1", quanta_of(5000)}},
        Machine{
            .name = "splits",
            .settings = {"core.control_flow.mechanism=multi_path", "core.scoreboard.kind=per_thread_mask"}},
        Machine{.name = "tight_units", .settings = tight_units(100), .kernels = 40},
        Machine{.name = "tight_fast_units", .settings = tight_units(700)},
        // An L2 that misses all the time, before a slow memory: what is under way stays there.
        Machine{.name = "slow_memory",
                .settings = {quanta_of(13), "cores=8", "core.l1d.size_kib=1",
                             "determinism.zbuffer.l2_queue=16", "clocks.dram_mhz=50", "memory.l2.size_kib=2"},
                .kernels = 40},
        Machine{.name = "narrow_depths",
                .settings = {"determinism.zbuffer.depth_bits=8", quanta_of(30)},
                .options = {"determinism.zbuffer.depth_bits=32"}}),
    [](const auto& test) { return std::string(test.param.name); });

// As the thesis has it ([GPUDet:S9]): a constant cache keeps what a commit has changed.
TEST(ConstantCaches, ThatAreNotFlushedMakeMemoryDependOnTiming) {
  const Json expected = digests(kConstants, kNobodyLooks, 0);
  bool differs = false;
  for (unsigned seed = 1; seed <= kRuns && !differs; ++seed) {
    Settings more = kNobodyLooks;
    more.push_back("determinism.constant_flush=false");
    const Json found = digests(kConstants, more, seed);
    ASSERT_FALSE(found.contains("stopped")) << found.dump();
    differs = found != expected;
  }
  EXPECT_TRUE(differs);
}

// They keep lines then, and no assertion takes that for a fault.
TEST(ConstantCaches, ThatAreNotFlushedBreakNoRule) {
  const Json found = digests(kConstants, {"determinism.constant_flush=false"}, 1);
  EXPECT_FALSE(found.contains("stopped")) << found.dump();
}

}  // namespace
}  // namespace heddle::racy_machines_test
