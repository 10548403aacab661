// RTL in the loop of the whole GPU: every workload, including those for MIMD machines, with blocks as RTL,
// or with model and RTL in lockstep, has the same cycles, statistics and memory as with the models.
//
// Machines take turns, and so do RTL alone and in lockstep: each workload runs on one of the machines, those for MIMD machines on two. From
// HEDDLE_TEST_DEPTH=8 on everything runs with everything.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "depth.h"
#include "workload_scenario.h"

namespace heddle::rtl_gpu_test {
namespace {

using testing::run;
using testing::Scenario;
using testing::test_name;
using testing::workload_names;

/// A GPU, and its blocks with a twin.
struct Machine {
  std::string name;
  std::vector<std::string> settings;
  std::vector<std::string> blocks;  ///< their sections
};

const std::vector<std::string> kCommon{"core.scoreboard", "core.scheduler"};
const std::string kFlow = "core.control_flow.";
const std::string kDdos = "core.spin.source=ddos", kSibTable = "core.spin.sib_table";

const std::vector<Machine> kMachines{
    {"stack", {kDdos}, {kFlow + "simt_stack", kSibTable}},
    {"aware",
     {kFlow + "mechanism=aware", kFlow + "timeout.cycles=200", "core.scheduler.policy=lrr"},
     {kFlow + "split_table", kFlow + "reconvergence_table", kFlow + "split_fifo"}},
    {"aware_4_2",
     {kFlow + "mechanism=aware", kFlow + "timeout.cycles=200", kFlow + "aware.st_entries=4",
      kFlow + "aware.rt_entries=2"},
     {kFlow + "split_table", kFlow + "reconvergence_table", kFlow + "split_fifo"}},
    {"multi_path",
     {kFlow + "mechanism=multi_path", kFlow + "multi_path.opportunistic_reconvergence=true",
      kFlow + "timeout.cycles=200", "core.scoreboard.kind=per_thread_mask"},
     {kFlow + "split_table", kFlow + "reconvergence_table"}},
};

/// For kernels written for MIMD machines, which need more than the stack.
const std::string kDelayed = "core.compiler=delayed_reconvergence";
const std::vector<Machine> kMimdMachines{
    {"stack_ssde",
     {"core.compiler=ssde", "core.barrier.counts=threads", kDdos},
     {kFlow + "simt_stack", kSibTable}},
    {"aware_4_2_delayed",
     {kFlow + "mechanism=aware", kFlow + "aware.st_entries=4", kFlow + "aware.rt_entries=2", kDelayed},
     {kFlow + "split_table", kFlow + "reconvergence_table", kFlow + "split_fifo"}},
    {"multi_path_delayed",
     {kFlow + "mechanism=multi_path", "core.scoreboard.kind=per_thread_mask", "core.scheduler.policy=lrr",
      kDelayed},
     {kFlow + "split_table", kFlow + "reconvergence_table"}},
};

/// A way to run a workload.
struct Way {
  const Machine& machine;
  const char* impl;  ///< of its blocks: "rtl" or "both"
};

class RtlInTheLoop : public ::testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] const std::string& workload() const { return GetParam(); }
  /// Of this test, so many at the usual depth. One after the other is RTL alone and in lockstep, and on another machine but where
  /// they begin again.
  [[nodiscard]] std::vector<Way> ways_on(const std::vector<Machine>& machines, std::size_t usual) const {
    const std::size_t count = machines.size();
    std::vector<Way> ways;
    for (const std::size_t turn : depth::turns(testing::number_of(workload()), 2 * count, usual)) {
      const std::size_t machine = count % 2 != 0 ? turn : turn + turn / count;
      ways.push_back({machines[machine % count], turn % 2 != 0 ? "both" : "rtl"});
    }
    return ways;
  }
  [[nodiscard]] nlohmann::ordered_json run_on(const Machine& machine, const std::string& impl) const {
    Scenario what{workload(), "tiny"};
    what.rtl = true;
    what.max_cycles = 2'000'000;
    what.assignments = machine.settings;
    std::vector<std::string> blocks = machine.blocks;
    blocks.insert(blocks.end(), kCommon.begin(), kCommon.end());
    for (const std::string& block : blocks) what.assignments.push_back(block + ".impl=" + impl);
    return run(what);
  }
  /// Every block was present and active, except tables in kernels that do not diverge.
  static void expect_used(const Machine& machine, const nlohmann::ordered_json& result) {
    EXPECT_EQ(result["rtl"].size(), machine.blocks.size() + kCommon.size()) << result["rtl"].dump();
    for (const auto& block : result["rtl"])
      if (block["block"] != "reconvergence_table") {
        EXPECT_GT(block["requests"].get<std::uint64_t>(), 0u) << block.dump();
      }
  }
};

TEST_P(RtlInTheLoop, IsTheModel) {
  for (const auto& [machine, impl] : ways_on(kMachines, 1)) {
    SCOPED_TRACE(machine.name + ", " + impl);
    const auto model = run_on(machine, "model");
    ASSERT_FALSE(model.contains("errors")) << model.dump();
    EXPECT_TRUE(model["passed"].get<bool>()) << model["summary"];
    const auto twin = run_on(machine, impl);
    ASSERT_FALSE(twin.contains("errors")) << twin.dump();
    EXPECT_EQ(model["passed"], twin["passed"]) << twin["summary"];
    EXPECT_EQ(model["launches"], twin["launches"]);
    EXPECT_EQ(model["memory"], twin["memory"]);
    expect_used(machine, twin);
  }
}

// Locks, wavefronts, barriers in diverged code. SSDE does not apply to barriers, which count threads here:
// the diagnosis is the same.
class MimdRtlInTheLoop : public RtlInTheLoop {};

TEST_P(MimdRtlInTheLoop, IsTheModel) {
  for (const auto& [machine, impl] : ways_on(kMimdMachines, 2)) {
    SCOPED_TRACE(machine.name + ", " + impl);
    const bool hangs = machine.name == "stack_ssde" &&
                       (workload() == "barrier-arms-mimd" || workload() == "barrier-divergent");
    const auto model = run_on(machine, "model");
    ASSERT_EQ(model.contains("errors"), hangs) << model.dump();
    if (hangs) {
      const std::string text = model["errors"][0];
      EXPECT_NE(text.find("SIMT-induced deadlock"), std::string::npos) << text;
    } else {
      EXPECT_TRUE(model["passed"].get<bool>()) << model["summary"];
    }
    const auto twin = run_on(machine, impl);
    ASSERT_EQ(model.contains("errors"), twin.contains("errors")) << twin.dump();
    if (hangs) {
      EXPECT_EQ(model["errors"], twin["errors"]);
      continue;
    }
    EXPECT_EQ(model["launches"], twin["launches"]);
    EXPECT_EQ(model["memory"], twin["memory"]);
    expect_used(machine, twin);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, RtlInTheLoop, ::testing::ValuesIn(workload_names(false)),
                         [](const auto& test) { return test_name(test.param); });
INSTANTIATE_TEST_SUITE_P(Of, MimdRtlInTheLoop, ::testing::ValuesIn(workload_names(true)),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace
}  // namespace heddle::rtl_gpu_test
