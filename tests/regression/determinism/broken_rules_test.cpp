// Rules of determinism, each left out once (determinism.broken_rule): racy kernels with small buffers and few hot words must
// show it, once by memory that depends on timing, as --deterministic-check finds it, and once by the model's own assertions
// (models/determinism/ACCEPTANCE.md). What leaves results wrong but the same under any timing shows under perturbed options
// that must not matter (G18), or, where these have the same defect, by comparison with what all rules leave.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "blocks/isolated.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "regression/depth.h"
#include "regression/racy/racy_kernel.h"

namespace heddle::broken_rules_test {
namespace {

using Json = nlohmann::ordered_json;

/// What a GPU does without the rule.
enum class Breaks : std::uint8_t {
  kDeterminism,  ///< memory depends on timing, or whether a kernel ends does
  kOptions,      ///< memory depends on options that must not matter, and on timing alone it does not
  kValues,       ///< memory depends on neither, and is not what it should be
};
using Settings = std::vector<std::string>;
struct Rule {
  const char* name = nullptr;
  const char* asserted = nullptr;  ///< the rule that an assertion names; nullptr: there is none
  bool at_line = false;            ///< the assertion names the kernel's line
  Settings settings{};
  Breaks breaks = Breaks::kDeterminism;
  Settings options{};                               ///< kOptions: of every other run
  const char* defect = "determinism.broken_rule=";  ///< the name follows, or it is a setting itself
  std::uint64_t cycles = 80;                        ///< how far requests of different cores are perturbed
  std::uint64_t kernels = 16;                       ///< 40 where less than a fifth of them show it
  testing::RacyMix mix{};
};
void PrintTo(const Rule& rule, std::ostream* out) { *out << rule.name; }

std::uint64_t setting(const char* name, std::uint64_t fallback) {
  const char* const text = std::getenv(name);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 0);
}

Settings defect_of(const Rule& rule) {
  const std::string defect = rule.defect;
  return {defect.ends_with('=') ? defect + rule.name : defect, "determinism.assertions=false"};
}

/// Memory after each kernel. Without the rule a launch may never end: the kernels before it, then.
Json digests(const Rule& rule, const Settings& more_settings, std::uint64_t seed, std::uint64_t kernels) {
  Settings assignments{"determinism.enabled=true"};
  for (const Settings* settings : {&rule.settings, &more_settings})
    assignments.insert(assignments.end(), settings->begin(), settings->end());
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

constexpr unsigned kRuns = 4;

/// Of the kernels that ended in all runs.
struct Found {
  unsigned kernels = 0;
  unsigned depend_on_timing = 0;
  unsigned differ = 0;          ///< in any run, from memory with all rules
  bool ends_by_timing = false;  ///< a kernel ended in some runs and not in others
  std::string stopped;          ///< why a kernel did not end
};

/// From HEDDLE_TEST_DEPTH=2 on always all.
enum class Until { kAllRuns, kTimingShows };

/// At most `most` runs. `options`: of every other one.
Found look(const Rule& rule, const Settings& broken, const Json& wanted, unsigned most, Until until,
           const Settings& options = {}) {
  Found found;
  std::vector<Json> runs;
  std::size_t kernels = wanted.size();
  for (unsigned seed = 1; seed <= most; ++seed) {
    Settings more = broken;
    if (seed % 2 == 0) more.insert(more.end(), options.begin(), options.end());
    const Json got = digests(rule, more, seed, wanted.size());
    if (!got.contains("memory")) {
      ADD_FAILURE() << got.dump();
      return found;
    }
    runs.push_back(got["memory"]);
    kernels = std::min(kernels, runs.back().size());
    found.ends_by_timing = found.ends_by_timing || runs.back().size() != runs.front().size();
    if (got.contains("stopped")) found.stopped = got["stopped"];
    found.kernels = static_cast<unsigned>(kernels);
    found.depend_on_timing = found.differ = 0;
    for (std::size_t i = 0; i < kernels; ++i) {
      bool timing = false, differs = false;
      for (const Json& run : runs) {
        timing = timing || run[i] != runs[0][i];
        differs = differs || run[i] != wanted[i];
      }
      found.depend_on_timing += timing ? 1 : 0;
      found.differ += differs ? 1 : 0;
    }
    if (until == Until::kTimingShows && found.depend_on_timing != 0 && depth::factor() < 2) break;
  }
  return found;
}

class BrokenRules : public ::testing::TestWithParam<Rule> {};

TEST_P(BrokenRules, AreNoticed) {
  const Rule& rule = GetParam();
  const Json expected = digests(rule, {}, 0, setting("HEDDLE_RACY_KERNELS", depth::times(rule.kernels)));
  ASSERT_FALSE(expected.contains("stopped")) << expected.dump();
  const Found whole = look(rule, {}, expected["memory"], 2, Until::kAllRuns, rule.options);
  EXPECT_EQ(whole.stopped, "") << "with all rules";
  EXPECT_EQ(whole.differ, 0u) << "with all rules";
  const Until until = rule.breaks == Breaks::kDeterminism ? Until::kTimingShows : Until::kAllRuns;
  const Found found = look(rule, defect_of(rule), expected["memory"], kRuns, until);
  std::printf("%s: %u of %u kernels depend on timing, %u differ from memory with all rules%s\n", rule.name,
              found.depend_on_timing, found.kernels, found.differ,
              found.stopped.empty()  ? ""
              : found.ends_by_timing ? "; one ends or not by timing"
                                     : "; one does not end");
  if (rule.breaks == Breaks::kDeterminism) {
    EXPECT_TRUE(found.depend_on_timing != 0 || found.ends_by_timing);
    return;
  }
  EXPECT_EQ(found.depend_on_timing, 0u) << "no timing shows it, as the page says";
  EXPECT_FALSE(found.ends_by_timing) << "no timing shows it, as the page says";
  EXPECT_GT(found.differ, 0u);
  if (rule.breaks == Breaks::kValues) return;
  const Found with_options =
      look(rule, defect_of(rule), expected["memory"], kRuns, Until::kTimingShows, rule.options);
  std::printf("%s: %u of %u kernels depend on options that must not matter\n", rule.name,
              with_options.depend_on_timing, with_options.kernels);
  EXPECT_GT(with_options.depend_on_timing, 0u);
}

/// The machine itself says which rule does not hold, in whatever kernel that is first.
/// Those that an assertion names.
class AssertedRules : public BrokenRules {};

TEST_P(AssertedRules, AreAsserted) {
  const Rule& rule = GetParam();
  Settings broken = defect_of(rule);
  broken.pop_back();  // assertions are on unless they are switched off
  const std::string name = std::string("rule ") + rule.asserted + " of deterministic execution";
  std::string text;
  for (std::uint64_t seed = 1; seed <= 4 && text.find(name) == std::string::npos; ++seed)
    text = digests(rule, broken, seed, rule.kernels).value("stopped", "no assertion");
  EXPECT_NE(text.find(name), std::string::npos) << text;
  std::printf("%s\n", text.substr(0, text.find('\n')).c_str());
  // With its place: the kernel's line, or a part of the GPU.
  const bool at_line = text.find("racy-") < text.find("rule ") && text.find(".ptx:") != std::string::npos;
  EXPECT_EQ(at_line, rule.at_line) << text;
  EXPECT_TRUE(at_line || text.starts_with("core ") || text.starts_with("z_buffer")) << text;
}

const std::string kMultiPath = "core.control_flow.mechanism=multi_path";
const std::string kMasks = "core.scoreboard.kind=per_thread_mask";
const std::string kSmallL1 = "core.l1d.size_kib=1";

std::string quanta_of(unsigned instructions) {
  return "determinism.quantum_size=" + std::to_string(instructions);
}

/// Z-buffer units of which every set holds one line, before an L2 that holds them up.
Settings tight_units(unsigned l2_mhz = 100) {
  return {quanta_of(13), "clocks.l2_mhz=" + std::to_string(l2_mhz), "determinism.zbuffer.l2_queue=8",
          "determinism.zbuffer.cache_kib=1", "determinism.zbuffer.cache_ways=1"};
}
/// An L2 that misses all the time, before a slow memory: what is under way stays there.
Settings slow_memory() {
  return {quanta_of(13),         "cores=8", kSmallL1, "determinism.zbuffer.l2_queue=16", "clocks.dram_mhz=50",
          "memory.l2.size_kib=2"};
}

const std::vector<Rule> kRules{
    {.name = "coalescer_winner", .asserted = "[GPUDet:D1]", .at_line = true},
    {.name = "log_pipeline", .asserted = "[GPUDet:D2]", .at_line = true},
    {.name = "drain", .asserted = "[GPUDet:D3]", .settings = {quanta_of(7)}, .cycles = 500, .kernels = 40},
    {.name = "network_order", .asserted = "[GPUDet:D4]", .defect = "memory.crossbar.perturb_order=true"},
    {.name = "parallel_stores", .asserted = "[GPUDet:D7]", .at_line = true},
    {.name = "flush", .asserted = "[GPUDet:D8]", .settings = {quanta_of(5)}, .kernels = 100},
    {.name = "log_order", .asserted = "[GPUDet:D5]", .settings = {kSmallL1}},
    {.name = "tail_latch", .asserted = "[GPUDet:D2]", .at_line = true, .settings = {kSmallL1}},
    {.name = "merge_into_l1", .asserted = "[GPUDet:D7]"},
    {.name = "forward", .breaks = Breaks::kValues},
    {.name = "slot_mapping",
     .asserted = "[GPUDet:D9]",
     .settings = {"core.occupancy.max_ctas=1", quanta_of(5000)}},
    {.name = "serial_order", .asserted = "[GPUDet:D10]", .at_line = true},
    {.name = "serial_overlap", .asserted = "[GPUDet:D11]"},
    {.name = "cycle_quota", .asserted = "[GPUDet:D12]"},
    {.name = "split_order", .asserted = "[GPUDet:D12]", .at_line = true, .settings = {kMultiPath, kMasks}},
    {.name = "release_order", .asserted = "[GPUDet:D12]", .at_line = true, .settings = {kMultiPath, kMasks}},
    {.name = "constant_flush",
     .asserted = "[GPUDet:D8]",
     .settings = {quanta_of(13), "core.constant_cache.ways=1"},
     .kernels = 12,
     .mix = {.constant_loads = 60, .hot_words = 1024}},
    {.name = "depth_less",
     .asserted = "[GPUDet:D6] ([GPUDet:Z1])",
     .breaks = Breaks::kOptions,
     .options = {"determinism.commit_engine=lock"}},
    {.name = "any_ready", .asserted = "[GPUDet:D5] ([GPUDet:Z2])", .settings = tight_units(), .kernels = 40},
    {.name = "late_wake", .asserted = "[GPUDet:D5] ([GPUDet:Z2])", .settings = tight_units(), .kernels = 40},
    // With a slow L2 the first kernel that fills a set never ends. With a faster one it ends or not by timing.
    {.name = "set_full_blocked", .asserted = "[GPUDet:Z3]", .settings = tight_units(700)},
    {.name = "fifo_order", .asserted = "[GPUDet:Z4]", .settings = slow_memory(), .kernels = 20},
    {.name = "early_ack",
     .asserted = "[GPUDet] §4.4.3 ([GPUDet:S2])",
     .settings = slow_memory(),
     .kernels = 40},
    {.name = "lock_ignored", .asserted = "[GPUDet] §4.4.3", .settings = tight_units()},
    {.name = "losers_written", .asserted = "[GPUDet] §4.4.3", .kernels = 40},
    {.name = "depth_reset",
     .asserted = "[GPUDet] §4.4.2",
     .settings = {"determinism.zbuffer.depth_bits=8", quanta_of(30)},
     .breaks = Breaks::kOptions,
     .options = {"determinism.zbuffer.depth_bits=32"}},
};

std::vector<Rule> asserted_rules() {
  std::vector<Rule> rules;
  std::ranges::copy_if(kRules, std::back_inserter(rules),
                       [](const Rule& rule) { return rule.asserted != nullptr; });
  return rules;
}

std::string rule_name(const ::testing::TestParamInfo<Rule>& test) { return test.param.name; }

INSTANTIATE_TEST_SUITE_P(Each, BrokenRules, ::testing::ValuesIn(kRules), rule_name);
INSTANTIATE_TEST_SUITE_P(Each, AssertedRules, ::testing::ValuesIn(asserted_rules()), rule_name);

}  // namespace
}  // namespace heddle::broken_rules_test
