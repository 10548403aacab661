// Rules of determinism, each left out once (determinism.broken_rule): racy kernels with small buffers and few hot words must
// show it. Most make memory depend on timing, which runs under other timing show as --deterministic-check does. Some leave
// results the same under any timing, but wrong: those are compared with what all rules leave.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "blocks/isolated.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "regression/racy/racy_kernel.h"

namespace heddle {
namespace {

using Json = nlohmann::ordered_json;

/// What a GPU does without the rule.
enum class Breaks : std::uint8_t {
  kDeterminism,  ///< memory depends on timing
  kValues,       ///< memory does not depend on timing, and is not what it should be
  kProgress,     ///< it stands still
};
struct Rule {
  const char* name = nullptr;
  std::vector<std::string> settings{};
  Breaks breaks = Breaks::kDeterminism;
  std::uint64_t cycles = 80;  ///< how far requests of different cores are perturbed
  std::uint64_t kernels = 40;
  testing::RacyMix mix{};
};
void PrintTo(const Rule& rule, std::ostream* out) { *out << rule.name; }

std::uint64_t setting(const char* name, std::uint64_t fallback) {
  const char* const text = std::getenv(name);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 0);
}

/// Memory after each kernel. Without the rule a launch may never end: the kernels before it, then.
Json digests(const Rule& rule, const char* broken, std::uint64_t seed, std::uint64_t kernels) {
  std::vector<std::string> assignments{"determinism.enabled=true",
                                       std::string("determinism.broken_rule=") + broken};
  assignments.insert(assignments.end(), rule.settings.begin(), rule.settings.end());
  for (std::istringstream more(std::getenv("HEDDLE_SET") ? std::getenv("HEDDLE_SET") : ""); more.good();)
    if (std::string each; more >> each) assignments.push_back(each);
  const std::string number = std::to_string(seed);
  assignments.push_back("memory.crossbar.perturb_seed=" + number);
  assignments.push_back("memory.crossbar.perturb_cycles=" + std::to_string(seed * 197 % rule.cycles));
  assignments.push_back("memory.dram.perturb_seed=" + number);
  assignments.push_back("core.scheduler.perturb_seed=" + number);
  assignments.push_back("core.start_jitter.perturb_seed=" + number);
  return tb::isolated([&]() -> Json {
    gpu::GpuDevice gpu(gpu::load_platform("tiny", assignments), {.max_cycles = 2'000'000});
    Json result{{"memory", Json::array()}};
    for (std::uint64_t i = 0; i < kernels && !result.contains("stopped"); ++i) {
      try {
        result["memory"].push_back(testing::digest_after(gpu, testing::racy_kernel(1 + i, rule.mix)));
        gpu.forget_launches();
      } catch (const std::exception& error) {
        result["stopped"] = error.what();
      }
    }
    return result;
  });
}

/// Of the kernels that ended in all runs.
struct Found {
  unsigned kernels = 0;
  unsigned depend_on_timing = 0;
  unsigned differ = 0;  ///< in any run, from memory with all rules
  std::string stopped;  ///< why a kernel did not end
};

Found look(const Rule& rule, const char* broken, const Json& wanted) {
  constexpr std::uint64_t kRuns = 4;
  Found found;
  std::vector<Json> runs;
  std::size_t kernels = wanted.size();
  for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
    const Json got = digests(rule, broken, seed, wanted.size());
    if (!got.contains("memory")) {
      ADD_FAILURE() << got.dump();
      return found;
    }
    runs.push_back(got["memory"]);
    kernels = std::min(kernels, runs.back().size());
    if (got.contains("stopped")) found.stopped = got["stopped"];
  }
  found.kernels = static_cast<unsigned>(kernels);
  for (std::size_t i = 0; i < kernels; ++i) {
    bool timing = false, differs = false;
    for (const Json& run : runs) {
      timing = timing || run[i] != runs[0][i];
      differs = differs || run[i] != wanted[i];
    }
    found.depend_on_timing += timing ? 1 : 0;
    found.differ += differs ? 1 : 0;
  }
  return found;
}

class BrokenRules : public ::testing::TestWithParam<Rule> {};

TEST_P(BrokenRules, AreNoticed) {
  const Rule& rule = GetParam();
  const Json expected = digests(rule, "none", 0, setting("HEDDLE_RACY_KERNELS", rule.kernels));
  ASSERT_FALSE(expected.contains("stopped")) << expected.dump();
  const Found whole = look(rule, "none", expected["memory"]);
  EXPECT_EQ(whole.stopped, "") << "with all rules";
  EXPECT_EQ(whole.differ, 0u) << "with all rules";
  const Found found = look(rule, rule.name, expected["memory"]);
  std::printf("%s: %u of %u kernels depend on timing, %u differ from memory with all rules%s\n", rule.name,
              found.depend_on_timing, found.kernels, found.differ,
              found.stopped.empty() ? "" : "; one does not end");
  switch (rule.breaks) {
    case Breaks::kDeterminism:
      EXPECT_GT(found.depend_on_timing, 0u);
      break;
    case Breaks::kValues:
      EXPECT_EQ(found.depend_on_timing, 0u) << "no perturbation shows it, as the page says";
      EXPECT_GT(found.differ, 0u);
      break;
    case Breaks::kProgress:
      EXPECT_NE(found.stopped, "");
      break;
  }
}

const std::string kMultiPath = "core.control_flow.mechanism=multi_path";
const std::string kMasks = "core.scoreboard.kind=per_thread_mask";
const std::string kSmallL1 = "core.l1d.size_kib=1";

std::string quanta_of(unsigned instructions) {
  return "determinism.quantum_size=" + std::to_string(instructions);
}

/// Z-buffer units of which every set holds one line, before an L2 that holds them up.
std::vector<std::string> tight_units() {
  return {quanta_of(13), "clocks.l2_mhz=100", "determinism.zbuffer.l2_queue=8",
          "determinism.zbuffer.cache_kib=1", "determinism.zbuffer.cache_ways=1"};
}
/// An L2 that misses all the time, before a slow memory: what is under way stays there.
std::vector<std::string> slow_memory() {
  return {quanta_of(13),         "cores=8", kSmallL1, "determinism.zbuffer.l2_queue=16", "clocks.dram_mhz=50",
          "memory.l2.size_kib=2"};
}

const std::vector<Rule> kRules{
    {.name = "drain", .settings = {quanta_of(7)}, .cycles = 500},
    {.name = "flush", .settings = {quanta_of(5)}, .kernels = 100},
    {.name = "log_order", .settings = {kSmallL1}},
    {.name = "tail_latch", .settings = {kSmallL1}},
    {.name = "merge_into_l1"},
    {.name = "forward", .breaks = Breaks::kValues},
    {.name = "slot_mapping", .settings = {"core.occupancy.max_ctas=1", quanta_of(5000)}},
    {.name = "serial_order"},
    {.name = "serial_overlap"},
    {.name = "split_order", .settings = {kMultiPath, kMasks}},
    {.name = "release_order", .settings = {kMultiPath, kMasks}},
    {.name = "constant_flush",
     .settings = {quanta_of(13), "core.constant_cache.ways=1"},
     .kernels = 12,
     .mix = {.constant_loads = 60, .hot_words = 1024}},
    {.name = "depth_less", .breaks = Breaks::kValues},
    {.name = "any_ready", .settings = tight_units()},
    {.name = "late_wake", .settings = tight_units()},
    {.name = "set_full_blocked", .settings = tight_units(), .breaks = Breaks::kProgress},
    {.name = "fifo_order", .settings = slow_memory(), .kernels = 20},
    {.name = "early_ack", .settings = slow_memory()},
    {.name = "lock_ignored", .settings = tight_units()},
    {.name = "losers_written"},
    {.name = "depth_reset",
     .settings = {"determinism.zbuffer.depth_bits=8", quanta_of(30)},
     .breaks = Breaks::kValues},
};

INSTANTIATE_TEST_SUITE_P(Each, BrokenRules, ::testing::ValuesIn(kRules),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace heddle
