// Workloads under every policy that a core can have: the right result and the oracle's memory, with the rule against starvation
// where lanes wait for each other; and without it, spin kernels finish or are diagnosed ([Resync:L1]).
//
// HEDDLE_RESYNC_POLICIES: policies per workload (default 1, times HEDDLE_TEST_DEPTH: they take turns); 22 is all.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "depth.h"
#include "workload_scenario.h"

namespace heddle::resync_workloads_test {
namespace {

using testing::run;
using testing::Scenario;
using testing::test_name;

struct Policy {
  const char* name;
  bool fair = false;  ///< lanes that spin let the others have their turn
  bool by_history =
      false;  ///< lanes that have taken a lock may never meet the others, so that these starve them
};
const std::vector<Policy> kPolicies{{"MinPC"},
                                    {"MinSP_MinPC"},
                                    {"MaxFunMinPC1"},
                                    {"MaxFunMinPC2"},
                                    {"MaxFunMinPC3"},
                                    {"Long(8)", false, true},
                                    {"LongMinPC(4)", false, true},
                                    {"LongMinSP(4)", false, true},
                                    {"LongIRB(8)", false, true},
                                    {"Lee", true},
                                    {"Lee+function_stack", true},
                                    {"PDomMinPC"},
                                    {"PDomMinSP"},
                                    {"PDomMaxFun"},
                                    {"PDomMaxSP"},
                                    {"PDomMinFun"},
                                    {"PDomRB"},
                                    {"PDomLong(4)"},
                                    {"LongestPath1"},
                                    {"LongestPathP"},
                                    {"RoundRobin", true},
                                    {"RoundRobinEq", true}};

std::vector<std::string> keys(const Policy& policy, unsigned aging) {
  return {"core.control_flow.mechanism=resync", std::string("core.control_flow.resync.policy=") + policy.name,
          "core.control_flow.resync.aging_selections=" + std::to_string(aging)};
}

std::vector<std::string> all_workloads() {
  std::vector<std::string> names = testing::workload_names(false);
  for (const std::string& name : testing::workload_names(true)) names.push_back(name);
  return names;
}

/// In SIMT-safe form: a lane that has a lock releases it before the warp's lanes meet.
const std::set<std::string> kLocks{"apriori",
                                   "apriori-coarse",
                                   "atm",
                                   "atm-coarse",
                                   "bh-build-coarse",
                                   "bh-sort",
                                   "cloth",
                                   "cloth-blocked",
                                   "cloth-coarse",
                                   "cloth-interleaved",
                                   "cloth-pull",
                                   "cudacuts-coarse",
                                   "hashtable",
                                   "hashtable-backoff",
                                   "hashtable-coarse",
                                   "hashtable-serial",
                                   "nw-rows",
                                   "tsp"};

class ResyncWorkloads : public ::testing::TestWithParam<std::string> {};

TEST_P(ResyncWorkloads, GiveTheRightResultAndTheOraclesMemory) {
  const std::string& workload = GetParam();
  const auto names = all_workloads();
  const auto index =
      static_cast<std::size_t>(std::find(names.begin(), names.end(), workload) - names.begin());
  const char* const wanted = std::getenv("HEDDLE_RESYNC_POLICIES");
  const std::size_t count = std::min<std::size_t>(
      kPolicies.size(), wanted == nullptr ? depth::times(1) : std::strtoul(wanted, nullptr, 10));
  const bool waits = workloads::find(workload)->needs_simt_progress;
  for (std::size_t i = 0; i < count; ++i) {
    const Policy& policy = kPolicies[(index + i) % kPolicies.size()];
    SCOPED_TRACE(policy.name);
    Scenario what{workload, "tiny", workloads::Compiler::kNvcc, keys(policy, waits ? 16 : 0)};
    what.oracle = true;
    const bool starves = policy.by_history && kLocks.contains(workload);
    what.max_cycles = starves ? 1'500'000 : 20'000'000;
    what.statistics = nullptr;
    auto result = run(what);
    if (starves && result.contains("errors")) {
      const std::string text = result["errors"][0];
      EXPECT_TRUE(text.find("hangs: SIMT-induced deadlock") != std::string::npos ||
                  text.find("hangs: starvation by selection") != std::string::npos)
          << text;
      what.assignments = keys(policy, 16);
      result = run(what);
    }
    ASSERT_FALSE(result.contains("errors")) << result["errors"][0];
    EXPECT_TRUE(result["passed"].get<bool>()) << result["summary"];
    if (testing::same_on_the_oracle(*workloads::find(workload))) {
      EXPECT_EQ(result["oracle"], "same");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ResyncWorkloads, ::testing::ValuesIn(all_workloads()),
                         [](const auto& test) { return test_name(test.param); });

class ResyncSpinning : public ::testing::TestWithParam<std::size_t> {};

TEST_P(ResyncSpinning, FinishesWithAgingAndIsDiagnosedWithout) {
  const Policy& policy = kPolicies[GetParam()];
  for (const char* workload : {"spinlock", "hashtable-mimd"}) {
    SCOPED_TRACE(workload);
    Scenario what{workload, "tiny", workloads::Compiler::kNvcc, keys(policy, 16)};
    what.oracle = true;
    what.max_cycles = 3'000'000;
    what.statistics = nullptr;
    const auto aged = run(what);
    ASSERT_FALSE(aged.contains("errors")) << aged["errors"][0];
    EXPECT_TRUE(aged["passed"].get<bool>()) << aged["summary"];
    what.assignments = keys(policy, 0);
    const auto strict = run(what);
    if (policy.fair) {
      EXPECT_FALSE(strict.contains("errors")) << strict["errors"][0];
      continue;
    }
    if (!strict.contains("errors")) {
      EXPECT_STRNE(workload, "spinlock") << "no lane was starved";
      continue;
    }
    const std::string text = strict["errors"][0];
    EXPECT_NE(text.find("hangs: SIMT-induced deadlock"), std::string::npos) << text;
    EXPECT_NE(text.find("aging_selections=16"), std::string::npos) << "the remedy: " << text;
  }
}

// Lanes take one of two locks, do not get the other one and release the former, for ever: memory changes all the time, and
// whether the locks are free at once cannot be told by values alone (models/hang/README.md).
TEST(ResyncLivelock, OfTheScheduleIsDiagnosedAndEndsWithAging) {
  Scenario what{"cloth-interleaved", "tiny", workloads::Compiler::kNvcc, keys({"LongMinSP(4)"}, 0)};
  what.max_cycles = 1'500'000;
  what.statistics = nullptr;
  const auto strict = run(what);
  ASSERT_TRUE(strict.contains("errors"));
  const std::string text = strict["errors"][0];
  EXPECT_NE(text.find("hangs: starvation by selection"), std::string::npos) << text;
  EXPECT_NE(text.find("could run and are not selected"), std::string::npos) << text;
  EXPECT_NE(text.find("aging_selections=16"), std::string::npos) << "the remedy: " << text;
  what.assignments = keys({"LongMinSP(4)"}, 16);
  const auto aged = run(what);
  ASSERT_FALSE(aged.contains("errors")) << aged["errors"][0];
  EXPECT_TRUE(aged["passed"].get<bool>()) << aged["summary"];
}

std::string policy_name(const ::testing::TestParamInfo<std::size_t>& test) {
  std::string name = kPolicies[test.param].name;
  std::erase(name, ')');
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, ResyncSpinning, ::testing::Range<std::size_t>(0, kPolicies.size()),
                         policy_name);

}  // namespace
}  // namespace heddle::resync_workloads_test
