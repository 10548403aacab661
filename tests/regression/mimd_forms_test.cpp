// Kernels written for MIMD machines: those that hang on a stack finish, with the right result, on AWARE and
// Multi-Path with delayed or timed-out reconvergence, on Hanoi with placed convergence instructions and,
// transformed by SSDE, on the stack. What still hangs is diagnosed.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "depth.h"
#include "workload_scenario.h"

namespace heddle::mimd_forms_test {
namespace {

using testing::run;
using testing::Scenario;
using testing::test_name;
using workloads::Compiler;

struct Machine {
  std::string name;
  std::vector<std::string> assignments;
  bool splits = true;  ///< diverged lanes make progress without reconvergence: barriers in both arms work
};
const std::vector<const char*> kPlatforms{"tiny", "tesla_c2050", "gtx480"};

std::vector<std::string> aware(std::vector<std::string> more) {
  more.insert(more.begin(), "core.control_flow.mechanism=aware");
  return more;
}
std::vector<std::string> multi_path(std::vector<std::string> more) {
  more.insert(more.begin(),
              {"core.control_flow.mechanism=multi_path", "core.scoreboard.kind=per_thread_mask"});
  return more;
}

std::vector<std::string> resync(const std::string& policy) {
  return {"core.control_flow.mechanism=resync", "core.control_flow.resync.policy=" + policy,
          "core.control_flow.resync.aging_selections=16"};
}

const std::string kDelayed = "core.compiler=delayed_reconvergence";
const std::string kTimeout = "core.control_flow.timeout.cycles=1000";

// Not with few paths: a split beyond their number waits until another one ends, which may wait for a lock
// held by the former.
const std::vector<Machine> kFinishing{
    {"aware_delayed", aware({kDelayed})},
    {"aware_timeout", aware({kTimeout})},
    {"aware_virtualised",
     aware({kDelayed, "core.control_flow.aware.st_entries=1", "core.control_flow.aware.rt_entries=1"})},
    {"aware_4_2",
     aware({kDelayed, "core.control_flow.aware.st_entries=4", "core.control_flow.aware.rt_entries=2"})},
    {"multi_path_delayed", multi_path({kDelayed})},
    {"multi_path_timeout", multi_path({kTimeout})},
    {"hanoi", {"core.control_flow.mechanism=hanoi"}},
    {"hanoi_p", {"core.control_flow.mechanism=hanoi", "core.control_flow.hanoi.profile=P"}},
    {"resync_min_pc", resync("MinPC")},
    {"resync_min_sp", resync("MinSP_MinPC")},
    {"resync_lee", resync("Lee")},
    {"resync_long", resync("Long(8)")},
    {"resync_pdom_min_sp", resync("PDomMinSP")},
    {"resync_longest_path", resync("LongestPath1")},
    {"resync_turns", resync("RoundRobinEq")},
    {"dwf", {"core.control_flow.mechanism=dwf", "core.scheduler.policy=lrr"}},
    {"ssde", {"core.compiler=ssde", "core.barrier.counts=threads"}, false}};

/// Barriers in diverged code: SSDE does not apply (they count threads on every machine here), and there is
/// nothing to delay.
bool is_barrier(const std::string& workload) { return workload.starts_with("barrier"); }

class MimdForms : public ::testing::TestWithParam<std::tuple<std::string, std::size_t>> {};

// Every workload on every machine; platforms and compilers take turns, so that each pair of them meets every workload and every
// machine. From HEDDLE_TEST_DEPTH=6 on all run with all.
TEST_P(MimdForms, FinishWithTheRightResult) {
  const auto& [workload, machine] = GetParam();
  for (const std::size_t turn : depth::turns(testing::number_of(workload) + machine, 2 * kPlatforms.size())) {
    const char* const platform = kPlatforms[turn % kPlatforms.size()];
    const Compiler compiler = turn % 2 == 0 ? Compiler::kNvcc : Compiler::kClang;
    SCOPED_TRACE(test_name(compiler));
    Scenario what{workload, platform, compiler, kFinishing[machine].assignments};
    what.oracle = true;
    what.max_cycles = 3'000'000;
    what.statistics = nullptr;
    const auto result = run(what);
    if (is_barrier(workload) && !kFinishing[machine].splits) {
      ASSERT_TRUE(result.contains("errors")) << platform << ": " << result.dump();
      continue;
    }
    ASSERT_FALSE(result.contains("errors")) << platform << ": " << result["errors"][0];
    EXPECT_TRUE(result["passed"].get<bool>()) << platform << ": " << result["summary"];
    if (testing::same_on_the_oracle(*workloads::find(workload))) {
      EXPECT_EQ(result["oracle"], "same") << platform;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, MimdForms,
                         ::testing::Combine(::testing::ValuesIn(testing::workload_names(true)),
                                            ::testing::Range<std::size_t>(0, kFinishing.size())),
                         [](const auto& test) {
                           return test_name(std::get<0>(test.param)) + "_" +
                                  kFinishing[std::get<1>(test.param)].name;
                         });

class Patterns : public ::testing::TestWithParam<Compiler> {};

// Without either, the winner waits at the loop's exit for the losers.
TEST_P(Patterns, SpinLockHangsWithoutDelayOrTimeoutAndIsDiagnosed) {
  for (const auto& assignments : {aware({}), multi_path({})}) {
    const auto result = run({"spinlock", "tiny", GetParam(), assignments});
    ASSERT_TRUE(result.contains("errors")) << assignments[0];
    const std::string text = result["errors"][0];
    EXPECT_NE(text.find("SIMT-induced deadlock"), std::string::npos) << text;
    EXPECT_NE(text.find("wait to reconverge with them at"), std::string::npos) << text;
  }
}

// G7, G20: barriers count threads, and both arms reach theirs.
TEST_P(Patterns, DivergentBarriersCompleteOnAware) {
  for (const char* workload : {"barrier-divergent", "barrier-arms-mimd"})
    for (const auto& assignments : {aware({}), multi_path({})}) {
      Scenario what{workload, "tiny", GetParam(), assignments};
      what.oracle = true;
      what.statistics = nullptr;
      const auto result = run(what);
      ASSERT_FALSE(result.contains("errors")) << workload << ", " << assignments[0] << ": " << result.dump();
      EXPECT_TRUE(result["passed"].get<bool>()) << result["summary"];
      EXPECT_EQ(result["oracle"], "same");
    }
}

// K12 relies on winners waiting behind their loop. That holds wherever lanes reconverge at the immediate
// post-dominator.
TEST_P(Patterns, ImplicitWarpSynchronyHoldsWithoutDelay) {
  for (const auto& assignments : {aware({}), multi_path({})}) {
    const auto result = run({"histogram256", "tiny", GetParam(), assignments});
    ASSERT_FALSE(result.contains("errors")) << result.dump();
    EXPECT_TRUE(result["passed"].get<bool>()) << result["summary"];
  }
}

// With a short time-out, all lanes poll at once, each as a separate split. If the load/store unit has too few
// entries for all, it serves the warps of both schedulers, including the lock owner's.
TEST_P(Patterns, SplitsThatPollLeaveTheOwnerOfTheirLockAPlaceInTheLoadStoreUnit) {
  for (const char* policy : {"gto", "lrr", "two_level", "cawa"})
    for (const char* orec : {"false", "true"}) {
      Scenario what{
          "hashtable-serial", "tiny", GetParam(),
          multi_path({"core.control_flow.timeout.cycles=200", std::string("core.scheduler.policy=") + policy,
                      std::string("core.control_flow.multi_path.opportunistic_reconvergence=") + orec})};
      what.max_cycles = 1'000'000;
      what.statistics = nullptr;
      const auto result = run(what);
      ASSERT_FALSE(result.contains("errors")) << policy << ", " << orec << ": " << result["errors"][0];
      EXPECT_TRUE(result["passed"].get<bool>()) << result["summary"];
    }
}

INSTANTIATE_TEST_SUITE_P(Compilers, Patterns, ::testing::Values(Compiler::kNvcc, Compiler::kClang),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace
}  // namespace heddle::mimd_forms_test
