// Workloads on the mechanisms whose threads change warps: right result and the oracle's memory, or the message that says why
// not ([TBC:S2], [DWF:S7]).
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "depth.h"
#include "workload_scenario.h"

namespace heddle::compaction_workloads_test {
namespace {

using testing::run;
using testing::Scenario;
using testing::test_name;

struct Machine {
  const char* name;
  std::vector<std::string> assignments;
};

const std::vector<Machine> kMachines{
    {"tbc", {"core.control_flow.mechanism=tbc", "core.scheduler.policy=lrr"}},
    {"tbc_likely_contract",
     {"core.control_flow.mechanism=tbc", "core.scheduler.policy=age",
      "core.control_flow.likely_convergence=loops", "core.control_flow.tbc.timing=contract"}},
    {"dwf", {"core.control_flow.mechanism=dwf", "core.scheduler.policy=majority"}},
    {"dwf_warp_barriers",
     {"core.control_flow.mechanism=dwf", "core.scheduler.policy=lowest_pc",
      "core.control_flow.dwf.warp_barrier=true", "core.control_flow.dwf.timing=contract",
      "core.scoreboard.kind=per_thread_mask"}},
};

/// What must be in the message instead of a result.
const std::map<std::pair<std::string, std::string>, std::string> kRefused{
    // Threads of a CTA wait for a lock that another path of the CTA holds.
    {{"hashtable-serial", "tbc"}, "hangs: "},
    {{"hashtable-serial", "tbc_likely_contract"}, "hangs: "},
    {{"tsp", "tbc"}, "hangs: "},
    {{"tsp", "tbc_likely_contract"}, "hangs: "},
    // A barrier in an arm that not all threads of the CTA take.
    {{"barrier-arms", "tbc"}, "hangs: "},
    {{"barrier-arms", "tbc_likely_contract"}, "hangs: "},
    // It shares words among the lanes of a warp without __syncwarp().
    {{"histogram256", "tbc"}, "relies on warps in lockstep"},
    {{"histogram256", "tbc_likely_contract"}, "relies on warps in lockstep"},
    {{"histogram256", "dwf"}, "relies on warps in lockstep"},
    {{"histogram256", "dwf_warp_barriers"}, "relies on warps in lockstep"},
    // Levels are read while other threads of the warp write them: a race, which does no harm.
    {{"bfs-racy", "tbc"}, "or has a race"},
    {{"bfs-racy", "tbc_likely_contract"}, "or has a race"},
    {{"bfs-racy", "dwf"}, "or has a race"},
};

class CompactionWorkloads : public ::testing::TestWithParam<std::string> {};

void gives_the_right_result_or_says_why_not(const std::string& workload, const Machine& machine) {
  SCOPED_TRACE(machine.name);
  Scenario what{workload, "tiny", workloads::Compiler::kNvcc, machine.assignments};
  what.oracle = true;
  what.max_cycles = 5'000'000;
  what.statistics = nullptr;
  const auto result = run(what);
  const auto refused = kRefused.find({workload, machine.name});
  if (refused != kRefused.end()) {
    ASSERT_TRUE(result.contains("errors")) << "is not refused any more";
    const std::string text = result["errors"][0];
    EXPECT_NE(text.find(refused->second), std::string::npos) << text;
    return;
  }
  ASSERT_FALSE(result.contains("errors")) << result["errors"][0];
  EXPECT_TRUE(result["passed"].get<bool>()) << result["summary"];
  if (testing::same_on_the_oracle(*workloads::find(workload))) {
    EXPECT_EQ(result["oracle"], "same");
  }
}

class HarmlessRace : public ::testing::TestWithParam<std::size_t> {};

TEST_P(HarmlessRace, IsRightIfNobodyChecks) {
  Scenario what{"bfs-racy", "tiny", workloads::Compiler::kNvcc, kMachines[GetParam()].assignments};
  what.assignments.emplace_back("core.warp_synchrony=off");
  what.statistics = nullptr;
  const auto result = run(what);
  ASSERT_FALSE(result.contains("errors")) << result["errors"][0];
  EXPECT_TRUE(result["passed"].get<bool>()) << result["summary"];
}

INSTANTIATE_TEST_SUITE_P(All, HarmlessRace, ::testing::Range<std::size_t>(0, kMachines.size()),
                         [](const auto& test) { return kMachines[test.param].name; });

// One machine of each mechanism in turn, and each that refuses it; all from HEDDLE_TEST_DEPTH=2 on.
TEST_P(CompactionWorkloads, GiveTheRightResultOrSayWhyNot) {
  const std::vector<std::size_t> own = depth::turns(testing::number_of(GetParam()), 2);
  for (std::size_t i = 0; i < kMachines.size(); ++i)
    if (std::ranges::count(own, i % 2) != 0 || kRefused.contains({GetParam(), kMachines[i].name}))
      gives_the_right_result_or_says_why_not(GetParam(), kMachines[i]);
}

INSTANTIATE_TEST_SUITE_P(All, CompactionWorkloads, ::testing::ValuesIn(testing::workload_names(false)),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace
}  // namespace heddle::compaction_workloads_test
