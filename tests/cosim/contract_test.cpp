// Blocks under `timing: contract` in the loop of a whole GPU. The model and its RTL, clocked once per core cycle, agree in every
// cycle, pin and statistic, with random stalls as well; no port answers more than its contract says. A twin with one register
// stage too many fails the comparison, and changes the GPU's cycles.
#include "VLateAnswer.h"
#include "VLateCommitGto.h"
#include "VLateCommitLrr.h"
#include "VLateGrantGto.h"
#include "VLateGrantLrr.h"
#include "VLateLook.h"
#include "VLateReady.h"
#include "VLateReconvergenceTableAnswer.h"
#include "VLateReconvergenceTableRequest.h"
#include "VLateRelease.h"
#include "VLateSplitAnswer.h"
#include "VLateSplitFifoAnswer.h"
#include "VLateSplitFifoRequest.h"
#include "VLateSplitRequest.h"
#include "VLateSplitTableAnswer.h"
#include "VLateSplitTableRequest.h"
#include "VLateStackAnswer.h"
#include "VLateStackRequest.h"
// verilated headers first: pin_driver.h
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "blocks/isolated.h"
#include "core/issue/scoreboard_unit.h"
#include "core/schedule/scheduling_policy.h"
#include "cosim/pin_twin.h"
#include "cosim/reconvergence_table_pins.h"
#include "cosim/scoreboard_pins.h"
#include "cosim/sib_table_pins.h"
#include "cosim/simt_stack_pins.h"
#include "cosim/split_fifo_pins.h"
#include "cosim/split_table_pins.h"
#include "cosim/split_unit_pins.h"
#include "cosim/twins.h"
#include "cosim/warp_scheduler_pins.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "regression/depth.h"
#include "regression/workload_scenario.h"

namespace heddle::contract_test {
namespace {

using nlohmann::ordered_json;
using testing::Scenario;

const std::string kFlow = "core.control_flow.", kScheduler = "core.scheduler.",
                  kScoreboard = "core.scoreboard.", kSibTable = "core.spin.sib_table.",
                  kStack = "core.control_flow.simt_stack.", kSplits = "core.control_flow.split_unit.",
                  kSplitTable = "core.control_flow.split_table.",
                  kPoints = "core.control_flow.reconvergence_table.", kFifo = "core.control_flow.split_fifo.";

// ---- Model and RTL

struct Machine {
  std::string name;
  std::vector<std::string> settings;
  bool scoreboard = true;             ///< the scoreboard is clocked too, with `impl` and stalls of its own
  bool sib_table = false;             ///< and so is the SIB table
  bool stack = false;                 ///< and so is the SIMT stack
  bool splits = false;                ///< and so is AWARE's branch unit
  std::vector<std::string> tables{};  ///< and so are these beneath the branch unit
};
const std::vector<Machine> kMachines{
    {"stack_gto", {"core.spin.source=ddos", "core.spin.timing=contract"}, true, true, true},
    {"stack_lrr", {kScheduler + "policy=lrr"}, true, false, true},
    // The scoreboard's ports: choices that wait.
    {"multi_path_gto", {kFlow + "mechanism=multi_path", kScoreboard + "kind=per_thread_mask"}, false},
    {"aware_gto_rotates",
     {kFlow + "mechanism=aware", kSplits + "timing=contract", kScheduler + "gto_rotation_cycles=100"},
     true,
     false,
     false,
     true},
    {"multi_path_lrr",
     {kFlow + "mechanism=multi_path", kFlow + "split_unit.timing=contract", kFlow + "multi_path.paths=4",
      kScoreboard + "kind=per_thread_mask", kScheduler + "policy=lrr"}},
    {"aware_tables",
     {kFlow + "mechanism=aware", kSplits + "timing=contract"},
     true,
     false,
     false,
     false,
     {kSplitTable, kPoints, kFifo}},
    {"aware_virtual_tables",
     {kFlow + "mechanism=aware", kSplits + "timing=contract", kFlow + "aware.st_entries=4",
      kFlow + "aware.rt_entries=2", kFlow + "timeout.cycles=500"},
     true,
     false,
     false,
     false,
     {kSplitTable, kPoints, kFifo}},
    {"multi_path_tables",
     {kFlow + "mechanism=multi_path", kSplits + "timing=contract", kFlow + "multi_path.paths=4",
      kScoreboard + "kind=per_thread_mask"},
     true,
     false,
     false,
     false,
     {kSplitTable, kPoints}},
};
/// For kernels that spin.
const std::vector<Machine> kMimdMachines{
    {"stack_ssde_bows",
     {"core.compiler=ssde", "core.barrier.counts=threads", "core.spin.source=ddos",
      "core.spin.timing=contract"},
     true,
     true,
     true},
    {"multi_path_delayed",
     {kFlow + "mechanism=multi_path", kScoreboard + "kind=per_thread_mask",
      "core.compiler=delayed_reconvergence"},
     false},
};

class Contract : public ::testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] static Scenario scenario(const Machine& machine, std::vector<std::string> more) {
    Scenario what{GetParam(), "tiny"};
    what.rtl = true;
    what.max_cycles = 2'000'000;
    what.assignments = machine.settings;
    what.assignments.push_back(kScheduler + "timing=contract");
    if (machine.scoreboard) what.assignments.push_back(kScoreboard + "timing=contract");
    if (machine.stack) what.assignments.push_back(kStack + "timing=contract");
    for (const std::string& table : machine.tables) what.assignments.push_back(table + "timing=contract");
    what.assignments.insert(what.assignments.end(), more.begin(), more.end());
    return what;
  }
  static void expect_agreement(const std::vector<Machine>& machines) {
    // Machines take turns, and so do RTL alone and in lockstep, with and without stalls.
    const std::size_t number = testing::number_of(GetParam());
    for (const std::size_t turn : depth::turns(number, machines.size() * 4)) {
      const Machine& machine = machines[turn % machines.size()];
      const std::string impl = turn / machines.size() % 2 == 0 ? "both" : "rtl";
      const std::string seed = std::to_string(turn / machines.size() / 2 == 0 ? 1 + number : 0);
      std::vector<std::string> settings{"test." + kScheduler + "stall_seed=" + seed};
      if (machine.scoreboard) settings.push_back("test." + kScoreboard + "stall_seed=" + seed);
      if (machine.sib_table) settings.push_back("test." + kSibTable + "stall_seed=" + seed);
      if (machine.stack) settings.push_back("test." + kStack + "stall_seed=" + seed);
      if (machine.splits) settings.push_back("test." + kSplits + "stall_seed=" + seed);
      for (const std::string& table : machine.tables)
        settings.push_back("test." + table + "stall_seed=" + seed);
      SCOPED_TRACE(machine.name + ", " + impl + ", stalls of seed " + seed);
      const auto model = run(scenario(machine, settings));
      settings.push_back(kScheduler + "impl=" + impl);
      if (machine.scoreboard) settings.push_back(kScoreboard + "impl=" + impl);
      if (machine.sib_table) settings.push_back(kSibTable + "impl=" + impl);
      if (machine.stack) settings.push_back(kStack + "impl=" + impl);
      if (machine.splits) settings.push_back(kSplits + "impl=" + impl);
      for (const std::string& table : machine.tables) settings.push_back(table + "impl=" + impl);
      Scenario twins = scenario(machine, settings);
      twins.shuffle = number;  // nor does the order in which modules run matter
      const auto twin = run(twins);
      ASSERT_EQ(model.contains("errors"), twin.contains("errors")) << twin.dump();
      if (model.contains("errors")) {
        EXPECT_EQ(model["errors"], twin["errors"]);  // a hang of the kernel, not of the block
        continue;
      }
      EXPECT_TRUE(model["passed"].get<bool>()) << model["summary"];
      EXPECT_EQ(model["launches"], twin["launches"]);
      EXPECT_EQ(model["memory"], twin["memory"]);
      for (const auto& block : twin["rtl"]) {
        EXPECT_EQ(block["timing"], "contract");
        EXPECT_EQ(block["answers_beyond_ports"], 0) << block.dump();
        EXPECT_LE(block["most_clocks_in_a_core_cycle"], 1) << block.dump();
        // A kernel need not branch back.
        EXPECT_TRUE(block["requests"].get<std::uint64_t>() > 0 || block["block"] == "sib_table");
      }
    }
  }
};

TEST_P(Contract, ModelAndRtlAgreeInEveryCycleAndStatistic) { expect_agreement(kMachines); }
class MimdContract : public Contract {};
TEST_P(MimdContract, ModelAndRtlAgreeInEveryCycleAndStatistic) { expect_agreement(kMimdMachines); }

INSTANTIATE_TEST_SUITE_P(Of, Contract, ::testing::ValuesIn(testing::workload_names(false)),
                         [](const auto& test) { return testing::test_name(test.param); });
INSTANTIATE_TEST_SUITE_P(Of, MimdContract, ::testing::ValuesIn(testing::workload_names(true)),
                         [](const auto& test) { return testing::test_name(test.param); });

// ---- One register stage too many

using Twins = sim::Twins;
/// The scheduler's twin.
template <class V>
void late_scheduler(Twins& twins) {
  twins.provide<core::WarpSchedulerBlock>(
      [](const core::WarpSchedulerBlock::Shape& shape, sim::TwinUse& use) -> std::unique_ptr<core::PickUnit> {
        use.timing = shape.config.timing;
        return std::make_unique<cosim::PickRtl<V>>(use, cosim::PickShown{});  // ages are not shown
      });
}
template <class V>
void late_scoreboard(Twins& twins) {
  twins.provide<core::ClockedScoreboardBlock>(
      [](const core::ScoreboardShape&, sim::TwinUse& use) -> std::unique_ptr<core::ScoreboardUnit> {
        use.timing = sim::Timing::kContract;
        return std::make_unique<cosim::ScoreboardRtl<V, 1>>(use);
      });
}
template <class V>
void late_sib_table(Twins& twins) {
  twins.provide<spin::ClockedSibTableBlock>(
      [](const spin::ClockedSibTableBlock::Shape&, sim::TwinUse& use) -> std::unique_ptr<spin::SibUnit> {
        use.timing = sim::Timing::kContract;
        return std::make_unique<cosim::SibTableRtl<V, 16>>(use);
      });
}
template <class V>
void late_stack(Twins& twins) {
  twins.provide<simt::ClockedSimtStackBlock>([](const simt::ClockedSimtStackBlock::Shape& shape,
                                                sim::TwinUse& use) -> std::unique_ptr<simt::StackUnit> {
    use.timing = sim::Timing::kContract;
    return std::make_unique<cosim::StackRtl<V>>(use, shape.first_side);
  });
}
template <class V>
void late_splits(Twins& twins) {
  twins.provide<simt::SplitUnitBlock>(
      [](const simt::SplitUnitBlock::Shape& shape, sim::TwinUse& use) -> std::unique_ptr<simt::SplitUnit> {
        use.timing = sim::Timing::kContract;
        return std::make_unique<cosim::SplitUnitRtl<V>>(use, shape.rotates);
      });
}
/// A table beneath the branch unit.
template <class V, class Block, class Pins>
void late_table(Twins& twins) {
  twins.provide<Block>([](const typename Block::Shape& shape,
                          sim::TwinUse& use) -> std::unique_ptr<typename Block::Interface> {
    use.timing = shape.timing;
    if constexpr (requires { Pins(shape.config); })
      return std::make_unique<cosim::PinTwin<V, Pins>>(use, Pins(shape.config));
    else
      return std::make_unique<cosim::PinTwin<V, Pins>>(use);
  });
}
template <class V>
constexpr auto kLateSplitTable = late_table<V, simt::SplitTableBlock, cosim::SplitTablePins>;
template <class V>
constexpr auto kLatePoints = late_table<V, simt::ReconvergenceTableBlock, cosim::ReconvergenceTablePins>;
template <class V>
constexpr auto kLateFifo = late_table<V, simt::SplitFifoBlock, cosim::SplitFifoPins>;
struct Late {
  const char* name;
  const char* block;
  std::string settings;  ///< section and key of the block
  std::vector<std::string> more;
  void (*provide)(Twins& twins);
  bool loses_slots;              ///< to block_busy
  const char* workload = "bfs";  ///< which diverges and waits for memory
  std::string clocked = settings + "timing=contract";
  unsigned first_use = 0;  ///< core cycle of the workload's first request, about
  friend void PrintTo(const Late& late, std::ostream* out) { *out << late.name; }
};
const std::vector<std::string> kAware{kFlow + "mechanism=aware"},
    kClockedAware{kFlow + "mechanism=aware", kSplits + "timing=contract"};
const std::vector<std::string> kSpins{"core.spin.source=ddos"};
const std::string kClockedSpin = "core.spin.timing=contract";
constexpr unsigned kFirstSpin = 1200;  // a lock is found taken
const std::vector<Late> kLate{
    {"GrantGto",
     "warp_scheduler",
     kScheduler,
     {kScheduler + "policy=gto"},
     late_scheduler<VLateGrantGto>,
     true},
    {"GrantLrr",
     "warp_scheduler",
     kScheduler,
     {kScheduler + "policy=lrr"},
     late_scheduler<VLateGrantLrr>,
     true},
    {"CommitGto",
     "warp_scheduler",
     kScheduler,
     {kScheduler + "policy=gto"},
     late_scheduler<VLateCommitGto>,
     false},
    {"CommitLrr",
     "warp_scheduler",
     kScheduler,
     {kScheduler + "policy=lrr"},
     late_scheduler<VLateCommitLrr>,
     false},
    {"Ready", "scoreboard", kScoreboard, {}, late_scoreboard<VLateReady>, true},
    {"Release", "scoreboard", kScoreboard, {}, late_scoreboard<VLateRelease>, false},
    {"StackRequest", "simt_stack", kStack, {}, late_stack<VLateStackRequest>, true},
    {"StackAnswer", "simt_stack", kStack, {}, late_stack<VLateStackAnswer>, true},
    {"SplitRequest", "split_unit", kSplits, kAware, late_splits<VLateSplitRequest>, true},
    {"SplitAnswer", "split_unit", kSplits, kAware, late_splits<VLateSplitAnswer>, true},
    {"SplitTableRequest", "split_table", kSplitTable, kClockedAware, kLateSplitTable<VLateSplitTableRequest>,
     true},
    {"SplitTableAnswer", "split_table", kSplitTable, kClockedAware, kLateSplitTable<VLateSplitTableAnswer>,
     true},
    {"PointsRequest", "reconvergence_table", kPoints, kClockedAware,
     kLatePoints<VLateReconvergenceTableRequest>, true},
    {"PointsAnswer", "reconvergence_table", kPoints, kClockedAware,
     kLatePoints<VLateReconvergenceTableAnswer>, true},
    {"FifoRequest", "split_fifo", kFifo, kClockedAware, kLateFifo<VLateSplitFifoRequest>, true},
    {"FifoAnswer", "split_fifo", kFifo, kClockedAware, kLateFifo<VLateSplitFifoAnswer>, true},
    {"Look", "sib_table", kSibTable, kSpins, late_sib_table<VLateLook>, false, "hashtable", kClockedSpin,
     kFirstSpin},
    {"Answer", "sib_table", kSibTable, kSpins, late_sib_table<VLateAnswer>, false, "hashtable", kClockedSpin,
     kFirstSpin}};

class OneStageTooMany : public ::testing::TestWithParam<Late> {
 protected:
  [[nodiscard]] static ordered_json run_as(const std::string& impl) {
    const Late& late = GetParam();
    return tb::isolated([&]() -> ordered_json {
      Twins twins;
      late.provide(twins);
      std::vector<std::string> settings = late.more;
      settings.push_back(late.settings + "impl=" + impl);
      settings.push_back(late.clocked);
      gpu::GpuDevice gpu(gpu::load_platform("tiny", settings),
                         {.max_cycles = 2'000'000, .per_launch = true, .on_progress = {}, .twins = &twins});
      const workloads::Workload& workload = *workloads::find(late.workload);
      const workloads::Verdict verdict = workload.run(gpu, {.size = workloads::Size::kTiny});
      ordered_json result{{"passed", verdict.passed}, {"cycles", ordered_json::array()}, {"busy", 0}};
      std::uint64_t busy = 0;
      for (const gpu::LaunchRecord& launch : gpu.launches()) {
        result["cycles"].push_back(launch.cycles);
        for (const auto& core : gpu.statistics(launch.values)) busy += busy_slots(core);
      }
      result["busy"] = busy;
      return result;
    });
  }
  /// Sum of `block_busy` of all issue slots below.
  static std::uint64_t busy_slots(const ordered_json& stats) {
    std::uint64_t sum = 0;
    if (!stats.is_object()) return 0;
    for (const auto& [key, value] : stats.items())
      sum += key == "block_busy" && value.is_number() ? value.get<std::uint64_t>() : busy_slots(value);
    return sum;
  }
};

TEST_P(OneStageTooMany, FailsTheComparisonWithinAThousandCycles) {
  const ordered_json result = run_as("both");
  ASSERT_TRUE(result.contains("errors")) << "not noticed: " << result.dump();
  const std::string text = result["errors"][0];
  EXPECT_NE(text.find(std::string("model and RTL of ") + GetParam().block + " differ"), std::string::npos)
      << text;
  std::smatch cycle;
  ASSERT_TRUE(std::regex_search(text, cycle, std::regex("core cycle ([0-9]+)"))) << text;
  EXPECT_LE(std::stoul(cycle[1]), GetParam().first_use + 1000u);
}

TEST_P(OneStageTooMany, ChangesTheCyclesOfTheGpu) {
  const ordered_json model = run_as("model"), rtl = run_as("rtl");
  ASSERT_FALSE(rtl.contains("errors")) << rtl.dump();
  EXPECT_TRUE(rtl["passed"].get<bool>()) << "later, and not wrong";
  EXPECT_NE(rtl["cycles"], model["cycles"]);
  if (GetParam().loses_slots) {
    EXPECT_GT(rtl["busy"].get<std::uint64_t>(), model["busy"].get<std::uint64_t>())
        << "the slots lost are charged to block_busy";
  }
}

INSTANTIATE_TEST_SUITE_P(Of, OneStageTooMany, ::testing::ValuesIn(kLate),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace heddle::contract_test
