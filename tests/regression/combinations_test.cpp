// Every scheduling policy with every control-flow mechanism, mechanism of the GPU, compiler pass and spin hardware: a run gives the
// right result, or is refused by an error that names a key. Nothing crashes, runs for ever or is wrong.
//
// At the usual depth each pair of policy and mechanism takes turns on the rest; from HEDDLE_TEST_DEPTH=48 on each takes all.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "base/error.h"
#include "blocks/isolated.h"
#include "depth.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "gpu/registries.h"
#include "workload_scenario.h"
#include "workloads/workload.h"

namespace heddle::combinations_test {
namespace {

using Json = nlohmann::ordered_json;
using Settings = std::vector<std::string>;

constexpr std::uint64_t kMaxCycles = 3'000'000;
constexpr std::size_t kUsual = 2;  ///< of the ways to complete a pair

struct GpuMechanism {
  Settings settings;
  bool transactions = false;
  bool refused = false;
};
const std::vector<GpuMechanism>& gpu_mechanisms() {
  static const std::vector<GpuMechanism> all{
      {{}},
      {{"determinism.enabled=true"}},
      {{"determinism.enabled=true", "determinism.commit_engine=lock"}},
      {{"tm.enabled=true"}, true},
      {{"tm.enabled=true", "tm.protocol=warp"}, true},
      {{"tm.enabled=true", "tm.protocol=ideal"}, true},
      {{"tm.enabled=true", "determinism.enabled=true"}, true, true},
      {{"tm.enabled=true", "determinism.enabled=true", "determinism.commit_engine=lock"}, true, true},
  };
  return all;
}
const std::vector<Settings>& spins() {
  static const std::vector<Settings> all{{},
                                         {"core.spin.source=ddos"},
                                         {"core.spin.source=ddos", "core.spin.bows.enabled=false"},
                                         {"core.spin.source=analysis"}};
  return all;
}
const Settings& passes() {
  static const Settings all{"none", "ssde", "delayed_reconvergence"};
  return all;
}
/// Streams, a tree with barriers, atomics of shared and global memory, irregular loads, locks.
const Settings& plain_workloads() {
  static const Settings all{"vecadd", "reduction", "histogram", "bfs", "hashtable"};
  return all;
}
const Settings& tx_workloads() {
  static const Settings all{"hashtable-tx", "atm-tx"};
  return all;
}

Json outcome_of(const Settings& settings, const std::string& workload) {
  return tb::isolated([&]() -> Json {
    try {
      gpu::GpuDevice device(
          gpu::load_platform("tiny", settings),
          {.max_cycles = kMaxCycles, .on_progress = {}, .on_print = [](const std::string&) {}});
      const workloads::Options options{.compiler = workloads::Compiler::kNvcc,
                                       .size = workloads::Size::kTiny};
      const workloads::Verdict verdict = workloads::find(workload)->run(device, options);
      return {{"passed", verdict.passed}, {"what", verdict.summary}};
    } catch (const base::Error& error) {
      return {{"code", static_cast<int>(error.code())}, {"what", error.what()}};
    }
  });
}

/// What is wrong with an outcome; empty: nothing.
std::string fault_of(const Json& outcome, bool may_starve, bool refused) {
  if (outcome.contains("errors")) return "it died: " + outcome["errors"].dump();
  const std::string what = outcome["what"];
  if (outcome.contains("passed")) {
    if (refused) return "it was not refused";
    return outcome["passed"] ? "" : "wrong result: " + what;
  }
  static const std::regex key("(core|dispatch|determinism|tm)(\\.[a-z0-9_]+)+");
  if (outcome["code"] == static_cast<int>(base::ExitCode::kBadInput))
    return std::regex_search(what, key) ? "" : "refused without a key: " + what;
  // A policy that need not ever choose a warp that could issue says so (models/core/schedule/scheduling_policy.h).
  if (may_starve && outcome["code"] == static_cast<int>(base::ExitCode::kHang) &&
      what.find("hangs: starvation") != std::string::npos)
    return "";
  return "exit code " + outcome["code"].dump() + ": " + what;
}

std::string text_of(const Settings& settings) {
  std::string text;
  for (const std::string& setting : settings) text += " --set " + setting;
  return text;
}

class Combinations : public ::testing::TestWithParam<std::string> {};

TEST_P(Combinations, AreRightOrRefused) {
  const auto& policies = gpu::scheduling_policies().entries();
  const std::size_t ways = gpu_mechanisms().size() * spins().size() * passes().size();
  std::size_t finished = 0;
  for (std::size_t p = 0; p < policies.size(); ++p) {
    const bool may_starve = [&] {
      gpu::GpuConfig config = gpu::load_platform("tiny", {"core.scheduler.policy=" + policies[p].name});
      return config.core.scheduler.make(8)->may_starve();
    }();
    const std::size_t pair = p * 7 + testing::test_name(GetParam()).size();  // others begin elsewhere
    for (const std::size_t way : depth::turns(pair * 11, ways, kUsual)) {
      const GpuMechanism& gpu = gpu_mechanisms()[way % gpu_mechanisms().size()];
      const std::size_t rest = way / gpu_mechanisms().size();
      Settings settings{"core.scheduler.policy=" + policies[p].name,
                        "core.control_flow.mechanism=" + GetParam(),
                        "core.compiler=" + passes()[rest / spins().size()]};
      const Settings& spin = spins()[rest % spins().size()];
      settings.insert(settings.end(), spin.begin(), spin.end());
      settings.insert(settings.end(), gpu.settings.begin(), gpu.settings.end());
      const Settings& workloads = gpu.transactions ? tx_workloads() : plain_workloads();
      const std::string& workload = workloads[(way + p) % workloads.size()];
      const Json outcome = outcome_of(settings, workload);
      const std::string fault = fault_of(outcome, may_starve, gpu.refused);
      EXPECT_EQ(fault, "") << "heddle run " << workload << " --size tiny --platform tiny"
                           << text_of(settings);
      finished += outcome.contains("passed") ? 1 : 0;
    }
  }
  EXPECT_GT(finished, 0u) << "everything was refused: the test tests nothing";
}

std::vector<std::string> mechanism_names() {
  std::vector<std::string> names;
  for (const auto& mechanism : gpu::control_flow_mechanisms().entries()) names.push_back(mechanism.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Of, Combinations, ::testing::ValuesIn(mechanism_names()),
                         [](const auto& test) { return test.param; });

// Both decide when the stores of a kernel come to memory.
TEST(Combinations, TransactionsAndDeterminismAreRefusedByKey) {
  for (const char* engine : {"zbuffer", "lock"})
    for (const char* mechanism : {"simt_stack", "aware", "multi_path"}) {
      const Json outcome = outcome_of(
          {"tm.enabled=true", "determinism.enabled=true", std::string("determinism.commit_engine=") + engine,
           std::string("core.control_flow.mechanism=") + mechanism},
          "hashtable-tx");
      EXPECT_EQ(outcome.value("code", 0), static_cast<int>(base::ExitCode::kBadInput)) << outcome;
      EXPECT_EQ(outcome.value("what", "").rfind("tm.enabled: ", 0), 0u) << outcome;
    }
}

// Warps that come back to a slot that was empty have their turn.
TEST(Combinations, TwoLevelSchedulingKnowsWarpsThatAreFormedAnew) {
  for (const char* mechanism : {"tbc", "dwf"})
    for (const std::string& workload : plain_workloads()) {
      const Json outcome = outcome_of(
          {"core.scheduler.policy=two_level", std::string("core.control_flow.mechanism=") + mechanism},
          workload);
      EXPECT_EQ(fault_of(outcome, false, false), "") << mechanism << " " << workload;
      EXPECT_TRUE(outcome.contains("passed")) << outcome;
    }
}

}  // namespace
}  // namespace heddle::combinations_test
