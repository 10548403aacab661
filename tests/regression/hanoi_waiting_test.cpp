// Lanes that wait for other lanes of their warp, on Hanoi with placed convergence instructions: whatever ends if threads run
// independently ends in all profiles, with few and with many barrier registers, whichever side of a branch runs first. And no
// YIELD where lanes find what they wait for without one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "blocks/isolated.h"
#include "compiler/convergence/place_convergence.h"
#include "frontend/ptx/decode.h"
#include "frontend/ptx/parser.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "hanoi_waiting_kernels.h"
#include "oracle/oracle.h"

namespace heddle::hanoi_waiting_test {
namespace {

constexpr std::size_t kWords = 256;

std::vector<std::uint32_t> run(host::Device& device, const WaitingKernel& what) {
  const host::ModuleHandle handle = device.load_ptx_text(what.module(), "kernel.ptx");
  const std::uint64_t buffer = device.upload(std::vector<std::uint32_t>(kWords, 0), "buffer");
  device.launch(handle, "k", {{what.ctas, 1, 1}, {what.threads, 1, 1}, 0}, host::Args{}.add(buffer));
  return device.download<std::uint32_t>(buffer, kWords);
}

struct Machine {
  std::string profile;
  std::string delay;
  unsigned registers;
  const char* first_side;
};

std::vector<Machine> machines() {
  std::vector<Machine> all;
  for (const auto& [profile, delay] : std::initializer_list<std::pair<const char*, const char*>>{
           {"P", "far"}, {"X", "far"}, {"barriers", "off"}})
    for (const unsigned registers : {1u, 4u})
      for (const char* side : {"auto", "taken", "not_taken"})
        all.push_back({profile, delay, registers, side});
  return all;
}

class HanoiWaiting : public ::testing::TestWithParam<std::size_t> {};

TEST_P(HanoiWaiting, EndsAsIndependentThreadsDo) {
  const Machine machine = machines()[GetParam()];
  gpu::GpuConfig config = gpu::load_platform(
      "tiny", {"core.control_flow.mechanism=hanoi", "core.control_flow.hanoi.profile=" + machine.profile,
               "core.convergence.delay=" + machine.delay,
               std::string("core.convergence.yields=") + (machine.delay == "off" ? "all" : "needed"),
               std::string("core.convergence.loop_exits=") + (machine.delay == "off" ? "true" : "false"),
               "core.convergence.barrier_registers=" + std::to_string(machine.registers),
               std::string("core.control_flow.first_side=") + machine.first_side});
  config.watchdog.check_cycles = 64;
  gpu::RunOptions options;
  options.max_cycles = 2'000'000;
  for (const WaitingKernel& what : waiting_kernels()) {
    oracle::OracleDevice oracle;
    const auto found = tb::isolated([&]() -> nlohmann::ordered_json {
      gpu::GpuDevice gpu(config, options);
      return run(gpu, what);
    });
    EXPECT_EQ(found, nlohmann::ordered_json(run(oracle, what))) << what.name;
  }
}

INSTANTIATE_TEST_SUITE_P(On, HanoiWaiting, ::testing::Range(std::size_t{0}, machines().size()),
                         [](const auto& test) {
                           const Machine machine = machines()[test.param];
                           return machine.profile + std::to_string(machine.registers) + machine.first_side;
                         });

std::size_t yields(const isa::Kernel& kernel) {
  return static_cast<std::size_t>(
      std::count_if(kernel.code.begin(), kernel.code.end(), [](const isa::Instruction& each) {
        return each.op == isa::Opcode::kConvergence && each.convergence == isa::ConvergenceOp::kYield;
      }));
}

/// Names of kernels that hang.
std::vector<std::string> hanging(const std::string& without, const std::string& first_side) {
  gpu::GpuConfig config = gpu::load_platform(
      "tiny", {"core.control_flow.mechanism=hanoi", "core.control_flow.hanoi.profile=P",
               "core.control_flow.first_side=" + first_side, "core.convergence." + without});
  config.watchdog.check_cycles = 64;
  gpu::RunOptions options;
  options.max_cycles = 2'000'000;
  std::vector<std::string> names;
  for (const WaitingKernel& what : waiting_kernels()) {
    const auto result = tb::isolated([&]() -> nlohmann::ordered_json {
      gpu::GpuDevice gpu(config, options);
      return run(gpu, what);
    });
    if (!result.contains("errors")) continue;
    const std::string error = result["errors"][0];
    EXPECT_NE(error.find(" hangs: "), std::string::npos) << what.name << ": " << error;
    names.emplace_back(what.name);
  }
  return names;
}

// What the placement does against waiting for ever is needed, and what hangs without it is diagnosed.
TEST(HanoiWaitings, NeedYieldsAndGiveUpRegions) {
  EXPECT_THAT(
      hanging("yields=off", "not_taken"),
      ::testing::IsSupersetOf({"AnotherArm", "ACounterOfLanes", "ALookInAFunction", "LanesThatMeetSome"}));
  EXPECT_THAT(hanging("delay=off", "taken"),
              ::testing::IsSupersetOf({"BehindTheJoin", "AnIterationOfALoopAround", "ALockInAFunction",
                                       "ByWayOfAnotherCta", "LanesThatLeaveARegion"}));
}

TEST(HanoiWaitings, YieldWhereOthersAreNeededOnly) {
  for (const WaitingKernel& what : waiting_kernels()) {
    SCOPED_TRACE(what.name);
    std::uint64_t next = isa::kGlobalBase;
    isa::Module module = ptx::decode(ptx::parse_text(what.module(), "kernel.ptx"),
                                     [&](const std::string&, std::uint64_t bytes, std::uint32_t) {
                                       return std::exchange(next, next + (bytes + 255) / 256 * 256);
                                     });
    compiler::Pipeline::standard().run(module);
    isa::Kernel kernel = *module.kernels.front();
    const std::size_t regions = compiler::place_convergence(kernel, {}).regions.size();
    EXPECT_EQ(yields(kernel), what.yields);
    if (what.regions != 0) {
      EXPECT_EQ(regions, what.regions);
    }
  }
}

}  // namespace
}  // namespace heddle::hanoi_waiting_test
