// Spin-aware scheduling on whole workloads: right results, what is detected, what it costs, and what it is good for.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "depth.h"
#include "workload_scenario.h"

namespace heddle::spin_test {
namespace {

using testing::run;
using testing::Scenario;
using testing::test_name;
using testing::workload_names;
using Json = nlohmann::ordered_json;

/// Sum over cores and launches of a counter of core.spin.
std::uint64_t spin(const Json& result, const std::string& group, const std::string& counter) {
  std::uint64_t sum = 0;
  for (const Json& launch : result["launches"])
    for (const auto& [name, stats] : launch["stats"].items())
      if (name.starts_with("core")) sum += stats["spin"][group][counter].get<std::uint64_t>();
  return sum;
}

std::uint64_t cycles(const Json& result) {
  std::uint64_t sum = 0;
  for (const Json& launch : result["launches"]) sum += launch["cycles"].get<std::uint64_t>();
  return sum;
}

Scenario scenario(const std::string& workload, std::vector<std::string> assignments,
                  const std::string& platform = "gtx480", bool oracle = false) {
  Scenario what{workload, platform};
  what.assignments = std::move(assignments);
  what.oracle = oracle;
  what.statistics = [](const Json& all) {
    Json cores = Json::object();
    for (const auto& [name, group] : all.items())
      if (name.starts_with("core"))
        cores[name] = {{"spin", group.value("spin", Json::object())}, {"issue", group["issue"]}};
    return cores;
  };
  return what;
}

/// All workloads that finish on the stack.
class SpinAware : public ::testing::TestWithParam<std::string> {};

// The two sources that only look at the code take turns; both from HEDDLE_TEST_DEPTH=2 on.
TEST_P(SpinAware, GivesTheRightResultsAndXorNeverFlagsARegularLoop) {
  std::vector<const char*> sources{"ddos"};
  for (const std::size_t turn : depth::turns(testing::number_of(GetParam()), 2))
    sources.push_back(turn == 0 ? "analysis" : "annotations");
  for (const char* const source : sources) {
    Scenario what =
        scenario(GetParam(), {std::string("core.spin.source=") + source, "core.spin.bows.minimum_delay=200",
                              "core.spin.bows.window_cycles=300"});
    what.oracle = true;
    const Json result = run(what);
    ASSERT_FALSE(result.contains("errors")) << source << ": " << result.dump().substr(0, 2000);
    EXPECT_TRUE(result["passed"].get<bool>()) << source << ": " << result["summary"];
    if (testing::same_on_the_oracle(*workloads::find(GetParam()))) {
      EXPECT_EQ(result["oracle"], "same") << source;
    }
    // The analysis is right about most loops (cli.spin_branches_are_those_that_the_workloads_name has them all).
    if (std::string(source) != "analysis") {
      EXPECT_EQ(spin(result, "detection", "false_detected"), 0u) << source;
    }
    if (std::string(source) == "annotations") {
      EXPECT_EQ(spin(result, "detection", "true_detected"), spin(result, "detection", "true_sibs")) << source;
    }
    // Every slot has one use, the back-off's among them.
    for (const Json& launch : result["launches"])
      for (const auto& [name, stats] : launch["stats"].items()) {
        if (!name.starts_with("core")) continue;
        std::uint64_t slots = 0;
        for (const auto& [use, count] : stats["issue"]["slots"].items()) slots += count.get<std::uint64_t>();
        EXPECT_EQ(slots, launch["cycles"].get<std::uint64_t>() * 2) << source;
      }
  }
}

INSTANTIATE_TEST_SUITE_P(All, SpinAware, ::testing::ValuesIn(workload_names(false)),
                         [](const auto& test) { return test_name(test.param); });

class SpinAwareSplits : public ::testing::TestWithParam<std::string> {};

/// The forms that need progress of diverged lanes.
TEST_P(SpinAwareSplits, FinishWhereSplitsBackOff) {
  for (const char* const granularity : {"warp", "split"}) {
    const Json result =
        run(scenario(GetParam(),
                     {"core.control_flow.mechanism=aware", "core.control_flow.timeout.cycles=1000",
                      "core.spin.source=ddos", std::string("core.spin.bows.granularity=") + granularity,
                      "core.spin.bows.minimum_delay=100"},
                     "tiny"));
    ASSERT_FALSE(result.contains("errors")) << granularity << ": " << result.dump().substr(0, 2000);
    EXPECT_TRUE(result["passed"].get<bool>()) << granularity << ": " << result["summary"];
  }
}

INSTANTIATE_TEST_SUITE_P(All, SpinAwareSplits,
                         ::testing::Values("spinlock", "hashtable-mimd", "atm-mimd", "bh-sort-mimd"),
                         [](const auto& test) { return test_name(test.param); });

TEST(Ddos, FindsTheSpinInducingBranchOfALockLoop) {
  const Json result = run(scenario("hashtable", {"core.spin.source=ddos", "cores=2"}));
  EXPECT_GT(spin(result, "detection", "true_detected"), 0u);
  EXPECT_GT(spin(result, "backoff_unit", "attempts"), 0u);
}

// Which has no annotations: the truth is the analysis'.
TEST(Ddos, FindsTheSpinInducingBranchOfALockLoopInMachineCode) {
  Scenario what = scenario("hashtable", {"core.spin.source=ddos", "cores=2",
                                         "core.control_flow.ignores_convergence_instructions=true"});
  what.compiler = workloads::Compiler::kNvcc;
  what.machine_code = HEDDLE_SOURCE_DIR "/tests/data/sass/hashtable.cubin";
  const Json result = run(what);
  EXPECT_TRUE(result["passed"].get<bool>());
  EXPECT_GT(spin(result, "detection", "true_sibs"), 0u);
  EXPECT_GT(spin(result, "detection", "true_detected"), 0u);
}

TEST(Ddos, AHistoryOfTwoFindsNothing) {
  for (const char* const length : {"1", "2"}) {
    const Json result = run(scenario(
        "hashtable", {"core.spin.source=ddos", "cores=2", std::string("core.spin.ddos.length=") + length}));
    EXPECT_GT(spin(result, "detection", "true_sibs"), 0u);
    EXPECT_EQ(spin(result, "detection", "true_detected"), 0u);
  }
}

TEST(Bows, IsTheSameWhateverTheOrderOfModules) {
  Scenario natural = scenario("hashtable", {"core.spin.source=ddos", "core.spin.timing=contract"});
  natural.statistics = testing::text_of;
  const std::string first = run(natural).dump();
  EXPECT_EQ(run(natural).dump(), first);
  natural.shuffle = 42;
  EXPECT_EQ(run(natural).dump(), first);
}

TEST(Bows, ASleepingCoreCostsNothing) {
  // Every attempt waits 10 000 cycles: nearly all of the run is sleep.
  const Json result = run(scenario("hashtable", {"core.spin.source=annotations", "core.spin.bows.delay=fixed",
                                                 "core.spin.bows.fixed_delay=10000", "cores=1"}));
  ASSERT_TRUE(result["passed"].get<bool>());
  std::uint64_t active = 0;
  for (const Json& launch : result["launches"])
    active += launch["stats"]["core0"]["issue"]["active_cycles"].get<std::uint64_t>();
  EXPECT_GT(cycles(result), 20000u);
  EXPECT_LT(active * 2, cycles(result));
}

/// Cores sleep while all their warps have backed off, and miss nothing by it: a core that is asked in every cycle does
/// the same.
class BowsAsleep : public ::testing::TestWithParam<std::string> {};

TEST_P(BowsAsleep, IsTheSameAsAwake) {
  for (const char* const more : {"core.spin.timing=contract", "core.control_flow.mechanism=multi_path"}) {
    Scenario what = scenario(GetParam(), {"core.spin.source=annotations", "core.spin.bows.delay=fixed",
                                          "core.spin.bows.fixed_delay=3000", "cores=1", more});
    what.statistics = testing::text_asleep_or_awake;
    const auto statistics = [&](bool awake) {
      what.keep_awake = awake;
      Json result = run(what);
      EXPECT_TRUE(result["passed"].get<bool>()) << more << ": " << result.dump().substr(0, 2000);
      return result["launches"].dump();
    };
    EXPECT_EQ(statistics(false), statistics(true)) << more;
  }
}

INSTANTIATE_TEST_SUITE_P(All, BowsAsleep,
                         ::testing::Values("hashtable", "atm", "cloth", "bh-sort", "bh-build", "nw-rows",
                                           "nw-tiles", "tsp", "bh-summarize"),
                         [](const auto& test) { return test_name(test.param); });

TEST(Ddos, ShowsItsStorage) {
  const Json result = run(scenario("vecadd", {"core.spin.source=ddos", "cores=1"}));
  const Json& bits = result["launches"][0]["stats"]["core0"]["spin"]["storage"];
  EXPECT_EQ(bits["sib_table"], 560u);
  EXPECT_EQ(bits["histories"], 9216u);
  EXPECT_EQ(bits["pending_delay"], 672u);
  EXPECT_EQ(bits["total"], 560u + 9216u + 672u + 48u + 48u * 5u + 48u * (2u + 3u + 3u + 5u));
}

TEST(Bows, SwitchedOffItChangesNoCycle) {
  const Json without = run(scenario("hashtable", {}));
  const Json counted = run(scenario("hashtable", {"core.spin.source=ddos", "core.spin.bows.enabled=false"}));
  EXPECT_EQ(cycles(counted), cycles(without));
  EXPECT_GT(spin(counted, "backoff_unit", "events"), 0u);
}

}  // namespace
}  // namespace heddle::spin_test
