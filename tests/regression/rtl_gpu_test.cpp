// RTL in the loop of the whole GPU: every workload with blocks as RTL, and with model and RTL in lockstep,
// takes the same cycles, gives the same statistics and leaves the same memory as with the models.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "workload_scenario.h"

namespace heddle {
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

const std::vector<Machine> kMachines{
    {"stack", {}, {kFlow + "simt_stack"}},
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

class RtlInTheLoop : public ::testing::TestWithParam<std::tuple<std::string, std::size_t>> {
 protected:
  [[nodiscard]] const Machine& machine() const { return kMachines[std::get<1>(GetParam())]; }
  [[nodiscard]] nlohmann::ordered_json run_as(const std::string& impl) const {
    Scenario what{std::get<0>(GetParam()), "tiny"};
    what.rtl = true;
    what.max_cycles = 2'000'000;
    what.assignments = machine().settings;
    std::vector<std::string> blocks = machine().blocks;
    blocks.insert(blocks.end(), kCommon.begin(), kCommon.end());
    for (const std::string& block : blocks) what.assignments.push_back(block + ".impl=" + impl);
    return run(what);
  }
  /// Every block was there and had something to do, but for tables of kernels that do not diverge.
  void expect_used(const nlohmann::ordered_json& result) const {
    EXPECT_EQ(result["rtl"].size(), machine().blocks.size() + kCommon.size()) << result["rtl"].dump();
    for (const auto& block : result["rtl"])
      if (block["block"] != "reconvergence_table") {
        EXPECT_GT(block["requests"].get<std::uint64_t>(), 0u) << block.dump();
      }
  }
};

TEST_P(RtlInTheLoop, IsTheModel) {
  const auto model = run_as("model");
  ASSERT_FALSE(model.contains("errors")) << model.dump();
  if (std::get<0>(GetParam()) != "bh-force") {
    EXPECT_TRUE(model["passed"].get<bool>()) << model["summary"];
  }
  for (const char* impl : {"rtl", "both"}) {
    const auto twin = run_as(impl);
    ASSERT_FALSE(twin.contains("errors")) << impl << ": " << twin.dump();
    // bh-force's warp-wide operations do not wait for lanes that a time-out has let go on: wrong on the model
    // too.
    EXPECT_EQ(model["passed"], twin["passed"]) << impl << ": " << twin["summary"];
    EXPECT_EQ(model["launches"], twin["launches"]) << impl;
    EXPECT_EQ(model["memory"], twin["memory"]) << impl;
    expect_used(twin);
  }
}

std::string rtl_test_name(const ::testing::TestParamInfo<std::tuple<std::string, std::size_t>>& test) {
  return test_name(std::get<0>(test.param)) + "_" + kMachines[std::get<1>(test.param)].name;
}

INSTANTIATE_TEST_SUITE_P(Of, RtlInTheLoop,
                         ::testing::Combine(::testing::ValuesIn(workload_names(false)),
                                            ::testing::Range<std::size_t>(0, kMachines.size())),
                         rtl_test_name);

}  // namespace
}  // namespace heddle
