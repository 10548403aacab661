// Every workload of the suite under determinism: memory is the same under every timing, on every mechanism that determinism
// takes; race-free workloads leave what they leave without it.
//
// Each workload has six seeds or more (times HEDDLE_TEST_DEPTH), other ones on each mechanism. HEDDLE_WORKLOAD_SEEDS sets their number on
// each.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "depth.h"
#include "workload_scenario.h"

namespace heddle::determinism_workloads_test {
namespace {

using testing::Scenario;

constexpr std::uint64_t kSeeds = 6;

struct Case {
  std::string workload;
  std::string mechanism;
  std::size_t place = 0;       ///< of the mechanism
  std::size_t mechanisms = 0;  ///< that run the workload
};
void PrintTo(const Case& what, std::ostream* out) { *out << what.workload << " on " << what.mechanism; }

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const workloads::Workload& workload : workloads::all()) {
    std::vector<std::string> mechanisms{"aware", "multi_path"};
    // Those that need lanes to make progress on their own hang on a stack.
    if (!workload.needs_simt_progress) mechanisms.emplace_back("simt_stack");
    for (std::size_t place = 0; place < mechanisms.size(); ++place)
      all.push_back({workload.name, mechanisms[place], place, mechanisms.size()});
  }
  return all;
}

/// The same but for the cycle at which a hang was diagnosed.
std::string without_cycle(std::string errors) {
  static const std::string before = "diagnosed at cycle ";
  for (auto at = errors.find(before); at != errors.npos; at = errors.find(before, at + before.size())) {
    const auto begin = at + before.size();
    errors.erase(begin, errors.find_first_not_of("0123456789", begin) - begin);
  }
  return errors;
}

class DeterministicWorkloads : public ::testing::TestWithParam<Case> {};

TEST_P(DeterministicWorkloads, LeaveTheSameMemoryUnderEverySeed) {
  const char* const text = std::getenv("HEDDLE_WORKLOAD_SEEDS");
  const std::uint64_t usual = (depth::times(kSeeds) + GetParam().mechanisms - 1) / GetParam().mechanisms;
  const std::uint64_t seeds =
      text == nullptr ? std::max<std::uint64_t>(2, usual) : std::strtoull(text, nullptr, 0);
  const std::uint64_t first = 1 + GetParam().place * seeds;
  std::string expected;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    const std::string number = std::to_string(seed);
    Scenario what{GetParam().workload, "tiny"};
    what.oracle = seed == first;
    what.max_cycles = 50'000'000;
    what.assignments = {"determinism.enabled=true",
                        "determinism.byte_writes=serial_log",
                        "core.control_flow.mechanism=" + GetParam().mechanism,
                        "test.memory.crossbar.perturb_seed=" + number,
                        "test.memory.crossbar.perturb_cycles=12",
                        "test.memory.dram.perturb_seed=" + number,
                        "test.core.scheduler.perturb_seed=" + number,
                        "test.core.start_jitter.perturb_seed=" + number};
    if (workloads::find(what.workload)->needs_simt_progress) {
      what.assignments.push_back("core.compiler=delayed_reconvergence");
      what.assignments.push_back(
          "determinism.quantum_size=50");  // they spin to a quantum's end: less of that
    }
    if (GetParam().mechanism == "multi_path")
      what.assignments.push_back("core.scoreboard.kind=per_thread_mask");
    what.statistics = nullptr;
    const auto result = testing::run(what);
    // What cannot be made deterministic is refused, and what hangs is diagnosed, the same way under every timing.
    const std::string outcome =
        result.contains("errors") ? without_cycle(result["errors"].dump()) : result["memory"].dump();
    if (!result.contains("errors")) {
      EXPECT_TRUE(result["passed"].get<bool>()) << result["summary"];
      if (what.oracle && testing::same_on_the_oracle(*workloads::find(what.workload))) {
        EXPECT_EQ(result["oracle"], "same");
      }
    }
    if (seed == first) {
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
