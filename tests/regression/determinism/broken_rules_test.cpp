// Rules of determinism, each left out once (determinism.broken_rule): racy kernels under perturbed timing must show it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "blocks/isolated.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "regression/racy/racy_kernel.h"

namespace heddle {
namespace {

using Json = nlohmann::ordered_json;

struct Rule {
  const char* name;
  std::vector<std::string> settings;
  std::uint64_t cycles = 80;  ///< how far requests of different cores are perturbed
};
void PrintTo(const Rule& rule, std::ostream* out) { *out << rule.name; }

std::uint64_t setting(const char* name, std::uint64_t fallback) {
  const char* const text = std::getenv(name);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 0);
}

Json digests(const Rule& rule, const char* broken, std::uint64_t seed, std::uint64_t kernels) {
  std::vector<std::string> assignments{"determinism.enabled=true",
                                       std::string("determinism.broken_rule=") + broken};
  assignments.insert(assignments.end(), rule.settings.begin(), rule.settings.end());
  const std::string number = std::to_string(seed);
  assignments.push_back("memory.crossbar.perturb_seed=" + number);
  assignments.push_back("memory.crossbar.perturb_cycles=" + std::to_string(seed * 197 % rule.cycles));
  assignments.push_back("memory.dram.perturb_seed=" + number);
  assignments.push_back("core.scheduler.perturb_seed=" + number);
  assignments.push_back("core.start_jitter.perturb_seed=" + number);
  return tb::isolated([&]() -> Json {
    gpu::GpuDevice gpu(gpu::load_platform("tiny", assignments), {.max_cycles = 20'000'000});
    Json all = Json::array();
    for (std::uint64_t i = 0; i < kernels; ++i) {
      all.push_back(testing::digest_after(gpu, testing::racy_kernel(1 + i)));
      gpu.forget_launches();
    }
    return all;
  });
}

/// Memory after some kernels, with all rules and timing as it is.
Json expected(const Rule& rule, std::uint64_t kernels) { return digests(rule, "none", 0, kernels); }

/// How many of the kernels do not leave that memory in each of some perturbed runs.
std::uint64_t different(const Rule& rule, const char* broken, const Json& wanted) {
  constexpr std::uint64_t kRuns = 4;
  std::vector<bool> differs(wanted.size(), false);
  for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
    const Json got = digests(rule, broken, seed, wanted.size());
    if (got.contains("errors")) {
      ADD_FAILURE() << got.dump();
      return 0;
    }
    for (std::size_t i = 0; i < differs.size(); ++i) differs[i] = differs[i] || got[i] != wanted[i];
  }
  return static_cast<std::uint64_t>(std::count(differs.begin(), differs.end(), true));
}

class BrokenRules : public ::testing::TestWithParam<Rule> {};

TEST_P(BrokenRules, AreNoticed) {
  const Json wanted = expected(GetParam(), setting("HEDDLE_RACY_KERNELS", 40));
  ASSERT_FALSE(wanted.contains("errors")) << wanted.dump();
  EXPECT_EQ(different(GetParam(), "none", wanted), 0u) << "with all rules";
  const std::uint64_t count = different(GetParam(), GetParam().name, wanted);
  std::printf("%s: %u of %u kernels\n", GetParam().name, static_cast<unsigned>(count),
              static_cast<unsigned>(wanted.size()));
  EXPECT_GT(count, 0u);
}

const std::string kMultiPath = "core.control_flow.mechanism=multi_path";
const std::string kMasks = "core.scoreboard.kind=per_thread_mask";

INSTANTIATE_TEST_SUITE_P(
    Each, BrokenRules,
    ::testing::Values(Rule{"flush", {"determinism.quantum_size=30"}}, Rule{"log_order", {"core.l1d.size_kib=1"}}, Rule{"merge_into_l1", {}},
                      Rule{"slot_mapping", {"core.occupancy.max_ctas=1", "determinism.quantum_size=5000"}},
                      Rule{"serial_order", {}}, Rule{"serial_overlap", {}},
                      Rule{"split_order", {kMultiPath, kMasks}}, Rule{"release_order", {kMultiPath, kMasks}}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace heddle
