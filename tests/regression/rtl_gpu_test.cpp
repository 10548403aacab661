// RTL in the loop of the whole GPU: every workload, including those for MIMD machines, with blocks as RTL,
// and with model and RTL in lockstep, has the same cycles, statistics and memory as with the models.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

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

class RtlInTheLoop : public ::testing::TestWithParam<std::tuple<std::string, std::size_t>> {
 protected:
  [[nodiscard]] const std::string& workload() const { return std::get<0>(GetParam()); }
  [[nodiscard]] const Machine& machine() const { return kMachines[std::get<1>(GetParam())]; }
  [[nodiscard]] const Machine& mimd_machine() const { return kMimdMachines[std::get<1>(GetParam())]; }
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
  const auto model = run_on(machine(), "model");
  ASSERT_FALSE(model.contains("errors")) << model.dump();
  EXPECT_TRUE(model["passed"].get<bool>()) << model["summary"];
  for (const char* impl : {"rtl", "both"}) {
    const auto twin = run_on(machine(), impl);
    ASSERT_FALSE(twin.contains("errors")) << impl << ": " << twin.dump();
    EXPECT_EQ(model["passed"], twin["passed"]) << impl << ": " << twin["summary"];
    EXPECT_EQ(model["launches"], twin["launches"]) << impl;
    EXPECT_EQ(model["memory"], twin["memory"]) << impl;
    expect_used(machine(), twin);
  }
}

// Locks, wavefronts, barriers in diverged code. SSDE does not apply to barriers, which count threads here:
// the diagnosis is the same.
class MimdRtlInTheLoop : public RtlInTheLoop {};

TEST_P(MimdRtlInTheLoop, IsTheModel) {
  const bool hangs = mimd_machine().name == "stack_ssde" &&
                     (workload() == "barrier-arms-mimd" || workload() == "barrier-divergent");
  const auto model = run_on(mimd_machine(), "model");
  ASSERT_EQ(model.contains("errors"), hangs) << model.dump();
  if (hangs) {
    const std::string text = model["errors"][0];
    EXPECT_NE(text.find("SIMT-induced deadlock"), std::string::npos) << text;
  } else {
    EXPECT_TRUE(model["passed"].get<bool>()) << model["summary"];
  }
  for (const char* impl : {"rtl", "both"}) {
    const auto twin = run_on(mimd_machine(), impl);
    ASSERT_EQ(model.contains("errors"), twin.contains("errors")) << impl << ": " << twin.dump();
    if (hangs) {
      EXPECT_EQ(model["errors"], twin["errors"]) << impl;
      continue;
    }
    EXPECT_EQ(model["launches"], twin["launches"]) << impl;
    EXPECT_EQ(model["memory"], twin["memory"]) << impl;
    expect_used(mimd_machine(), twin);
  }
}

std::string name_on(const std::vector<Machine>& machines, const std::tuple<std::string, std::size_t>& which) {
  return test_name(std::get<0>(which)) + "_" + machines[std::get<1>(which)].name;
}

INSTANTIATE_TEST_SUITE_P(Of, RtlInTheLoop,
                         ::testing::Combine(::testing::ValuesIn(workload_names(false)),
                                            ::testing::Range<std::size_t>(0, kMachines.size())),
                         [](const auto& test) { return name_on(kMachines, test.param); });
INSTANTIATE_TEST_SUITE_P(Of, MimdRtlInTheLoop,
                         ::testing::Combine(::testing::ValuesIn(workload_names(true)),
                                            ::testing::Range<std::size_t>(0, kMimdMachines.size())),
                         [](const auto& test) { return name_on(kMimdMachines, test.param); });

}  // namespace
}  // namespace heddle::rtl_gpu_test
