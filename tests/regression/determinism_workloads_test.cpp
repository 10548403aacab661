// Every workload of the suite under determinism: memory is the same under every timing, on every mechanism that determinism
// takes; race-free workloads leave what they leave without it.
//
// HEDDLE_WORKLOAD_SEEDS sets the number of perturbed runs of each (10, times HEDDLE_TEST_DEPTH).
#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>
#include <string>
#include <vector>

#include "depth.h"
#include "workload_scenario.h"

namespace heddle::determinism_workloads_test {
namespace {

using testing::Scenario;

struct Case {
  std::string workload;
  std::string mechanism;
};
void PrintTo(const Case& what, std::ostream* out) { *out << what.workload << " on " << what.mechanism; }

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const workloads::Workload& workload : workloads::all())
    for (const char* mechanism : {"simt_stack", "aware", "multi_path"})
      // Those that need lanes to make progress on their own hang on a stack.
      if (!(workload.needs_simt_progress && std::string(mechanism) == "simt_stack"))
        all.push_back({workload.name, mechanism});
  return all;
}

class DeterministicWorkloads : public ::testing::TestWithParam<Case> {};

TEST_P(DeterministicWorkloads, LeaveTheSameMemoryUnderEverySeed) {
  const char* const text = std::getenv("HEDDLE_WORKLOAD_SEEDS");
  const std::uint64_t seeds = text == nullptr ? depth::times(10) : std::strtoull(text, nullptr, 0);
  std::string expected;
  static const std::regex cycles("diagnosed at cycle [0-9]+");
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const std::string number = std::to_string(seed);
    Scenario what{GetParam().workload, "tiny"};
    what.oracle = seed == 1;
    what.max_cycles = 50'000'000;
    what.assignments = {"determinism.enabled=true",
                        "determinism.byte_writes=serial_log",
                        "core.control_flow.mechanism=" + GetParam().mechanism,
                        "memory.crossbar.perturb_seed=" + number,
                        "memory.crossbar.perturb_cycles=12",
                        "memory.dram.perturb_seed=" + number,
                        "core.scheduler.perturb_seed=" + number,
                        "core.start_jitter.perturb_seed=" + number};
    if (workloads::find(what.workload)->needs_simt_progress) {
      what.assignments.push_back("core.compiler=delayed_reconvergence");
      what.assignments.push_back(
          "determinism.quantum_size=50");  // they spin to a quantum's end: less of that
    }
    if (GetParam().mechanism == "multi_path")
      what.assignments.push_back("core.scoreboard.kind=per_thread_mask");
    const auto result = testing::run(what);
    // What cannot be made deterministic is refused, and what hangs is diagnosed, the same way under every timing.
    const std::string outcome = result.contains("errors")
                                    ? std::regex_replace(result["errors"].dump(), cycles, "diagnosed")
                                    : result["memory"].dump();
    if (!result.contains("errors")) {
      EXPECT_TRUE(result["passed"].get<bool>()) << result["summary"];
      if (what.oracle && testing::same_on_the_oracle(*workloads::find(what.workload))) {
        EXPECT_EQ(result["oracle"], "same");
      }
    }
    if (seed == 1) {
      expected = outcome;
      std::printf("%s on %s: %s\n", GetParam().workload.c_str(), GetParam().mechanism.c_str(),
                  outcome.substr(0, 200).c_str());
    }
    EXPECT_EQ(outcome, expected) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(All, DeterministicWorkloads, ::testing::ValuesIn(cases()), [](const auto& test) {
  return testing::test_name(test.param.workload + "_" + test.param.mechanism);
});

}  // namespace
}  // namespace heddle::determinism_workloads_test
