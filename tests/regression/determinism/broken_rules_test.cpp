// Rules of determinism, each left out once (determinism.broken_rule): racy kernels under perturbed timing must show it.
#include <gtest/gtest.h>

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
  std::uint64_t runs = 4;
};
void PrintTo(const Rule& rule, std::ostream* out) { *out << rule.name; }

std::uint64_t setting(const char* name, std::uint64_t fallback) {
  const char* const text = std::getenv(name);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 0);
}

Json digests(const Rule& rule, const char* broken, std::uint64_t seed, std::uint64_t kernels) {
  std::vector<std::string> assignments{"determinism.enabled=true", std::string("determinism.broken_rule=") + broken};
  assignments.insert(assignments.end(), rule.settings.begin(), rule.settings.end());
  const std::string number = std::to_string(seed);
  assignments.push_back("memory.crossbar.perturb_seed=" + number);
  assignments.push_back("memory.crossbar.perturb_cycles=" + std::to_string(seed * 17 % 80));
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

/// Of some kernels, those whose memory was not the same in all runs.
std::uint64_t different(const Rule& rule, const char* broken, std::uint64_t kernels) {
  std::vector<Json> all;
  for (std::uint64_t seed = 1; seed <= rule.runs; ++seed) {
    all.push_back(digests(rule, broken, seed, kernels));
    if (all.back().contains("errors")) {
      ADD_FAILURE() << all.back().dump();
      return 0;
    }
  }
  std::uint64_t count = 0;
  for (std::uint64_t i = 0; i < kernels; ++i)
    for (const Json& run : all)
      if (run[i] != all.front()[i]) {
        ++count;
        break;
      }
  return count;
}

class BrokenRules : public ::testing::TestWithParam<Rule> {};

TEST_P(BrokenRules, AreNoticed) {
  const std::uint64_t kernels = setting("HEDDLE_RACY_KERNELS", 60);
  EXPECT_EQ(different(GetParam(), "none", kernels), 0u) << "with all rules";
  const std::uint64_t count = different(GetParam(), GetParam().name, kernels);
  RecordProperty("different", static_cast<int>(count));
  std::printf("%s: %u of %u kernels\n", GetParam().name, static_cast<unsigned>(count), static_cast<unsigned>(kernels));
  EXPECT_GT(count, 0u);
}

const std::string kAware = "core.control_flow.mechanism=aware";
const std::string kMultiPath = "core.control_flow.mechanism=multi_path";
const std::string kMasks = "core.scoreboard.kind=per_thread_mask";

INSTANTIATE_TEST_SUITE_P(Each, BrokenRules,
                         ::testing::Values(Rule{"drain", {"determinism.quantum_size=12"}}, Rule{"flush", {"determinism.quantum_size=30"}}, Rule{"log_order", {"core.l1d.size_kib=1"}},
                                           Rule{"tail_latch", {"determinism.log.search_cost=per_entry"}},
                                           Rule{"merge_into_l1", {}}, Rule{"slot_mapping", {"core.occupancy.max_ctas=1", "determinism.quantum_size=5000"}}, Rule{"serial_order", {}},
                                           Rule{"serial_overlap", {}}, Rule{"split_order", {kMultiPath, kMasks}},
                                           Rule{"release_order", {kMultiPath, kMasks}}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace heddle
