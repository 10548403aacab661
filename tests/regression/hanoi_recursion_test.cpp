// Regions in recursive functions on Hanoi ([Hanoi:P1], step 9, [Hanoi:S9]): barrier registers are kept in the frame, so that
// lanes meet at every depth; never deeper than REC has room for; none where lanes could be waited for that do not return.
// Memory is the oracle's in both profiles with 1, 2, 4 and 16 registers.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "compiler/convergence/place_convergence.h"
#include "frontend/ptx/decode.h"
#include "frontend/ptx/parser.h"
#include "generator/generated_kernel.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "hanoi_recursion_kernels.h"
#include "oracle/oracle.h"

namespace heddle::hanoi_recursion_test {
namespace {

constexpr std::uint32_t kThreads = 64;

std::vector<std::uint32_t> run(host::Device& device, const RecursiveKernel& what) {
  const host::ModuleHandle handle = device.load_ptx_text(what.module(), "kernel.ptx");
  const std::uint64_t out = device.upload(std::vector<std::uint32_t>(kThreads, 0), "out");
  device.launch(handle, "k", {{1, 1, 1}, {kThreads, 1, 1}, 0}, host::Args{}.add(out));
  return device.download<std::uint32_t>(out, kThreads);
}

struct Machine {
  char profile;
  unsigned registers;
  bool contract;
  unsigned entries = 31;  ///< of REC
};

std::vector<Machine> machines() {
  std::vector<Machine> all;
  for (const char profile : {'P', 'X'})
    for (const unsigned registers : {1u, 2u, 4u, 16u}) all.push_back({profile, registers, registers == 2});
  for (const char profile : {'P', 'X'})
    for (const unsigned entries : {1u, 2u, 5u}) all.push_back({profile, 4, false, entries});
  return all;
}

class HanoiRecursion : public ::testing::TestWithParam<std::size_t> {};

TEST_P(HanoiRecursion, LeavesTheOraclesMemoryAndNobodyGoesAstray) {
  const Machine machine = machines()[GetParam()];
  gpu::GpuConfig config = gpu::load_platform(
      "tiny",
      {"core.control_flow.mechanism=hanoi", std::string("core.control_flow.hanoi.profile=") + machine.profile,
       "core.control_flow.hanoi.private_registers=1", "core.control_flow.hanoi.barrier_registers=17",
       "core.convergence.barrier_registers=" + std::to_string(machine.registers),
       "core.control_flow.hanoi.reconvergence_entries=" + std::to_string(machine.entries),
       std::string("core.control_flow.hanoi.timing=") + (machine.contract ? "contract" : "ideal")});
  config.watchdog.check_cycles = 64;
  gpu::GpuDevice gpu(config, {});
  for (const RecursiveKernel& what : recursive_kernels()) {
    SCOPED_TRACE(what.name);
    oracle::OracleDevice oracle;
    EXPECT_EQ(run(gpu, what), run(oracle, what));
    const auto all = gpu.statistics(gpu.kernels().back().values);
    const auto& stats = all.at("core0").at("branch_unit");
    if (machine.profile == 'P' || !what.breaks) {
      EXPECT_EQ(stats.at(machine.profile == 'P' ? "misrouted" : "stall_breaks"), 0);
    }
    EXPECT_EQ(stats.at("dropped_regions"), 0) << "REC has room for what is opened";
    if (machine.registers >= 4 && machine.entries == 31) {
      // Those of the recursion are by far the most: one for each call.
      EXPECT_EQ(stats.at("regions") > 10, what.placed) << stats.at("regions");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(On, HanoiRecursion, ::testing::Range(std::size_t{0}, machines().size()),
                         [](const auto& test) {
                           const Machine machine = machines()[test.param];
                           return std::string(1, machine.profile) + std::to_string(machine.registers) +
                                  (machine.entries == 31 ? "" : "Rec" + std::to_string(machine.entries));
                         });

struct Measured {
  double lanes = 0;  ///< of an instruction, in the mean
  std::uint64_t entries = 0;
};
Measured measured(bool regions, const RecursiveKernel& what) {
  gpu::GpuDevice gpu(
      gpu::load_platform("tiny", {"core.control_flow.mechanism=hanoi", "core.control_flow.hanoi.profile=P",
                                  std::string("core.convergence.recursion=") + (regions ? "true" : "false")}),
      {});
  run(gpu, what);
  const auto all = gpu.statistics(gpu.kernels().back().values);
  const gpu::LaunchRecord& last = gpu.last_launch();
  return {static_cast<double>(last.thread_instructions) / static_cast<double>(last.warp_instructions),
          all.at("core0").at("branch_unit").at("max_reconvergence_entries").get<std::uint64_t>()};
}

// Eight different depths in a warp, four lanes of each: they part on the way down and meet on the way back.
TEST(HanoiRecursions, WithRegionsMeetAtEveryDepth) {
  EXPECT_GT(measured(true, recursive_kernels()[1]).lanes, 14);
}
TEST(HanoiRecursions, WithoutRegionsComeBackApart) {
  EXPECT_LT(measured(false, recursive_kernels()[1]).lanes, 9);
}

// 94 calls deep: lanes part one after the other, and no call opens a region for which there is no room.
TEST(HanoiRecursions, FillRecButDoNotOverflowIt) {
  const std::uint64_t entries = measured(true, recursive_kernels()[3]).entries;
  EXPECT_GE(entries, 20u);
  EXPECT_LE(entries, 31u);
}

// The structured random kernels (`Mechanisms` with hanoi) are a test of all this: many have regions in recursions.
TEST(HanoiRecursions, AreInRandomKernels) {
  std::size_t recursive = 0;
  std::size_t with_regions = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const ptx::Module tree =
        ptx::parse_text(generator::emit(generator::generate_tree(seed)).ptx, "random.ptx");
    std::uint64_t next = isa::kGlobalBase;
    isa::Module decoded = ptx::decode(tree, [&](const std::string&, std::uint64_t bytes, std::uint32_t) {
      return std::exchange(next, next + (bytes + 255) / 256 * 256);
    });
    compiler::Pipeline::standard().run(decoded);
    for (const auto& each : decoded.kernels) {
      bool recursion = false;
      for (const isa::FunctionCode& function : each->functions)
        recursion = recursion || function.recursion != 0;
      recursive += recursion ? 1 : 0;
      isa::Kernel kernel = *each;
      compiler::ConvergenceOptions options;
      options.allocation.registers = 4;
      with_regions += compiler::place_convergence(kernel, options).nested != 0 ? 1 : 0;
    }
  }
  RecordProperty("recursive", std::to_string(recursive));
  RecordProperty("with_regions", std::to_string(with_regions));
  EXPECT_GT(with_regions, 5u) << "of " << recursive;
}

}  // namespace
}  // namespace heddle::hanoi_recursion_test
