// Random racy kernels under perturbed timing: with determinism memory comes out the same in every run, without it the same
// check finds differences.
//
// HEDDLE_RACY_KERNELS sets the number of kernels (200, times HEDDLE_TEST_DEPTH), HEDDLE_RACY_SEEDS that of perturbed runs of each (10; the long run has
// 1000), HEDDLE_RACY_SEED the first kernel. Runs are processes of their own (SystemC elaborates once), each with all kernels.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <set>
#include <string>
#include <vector>

#include "blocks/isolated.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "regression/depth.h"
#include "regression/generator/random_source.h"
#include "regression/racy/racy_kernel.h"

namespace heddle::racy_kernels_test {
namespace {

std::uint64_t setting(const char* name, std::uint64_t fallback) {
  const char* const text = std::getenv(name);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 0);
}

struct Mechanism {
  std::string name;
  std::vector<std::string> assignments;
};

const std::vector<Mechanism> kMechanisms{
    {"stack", {"core.control_flow.mechanism=simt_stack"}},
    {"aware", {"core.control_flow.mechanism=aware"}},
    {"multi_path", {"core.control_flow.mechanism=multi_path", "core.scoreboard.kind=per_thread_mask"}},
};

/// What changes timing: everything with a seed.
std::vector<std::string> perturbed(std::uint64_t seed) {
  const std::string number = std::to_string(seed);
  return {"test.memory.crossbar.perturb_seed=" + number,
          "test.memory.crossbar.perturb_cycles=" + std::to_string(seed * 7 % 40),
          "test.memory.dram.perturb_seed=" + number, "test.core.scheduler.perturb_seed=" + number,
          "test.core.start_jitter.perturb_seed=" + number};
}

/// Of determinism what may change timing and nothing else ([GPUDet:G18]), with small buffers; the first seed has the
/// defaults.
std::vector<std::string> determinism_of(std::uint64_t seed) {
  std::vector<std::string> keys{"determinism.enabled=true"};
  if (seed == 1) return keys;
  generator::RandomSource random(generator::RandomSource(seed).next());
  const auto set = [&](const std::string& key, std::initializer_list<const char*> values) {
    keys.push_back("determinism." + key + "=" + random.pick(values));
  };
  set("log.bloom_bits", {"128", "256", "1024", "ideal"});
  set("log.search_cost", {"meta_lines", "per_entry"});
  set("log.cost", {"memory", "memory", "none"});
  set("commit_engine", {"zbuffer", "zbuffer", "lock"});
  set("serial_mode", {"core", "wavefront"});
  set("barrier_cycles", {"0", "1", "37"});
  set("l1_flush_cycles", {"0", "5"});
  set("work_dist_cycles", {"0", "9"});
  set("zbuffer.request_entries", {"1", "2", "4", "16"});
  set("zbuffer.comparator_entries", {"1", "2", "16"});
  set("zbuffer.cache_kib", {"1", "16"});
  set("zbuffer.cache_ways", {"1", "4", "8"});
  set("zbuffer.set_full", {"stall", "skip"});
  set("zbuffer.l2_queue", {"1", "4"});
  set("zbuffer.depth_bits", {"8", "11", "32"});  // the number of quanta overflows, but for the last
  set("zbuffer.clock_mhz", {"325", "650", "1400"});
  set("zbuffer.latency_cycles", {"1", "7"});
  keys.push_back(std::string("memory.l2.write_miss=") + (random.chance(50) ? "fetch" : "byte_mask"));
  return keys;
}

/// Digests of memory, kernel by kernel; or why there are none.
nlohmann::ordered_json digests(const std::vector<std::string>& assignments, std::uint64_t first,
                               std::uint64_t kernels) {
  return tb::isolated([&]() -> nlohmann::ordered_json {
    gpu::GpuDevice gpu(gpu::load_platform("tiny", assignments), {.max_cycles = 20'000'000});
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (std::uint64_t i = 0; i < kernels; ++i) {
      all.push_back(testing::digest_after(gpu, testing::racy_kernel(first + i)));
      gpu.forget_launches();
    }
    return all;
  });
}

/// The kernels, by their seeds, whose memory was not the same in all runs. `more`: settings of each run.
std::set<std::uint64_t> nondeterministic(
    const std::vector<std::string>& settings, std::uint64_t kernels, std::uint64_t runs,
    const std::function<std::vector<std::string>(std::uint64_t)>& more = {}) {
  const std::uint64_t first = setting("HEDDLE_RACY_SEED", 1);
  std::set<std::uint64_t> differ;
  nlohmann::ordered_json expected;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    std::vector<std::string> assignments = settings;
    for (std::string& each : perturbed(seed)) assignments.push_back(std::move(each));
    if (more)
      for (std::string& each : more(seed)) assignments.push_back(std::move(each));
    const auto got = digests(assignments, first, kernels);
    if (got.contains("errors")) {
      ADD_FAILURE() << "perturbation " << seed << ": " << got.dump();
      return differ;
    }
    if (seed == 1) expected = got;
    for (std::uint64_t i = 0; i < kernels; ++i)
      if (got[i] != expected[i]) differ.insert(first + i);
    if (seed % 50 == 0) {  // of a long run
      std::printf("%llu kernels under %llu perturbations: %zu depend on timing\n",
                  static_cast<unsigned long long>(kernels), static_cast<unsigned long long>(seed),
                  differ.size());
      std::fflush(stdout);
    }
  }
  return differ;
}

class RacyKernels : public ::testing::TestWithParam<Mechanism> {};

TEST_P(RacyKernels, DependOnTimingWithoutDeterminism) {
  const std::uint64_t kernels = 40;
  const auto differ = nondeterministic(GetParam().assignments, kernels, 3);
  EXPECT_GT(differ.size(), kernels / 3) << "the check must be able to fail";
}

TEST_P(RacyKernels, LeaveTheSameMemoryWithDeterminism) {
  const auto differ =
      nondeterministic(GetParam().assignments, setting("HEDDLE_RACY_KERNELS", depth::times(200)),
                       setting("HEDDLE_RACY_SEEDS", 6), determinism_of);
  EXPECT_EQ(differ, std::set<std::uint64_t>{}) << "kernels by their seeds";
}

INSTANTIATE_TEST_SUITE_P(All, RacyKernels, ::testing::ValuesIn(kMechanisms),
                         [](const auto& test) { return test.param.name; });

TEST(RacyKernelGenerator, GivesTheSameKernelForTheSameSeed) {
  std::set<std::string> texts;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    EXPECT_EQ(testing::racy_kernel(seed).ptx, testing::racy_kernel(seed).ptx);
    texts.insert(testing::racy_kernel(seed).ptx);
  }
  EXPECT_EQ(texts.size(), 50u);
}

TEST(RacyKernelGenerator, UsesEverythingThatCanRace) {
  std::string all;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) all += testing::racy_kernel(seed).ptx;
  for (const char* one : {"ld.global.u32", "ld.volatile.global.u32", "ld.global.v2", "st.global.u32",
                          "st.global.v4", "st.global.u64", "atom.global.cas", "atom.global.exch",
                          "red.global.add", "membar.gl", "membar.cta", "bar.sync"})
    EXPECT_NE(all.find(one), std::string::npos) << one;
}

}  // namespace
}  // namespace heddle::racy_kernels_test
