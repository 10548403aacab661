// Workloads with transactions on every platform: the right result under both protocols and with temporal conflict detection,
// and the same statistics in every run and any order of creation.
//
// Protocols and compilers take turns: each platform, and each workload, meets each pair. From HEDDLE_TEST_DEPTH=3 on all run with all.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "regression/depth.h"
#include "regression/workload_scenario.h"

namespace heddle::workloads_tx_test {
namespace {

using testing::run;
using testing::Scenario;
using testing::test_name;
using workloads::Compiler;

Scenario with_transactions(const std::string& workload, const std::string& platform, Compiler compiler,
                           std::vector<std::string> more) {
  Scenario scenario{workload, platform, compiler};
  scenario.assignments = {"tm.enabled=true", "test.tm.checks=true"};
  // Of its own it has hanoi, whose placement puts instructions into transactions.
  if (platform == "rtx2060") scenario.assignments.emplace_back("core.control_flow.mechanism=simt_stack");
  scenario.assignments.insert(scenario.assignments.end(), more.begin(), more.end());
  return scenario;
}

const std::vector<std::string> kPlatforms{"tiny", "gtx480", "quadro_fx5800", "rtx2060"};

class TxWorkloads : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  /// Of this test, of `count` ways.
  [[nodiscard]] static std::vector<std::size_t> turns(std::size_t count, std::size_t usual) {
    const auto& [workload, platform] = GetParam();
    const auto place = std::find(kPlatforms.begin(), kPlatforms.end(), platform) - kPlatforms.begin();
    return depth::turns(testing::number_of(workload) + static_cast<std::size_t>(place), count, usual);
  }
};

TEST_P(TxWorkloads, GiveTheRightResult) {
  const auto& [workload, platform] = GetParam();
  const std::vector<const char*> protocols{"tm.protocol=kilo", "tm.protocol=warp", "tm.protocol=ideal"};
  for (const std::size_t turn : turns(2 * protocols.size(), 2)) {
    const Compiler compiler = turn % 2 == 0 ? Compiler::kNvcc : Compiler::kClang;
    const char* const protocol = protocols[turn % protocols.size()];
    SCOPED_TRACE(test_name(compiler) + ", " + protocol);
    Scenario scenario =
        with_transactions(workload, platform, compiler, {protocol, "tm.temporal.mode=strict"});
    scenario.oracle = true;
    scenario.statistics = nullptr;
    const auto result = run(scenario);
    ASSERT_FALSE(result.contains("errors")) << result.dump();
    EXPECT_TRUE(result["passed"].get<bool>()) << result["summary"];
    if (result.contains("oracle")) {
      EXPECT_EQ(result["oracle"], "same");
    }
  }
}

class TxWorkloadsApart : public TxWorkloads {};

TEST_P(TxWorkloadsApart, RunWhereLanesRunApart) {
  const auto& [workload, platform] = GetParam();
  for (const char* mechanism : {"aware", "multi_path"}) {
    Scenario scenario =
        with_transactions(workload, platform, Compiler::kNvcc,
                          {std::string("core.control_flow.mechanism=") + mechanism, "tm.protocol=warp"});
    scenario.oracle = true;
    scenario.statistics = nullptr;
    const auto result = run(scenario);
    ASSERT_FALSE(result.contains("errors")) << result.dump();
    EXPECT_TRUE(result["passed"].get<bool>()) << result["summary"];
  }
}

// What differs from run to run differs in a run with another order of creation, too: only such runs are repetitions.
TEST_P(TxWorkloads, SameStatisticsInAnyOrderOfCreation) {
  const auto& [workload, platform] = GetParam();
  for (const std::size_t turn : turns(2, 1)) {
    const char* const protocol = turn == 0 ? "tm.protocol=kilo" : "tm.protocol=ideal";
    Scenario scenario = with_transactions(workload, platform, Compiler::kNvcc, {protocol});
    const std::string first = run(scenario).dump();
    ASSERT_EQ(first.find("\"errors\""), std::string::npos) << first;
    scenario.shuffle = 42;
    EXPECT_EQ(run(scenario).dump(), first);
  }
  if (platform != "tiny") return;
  Scenario apart = with_transactions(workload, platform, Compiler::kNvcc,
                                     {"core.control_flow.mechanism=multi_path", "tm.validate_cycles=500"});
  const std::string before = run(apart).dump();
  apart.shuffle = 42;
  EXPECT_EQ(run(apart).dump(), before);
}

const auto kWorkloads = ::testing::Values("hashtable-tx", "atm-tx", "cloth-tx", "cloth-tx-preloaded",
                                          "bh-build-tx", "cudacuts-tx", "apriori-tx");
const auto name_of = [](const auto& test) {
  return test_name(std::get<0>(test.param) + "_" + std::get<1>(test.param));
};

INSTANTIATE_TEST_SUITE_P(On, TxWorkloads, ::testing::Combine(kWorkloads, ::testing::ValuesIn(kPlatforms)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(On, TxWorkloadsApart,
                         ::testing::Combine(kWorkloads, ::testing::Values("tiny", "gtx480")), name_of);

}  // namespace
}  // namespace heddle::workloads_tx_test
