// Machine code on whole GPUs: the workloads' kernels as ptxas has assembled them for sm_90 give the oracle's memory of the
// same workload's PTX, what the host reads back is what a real H100 gave (tests/data/sass/reads.json), and lanes of a warp come
// to the program's blocks in that card's order (tests/data/sass/traced/orders.json).
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "depth.h"
#include "workload_scenario.h"

namespace heddle::machine_code_test {
namespace {

using testing::run;
using testing::Scenario;

const std::string kData = HEDDLE_SOURCE_DIR "/tests/data/sass/";
/// Folders sm_75 and sm_90 with all workloads' modules; empty: there is no ptxas.
const std::string kAssembled = HEDDLE_ASSEMBLED_WORKLOADS;

struct Row {
  std::string workload;
  std::string cubin;
};

/// Workloads whose memory depends on a race are only checked by their own host side.
std::vector<Row> rows() {
  return {{"aes", "aes"},
          {"apriori", "apriori"},
          {"apriori-coarse", "apriori"},
          {"atm-coarse", "atm"},
          {"atm-mimd", "atm"},
          {"bh-build", "bh_build"},
          {"bh-build-coarse", "bh_build"},
          {"bh-build-mimd", "bh_build"},
          {"dispatch", "dispatch"},
          {"gaussian", "gaussian"},
          {"hashtable", "hashtable"},
          {"hashtable-coarse", "hashtable"},
          {"hashtable-mimd", "hashtable"},
          {"hashtable-serial", "hashtable"},
          {"nn-packed", "nn_packed"},
          {"nqueens", "nqueens"},
          {"nqueens-recursive", "nqueens"},
          {"reduction", "reduction"},
          {"sgemm", "sgemm"},
          {"vecadd", "vecadd"}};
}

/// What an H100 gave for the workload; null: nothing is recorded.
nlohmann::json recorded(const std::string& workload) {
  std::ifstream file(kData + "reads.json");
  for (const auto& row : nlohmann::json::parse(file))
    if (row.at("workload") == workload) return row;
  return nullptr;
}

/// As heddle run --cubin sets them.
std::vector<std::string> hanoi(const std::string& architecture = "sm_90") {
  return {"core.control_flow.mechanism=hanoi", "core.control_flow.hanoi.barrier_registers=20",
          architecture == "sm_90" ? "core.control_flow.hanoi.profile=barriers"
                                  : "core.control_flow.hanoi.yield_releases=1"};
}

Scenario scenario(const Row& row, std::vector<std::string> assignments,
                  const std::string& platform = "tiny") {
  Scenario what{row.workload, platform, workloads::Compiler::kNvcc, std::move(assignments)};
  what.machine_code = kData + row.cubin + ".cubin";
  what.oracle = true;
  what.max_cycles = 20'000'000;
  what.statistics = nullptr;
  return what;
}

/// The oracle runs the workload's PTX. What holds addresses of code differs: machine code has another code space.
bool memory_is_ptx_memory(const std::string& workload) {
  return testing::same_on_the_oracle(*workloads::find(workload)) && workload != "dispatch";
}

void expect_right(const Row& row, const Scenario& what) {
  SCOPED_TRACE(what.platform);
  const auto result = run(what);
  ASSERT_FALSE(result.contains("errors")) << result["errors"][0];
  EXPECT_TRUE(result["passed"].get<bool>()) << result["summary"];
  if (memory_is_ptx_memory(row.workload)) {
    EXPECT_EQ(result["oracle"], "same");
  }
  const nlohmann::json card = recorded(row.workload);
  if (card.is_null()) return;
  EXPECT_EQ(result["reads"], card.at(what.size == workloads::Size::kTiny ? "tiny" : "small"));
}

class MachineCode : public ::testing::TestWithParam<Row> {};

TEST_P(MachineCode, GivesTheOraclesMemoryAndTheCardsBytes) {
  expect_right(GetParam(), scenario(GetParam(), hanoi()));
}

TEST_P(MachineCode, GivesThemWithoutTime) {
  Scenario what = scenario(GetParam(), hanoi());
  what.without_time = true;
  expect_right(GetParam(), what);
}

TEST_P(MachineCode, RunsOnATuringPlatform) {
  expect_right(GetParam(), scenario(GetParam(), hanoi(), "rtx2060"));
}

// Lanes meet at post-dominators there; convergence instructions have no effect.
TEST_P(MachineCode, RunsOnMechanismsWithoutConvergenceInstructions) {
  static const std::vector<std::string> kMechanisms{"simt_stack", "aware", "multi_path", "resync"};
  const workloads::Workload& workload = *workloads::find(GetParam().workload);
  for (const std::size_t turn : depth::turns(testing::number_of(workload.name), kMechanisms.size())) {
    const std::string& mechanism = kMechanisms[turn];
    std::vector<std::string> assignments{"core.control_flow.mechanism=" + mechanism,
                                         "core.control_flow.ignores_convergence_instructions=true"};
    // A stack lets spinning lanes starve those that they wait for. AWARE and Multi-Path need to meet later, resync to
    // serve those that have waited long.
    if (workload.needs_simt_progress && mechanism == "simt_stack") continue;
    if (workload.needs_simt_progress)
      assignments.emplace_back(mechanism == "resync" ? "core.control_flow.resync.aging_selections=16"
                                                     : "core.compiler=delayed_reconvergence");
    expect_right(GetParam(), scenario(GetParam(), assignments));
  }
}

// Compaction refuses collective instructions of a part of a warp by name; these kernels have none.
TEST(MachineCodeCompaction, RunsKernelsWithoutCollectiveInstructions) {
  for (const char* const mechanism : {"tbc", "dwf"})
    for (const Row& row : {Row{"nqueens", "nqueens"}, Row{"reduction", "reduction"}})
      expect_right(row, scenario(row, {std::string("core.control_flow.mechanism=") + mechanism,
                                       "core.control_flow.ignores_convergence_instructions=true"}));
}

// What sm_75 has and sm_90 has not: scaled addresses, uniform registers beside a base, constants as operands, two fields of
// order and scope, masks of WARPSYNC as immediates, votes around YIELD.
class TuringMachineCode : public ::testing::TestWithParam<Row> {};

TEST_P(TuringMachineCode, GivesTheOraclesMemory) {
  Scenario what = scenario(GetParam(), hanoi("sm_75"), "rtx2060");
  what.machine_code = kData + "sm_75/" + GetParam().cubin + ".cubin";
  const auto result = run(what);
  ASSERT_FALSE(result.contains("errors")) << result["errors"][0];
  EXPECT_TRUE(result["passed"].get<bool>()) << result["summary"];
  if (memory_is_ptx_memory(GetParam().workload)) {
    EXPECT_EQ(result["oracle"], "same");
  }
}

INSTANTIATE_TEST_SUITE_P(Workloads, TuringMachineCode,
                         ::testing::Values(Row{"atm-coarse", "atm"}, Row{"atm-mimd", "atm"},
                                           Row{"dispatch", "dispatch"}, Row{"hashtable", "hashtable"},
                                           Row{"hashtable-mimd", "hashtable"}, Row{"nn-packed", "nn_packed"},
                                           Row{"nqueens", "nqueens"}, Row{"nqueens-recursive", "nqueens"},
                                           Row{"reduction", "reduction"}, Row{"strmatch", "strmatch"},
                                           Row{"vecadd", "vecadd"}),
                         [](const auto& of) { return testing::test_name(of.param.workload); });

// Every workload, where ptxas has assembled them (workloads.cmake).
std::vector<std::string> assembled_workloads() {
  std::vector<std::string> names;
  for (const workloads::Workload& workload : workloads::all())
    if (!workload.needs_transactions) names.push_back(workload.name);
  return names;
}

class AssembledWorkloads : public ::testing::TestWithParam<std::string> {};

TEST_P(AssembledWorkloads, AreRightAndGiveTheCardsBytes) {
  struct Way {
    std::string architecture;
    workloads::Size size;
  };
  static const std::vector<Way> kWays{{"sm_90", workloads::Size::kTiny},
                                      {"sm_75", workloads::Size::kTiny},
                                      {"sm_90", workloads::Size::kSmall},
                                      {"sm_75", workloads::Size::kSmall}};
  if (kAssembled.empty()) GTEST_SKIP() << "ptxas was not found";
  const workloads::Workload& workload = *workloads::find(GetParam());
  const std::string& name = workload.name;
  // Warps that spin for a lock take minutes at size small.
  const std::size_t ways = workload.needs_simt_progress ? 2 : kWays.size();
  for (const std::size_t turn : depth::turns(testing::number_of(name), ways)) {
    const Way& way = kWays[turn];
    SCOPED_TRACE(way.architecture);
    Scenario what = scenario({name, ""}, hanoi(way.architecture), "rtx2060");
    what.machine_code = kAssembled + "/" + way.architecture;
    what.size = way.size;
    const auto result = run(what);
    ASSERT_FALSE(result.contains("errors")) << result["errors"][0];
    if (!workload.needs_lockstep) {
      EXPECT_TRUE(result["passed"].get<bool>()) << result["summary"];
      if (memory_is_ptx_memory(name) && !testing::uses_approximate_functions(name)) {
        EXPECT_EQ(result["oracle"], "same");
      }
    }
    const nlohmann::json card = recorded(name);
    if (!card.is_null()) {
      EXPECT_EQ(result["reads"], card.at(way.size == workloads::Size::kTiny ? "tiny" : "small"));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, AssembledWorkloads, ::testing::ValuesIn(assembled_workloads()),
                         [](const auto& of) { return testing::test_name(of.param); });

// BMOV.CLEAR makes a register of the warp forget lanes that wait at it (models/simt/hanoi/MACHINE_CODE.md). They go on after
// 1024 YIELDs, and nobody may take that for a hang.
TEST(MachineCodeBarriers, LanesThatARegisterForgetsGoOnInTheEnd) {
  Scenario what = scenario({"early-release", ""}, hanoi(), "rtx2060");
  what.machine_code = kData + "sm_75/early_release.cubin";
  const auto result = run(what);
  ASSERT_FALSE(result.contains("errors")) << result["errors"][0];
  EXPECT_TRUE(result["passed"].get<bool>()) << result["summary"];
}

class MachineCodeCounts : public ::testing::TestWithParam<Row> {};

/// The numbers of [offset, warps, lanes] at an offset: those of the last row up to it.
std::pair<std::uint64_t, std::uint64_t> at(const nlohmann::json& rows, std::uint64_t offset) {
  std::pair<std::uint64_t, std::uint64_t> found;
  for (const auto& row : rows)
    if (row.at(0) <= offset) found = {row.at(1), row.at(2)};
  return found;
}

// Nsight Compute counts the warps and the active lanes of each instruction.
TEST_P(MachineCodeCounts, AreTheCardsInstructionByInstruction) {
  Scenario what = scenario(GetParam(), hanoi());
  what.size = workloads::Size::kSmall;
  what.oracle = false;
  what.counts = true;
  const auto result = run(what);
  ASSERT_FALSE(result.contains("errors")) << result["errors"][0];
  std::ifstream file(kData + "counts.json");
  unsigned compared = 0;
  for (const auto& card : nlohmann::json::parse(file)) {
    if (card.at("workload") != GetParam().workload) continue;
    SCOPED_TRACE(card.at("kernel").get<std::string>() + ", launch " + card.at("launch_of_kernel").dump());
    unsigned launch_of_kernel = 0;
    for (const auto& launch : result["launches"]) {
      if (launch.at("kernel") != card.at("kernel") || ++launch_of_kernel != card.at("launch_of_kernel"))
        continue;
      for (const auto& count : launch.at("counts")) {
        const std::uint64_t offset = count.at(0);
        if (offset >= card.at("instructions").get<std::uint64_t>() * 16) break;
        const auto [warps, lanes] = at(card.at("counts"), offset);
        EXPECT_TRUE(count.at(1) == warps && count.at(2) == lanes)
            << "at offset " << offset << ": " << count.at(1) << " warps and " << count.at(2)
            << " lanes, on the card " << warps << " and " << lanes;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 0u);
}

INSTANTIATE_TEST_SUITE_P(Workloads, MachineCodeCounts,
                         ::testing::Values(Row{"aes", "aes"}, Row{"gaussian", "gaussian"},
                                           Row{"nn-packed", "nn_packed"}, Row{"nonbonded", "nonbonded"},
                                           Row{"nqueens", "nqueens"}, Row{"reduction", "reduction"},
                                           Row{"sgemm", "sgemm"}, Row{"vecadd", "vecadd"}),
                         [](const auto& of) { return testing::test_name(of.param.workload); });

class MachineCodeOrder : public ::testing::TestWithParam<Row> {};

/// What instrumented kernels have written, by launch. `ptx`: of the workload's PTX, which the test instruments.
nlohmann::ordered_json block_traces(const Row& row, const std::vector<std::string>& assignments,
                                    bool ptx = false) {
  Scenario what = scenario(row, assignments);
  what.machine_code = ptx ? "" : kData + "traced/" + row.cubin + ".cubin";
  what.oracle = false;
  what.block_traces = true;
  const auto result = run(what);
  EXPECT_FALSE(result.contains("errors")) << result["errors"][0];
  return result.value("block_traces", nlohmann::ordered_json::array());
}

void expect_the_cards(const std::string& workload, const nlohmann::ordered_json& ours) {
  std::ifstream file(kData + "traced/orders.json");
  std::size_t compared = 0;
  for (const auto& card : nlohmann::ordered_json::parse(file)) {
    if (card.at("workload") != workload) continue;
    SCOPED_TRACE("launch " + card.at("launch").dump());
    const std::size_t launch = card.at("launch").get<std::size_t>() - 1;
    ASSERT_LT(launch, ours.size());
    EXPECT_EQ(ours.at(launch).at("kernel"), card.at("kernel"));
    EXPECT_EQ(ours.at(launch).at("warps"), card.at("warps"));
    ++compared;
  }
  EXPECT_GT(compared, 0u);
}

// Which lanes of each warp came to which block of the program in which order, entry by entry.
TEST_P(MachineCodeOrder, IsTheCards) {
  expect_the_cards(GetParam().workload, block_traces(GetParam(), hanoi()));
}

// The same of PTX, where ptxas has moved nothing that matters.
class PtxOrder : public ::testing::TestWithParam<Row> {};
const std::vector<std::string> kSmallerFirst{"core.control_flow.mechanism=hanoi",
                                             "core.control_flow.first_side=smaller"};
TEST_P(PtxOrder, IsTheCards) {
  expect_the_cards(GetParam().workload, block_traces(GetParam(), kSmallerFirst, true));
}
INSTANTIATE_TEST_SUITE_P(Workloads, PtxOrder,
                         ::testing::Values(Row{"bench-diverge", "bench"}, Row{"bh-force", "bh_force"},
                                           Row{"facedetect", "facedetect"}, Row{"nonbonded", "nonbonded"},
                                           Row{"nqueens", "nqueens"}, Row{"strmatch", "strmatch"}),
                         [](const auto& of) { return testing::test_name(of.param.workload); });

const std::vector<Row> kTraced{
    {"bench-diverge", "bench"}, {"bh-force", "bh_force"}, {"facedetect", "facedetect"},
    {"gaussian", "gaussian"},   {"lud", "lud"},           {"nonbonded", "nonbonded"},
    {"nqueens", "nqueens"},     {"strmatch", "strmatch"}, {"unstructured", "unstructured"}};
INSTANTIATE_TEST_SUITE_P(Workloads, MachineCodeOrder, ::testing::ValuesIn(kTraced),
                         [](const auto& of) { return testing::test_name(of.param.workload); });

// The published order: the larger side first, and a REC stack.
TEST(MachineCodeOrders, AreNotTheCardsInTheOtherProfile) {
  std::vector<std::string> x = hanoi();
  x.back() = "core.control_flow.hanoi.profile=X";
  x.emplace_back("core.control_flow.hanoi.yield_releases=1");
  const Row row{"nqueens", "nqueens"};
  EXPECT_NE(block_traces(row, x), block_traces(row, hanoi()));
}

INSTANTIATE_TEST_SUITE_P(Workloads, MachineCode, ::testing::ValuesIn(rows()),
                         [](const auto& of) { return testing::test_name(of.param.workload); });

}  // namespace
}  // namespace heddle::machine_code_test
