// Workloads on Hanoi with placed convergence instructions: right result and the oracle's memory with any number of barrier
// registers in profiles P and X, and as an H100 has it; what each part of the placement is good for.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "depth.h"
#include "workload_scenario.h"

namespace heddle::hanoi_workloads_test {
namespace {

using testing::run;
using testing::Scenario;
using testing::test_name;

std::vector<std::string> hanoi(const char* profile, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"core.control_flow.mechanism=hanoi",
                             std::string("core.control_flow.hanoi.profile=") + profile});
  return more;
}

struct Machine {
  const char* name;
  std::vector<std::string> assignments;
};

const std::string kSixteen = "core.control_flow.hanoi.barrier_registers=17";

const std::vector<Machine> kMachines{
    {"x_1", hanoi("X", {"core.convergence.barrier_registers=1"})},
    {"x_2", hanoi("X", {"core.convergence.barrier_registers=2"})},
    {"x_4", hanoi("X")},
    {"x_16", hanoi("X", {"core.control_flow.hanoi.barrier_registers=20"})},
    {"p_1", hanoi("P", {"core.convergence.barrier_registers=1"})},
    {"p_2_contract",
     hanoi("P", {"core.convergence.barrier_registers=2", "core.control_flow.hanoi.timing=contract"})},
    {"p_4", hanoi("P", {"core.convergence.barrier_registers=4"})},
    {"p_16", hanoi("P", {kSixteen})},
};
/// As h100 runs PTX.
const Machine kAsPtxas{"barriers",
                       hanoi("barriers", {"core.convergence.delay=off", "core.convergence.yields=all",
                                          "core.control_flow.hanoi.barrier_registers=32",
                                          "core.control_flow.hanoi.private_registers=16"})};

class HanoiWorkloads : public ::testing::TestWithParam<std::string> {};

void give_the_right_result(const std::string& workload, const Machine& machine) {
  SCOPED_TRACE(machine.name);
  Scenario what{workload, "tiny", workloads::Compiler::kNvcc, machine.assignments};
  what.oracle = true;
  what.max_cycles = 5'000'000;
  what.statistics = [](const nlohmann::ordered_json& all) { return all.at("core0").at("branch_unit"); };
  const auto result = run(what);
  ASSERT_FALSE(result.contains("errors")) << result["errors"][0];
  EXPECT_TRUE(result["passed"].get<bool>()) << result["summary"];
  if (testing::same_on_the_oracle(*workloads::find(workload))) {
    EXPECT_EQ(result["oracle"], "same");
  }
  for (const auto& launch : result["launches"]) {
    const auto& stats = launch["stats"];
    if (machine.name[0] == 'p') {
      EXPECT_EQ(stats.at("misrouted"), 0);
    } else if (machine.name[0] == 'x') {
      EXPECT_EQ(stats.at("stall_breaks"), 0) << "of conforming code";
    }
  }
}

std::vector<std::string> all_workloads() {
  std::vector<std::string> names = testing::workload_names(false);
  for (const std::string& name : testing::workload_names(true)) names.push_back(name);
  return names;
}

// With the numbers of registers in turn, in profiles P and X; with all from HEDDLE_TEST_DEPTH=4 on.
TEST_P(HanoiWorkloads, GiveTheRightResultAndTheOraclesMemory) {
  const std::size_t numbers = kMachines.size() / 2;
  for (const std::size_t turn : depth::turns(testing::number_of(GetParam()), numbers))
    for (const std::size_t profile : {0u, 1u})
      give_the_right_result(GetParam(), kMachines[profile * numbers + turn]);
  give_the_right_result(GetParam(), kAsPtxas);
}

INSTANTIATE_TEST_SUITE_P(All, HanoiWorkloads, ::testing::ValuesIn(all_workloads()),
                         [](const auto& test) { return test_name(test.param); });

/// How a run ends: "right", "wrong", or the first line of the error.
std::string end_of(const std::string& workload, const std::vector<std::string>& assignments) {
  Scenario what{workload, "tiny", workloads::Compiler::kNvcc, assignments};
  what.max_cycles = 1'000'000;
  const auto result = run(what);
  if (result.contains("errors")) {
    const std::string text = result["errors"][0];
    return text.substr(0, text.find('\n'));
  }
  return result["passed"].get<bool>() ? "right" : "wrong";
}

/// Sum of a statistic over cores and launches.
std::uint64_t sum_of(const char* group, const char* statistic, const std::string& workload,
                     const std::vector<std::string>& assignments) {
  Scenario what{workload, "tiny", workloads::Compiler::kNvcc, assignments};
  what.statistics = [=](const nlohmann::ordered_json& all) -> nlohmann::ordered_json {
    std::uint64_t sum = 0;
    for (const auto& [name, core] : all.items())
      if (name.starts_with("core")) sum += core.at(group).at(statistic).get<std::uint64_t>();
    return sum;
  };
  const auto result = run(what);
  EXPECT_FALSE(result.contains("errors"));
  std::uint64_t sum = 0;
  for (const auto& launch : result["launches"]) sum += launch["stats"].get<std::uint64_t>();
  return sum;
}
std::uint64_t executed(const std::string& workload, const std::vector<std::string>& assignments) {
  return sum_of("issue", "warp_instructions", workload, assignments);
}

// Lanes are together as they are in profile X where no loop keeps some from coming: they meet in front of a barrier behind a loop that
// yields (nw-tiles).
TEST(HanoiAsPtxas, LanesThatNothingKeepsApartAreTogether) {
  for (const char* workload : {"bvh-persistent", "nw-tiles", "sgemm"}) {
    const double ours = static_cast<double>(executed(workload, kAsPtxas.assignments));
    EXPECT_LT(ours / static_cast<double>(executed(workload, hanoi("X"))), 1.1) << workload;
  }
}

// Lanes that wait at a BSYNC wait for what its register names, so no other region is given the register meanwhile.
TEST(HanoiAsPtxas, NoRegisterIsSpilled) {
  std::vector<std::string> few = kAsPtxas.assignments;
  few.emplace_back("core.convergence.barrier_registers=2");
  EXPECT_EQ(sum_of("branch_unit", "moves", "bvh-persistent", few), 0);
  EXPECT_GT(
      sum_of("branch_unit", "moves", "bvh-persistent", hanoi("X", {"core.convergence.barrier_registers=2"})),
      0);
}

bool hangs(const std::string& end) { return end.find("hangs: ") != std::string::npos; }

TEST(HanoiLocks, NeedTheYield) {
  EXPECT_EQ(end_of("spinlock", hanoi("P")), "right");
  const std::string without = end_of("spinlock", hanoi("P", {"core.convergence.yields=off"}));
  EXPECT_TRUE(hangs(without)) << without;
}

TEST(HanoiLocks, NeedTheLaterMeetingPlace) {
  const std::string directly = end_of("spinlock", hanoi("P", {"core.convergence.delay=off"}));
  EXPECT_TRUE(hangs(directly)) << directly;
}

// [Hanoi:A18]: whatever the placement, in X every so many YIELDs lanes that wait go on.
TEST(HanoiLocks, EndWithoutALaterMeetingPlaceIfYieldsRelease) {
  for (const char* workload : {"spinlock", "hashtable-mimd", "atm-mimd", "cloth-mimd"})
    for (const char* every : {"1", "4", "16"})
      EXPECT_EQ(
          end_of(workload, hanoi("X", {"core.convergence.delay=off",
                                       std::string("core.control_flow.hanoi.yield_releases=") + every})),
          "right")
          << workload << ", " << every;
  // The other placements: nearer meeting places, and a spilled region that yields to nobody.
  for (const char* placement : {"core.convergence.delay=near", "core.convergence.pins=false"})
    for (const char* every : {"1", "4", "16"})
      EXPECT_EQ(
          end_of("cloth-mimd", hanoi("X", {placement, "core.convergence.barrier_registers=1",
                                           std::string("core.control_flow.hanoi.yield_releases=") + every})),
          "right")
          << placement << ", " << every;
}

// [Hanoi:P1], rule b: behind a lock in a loop the conservative meeting place makes three siblings and more.
TEST(HanoiLocks, SwappingTwoPathsStarvesAThird) {
  const std::string end = end_of("atm-mimd", hanoi("P", {"core.control_flow.hanoi.yield=swap"}));
  EXPECT_TRUE(hangs(end)) << end;
  for (const char* fair : {"rotate", "exchange"})
    EXPECT_EQ(end_of("atm-mimd", hanoi("P", {std::string("core.control_flow.hanoi.yield=") + fair})),
              "right");
}

// Nothing says who are siblings if the region's register has been spilled.
TEST(HanoiLocks, ASpilledRegionYieldsToNobody) {
  const std::vector<std::string> few{"core.convergence.barrier_registers=1"};
  EXPECT_EQ(end_of("cloth-mimd", hanoi("P", few)), "right");
  const std::string spilled = end_of("cloth-mimd", hanoi("P", {few[0], "core.convergence.pins=false"}));
  EXPECT_TRUE(hangs(spilled)) << spilled;
}

// Which side of a branch runs first does not matter to them.
TEST(HanoiLocks, EndWhicheverSideRunsFirst) {
  for (const char* profile : {"P", "X"})
    for (const char* side : {"taken", "not_taken", "smaller"})
      for (const char* workload : {"spinlock", "atm-mimd", "omp-lock-fine"})
        EXPECT_EQ(end_of(workload, hanoi(profile, {std::string("core.control_flow.first_side=") + side})),
                  "right")
            << workload << ", " << profile << ", " << side;
}

// [Hanoi:B1]: passing a BSYNC without waiting changes how many lanes run together, never the result.
TEST(HanoiSkips, ChangeTheUtilisationOnly) {
  for (const char* workload : {"bfs", "mandelbrot"}) {
    std::set<std::uint64_t> instructions;
    for (const char* every : {"0", "2", "7"}) {
      Scenario what{workload, "tiny", workloads::Compiler::kNvcc,
                    hanoi("X", {std::string("core.control_flow.hanoi.bsync_skip=") + every})};
      const auto result = run(what);
      ASSERT_FALSE(result.contains("errors")) << result["errors"][0];
      EXPECT_TRUE(result["passed"].get<bool>()) << workload << ", " << every;
      std::uint64_t sum = 0;
      for (const auto& launch : result["launches"]) sum += launch["warp_instructions"].get<std::uint64_t>();
      instructions.insert(sum);
    }
    EXPECT_EQ(instructions.size(), 3u) << workload;
  }
}

}  // namespace
}  // namespace heddle::hanoi_workloads_test
