// Placed convergence instructions on random unstructured code: every lane walks as if it were alone, in both profiles in
// the same order, whatever the number of barrier registers ([Hanoi:V1]), and what each rule is good for.
#include <gtest/gtest.h>

#include <cstdlib>

#include "compiler/convergence/place_convergence.h"
#include "compiler/pipeline.h"
#include "unit/compiler/random_flow.h"

namespace heddle::compiler::convergence_random_test {
namespace {

using random_flow::Outcome;
using random_flow::Shape;
using random_flow::Walked;

simt::HanoiConfig hardware(simt::HanoiProfile profile) {
  simt::HanoiConfig config;
  config.profile = profile;
  config.private_registers = 1;
  config.barrier_registers = 17;
  return config;
}

ConvergenceOptions with_registers(std::uint32_t registers) {
  ConvergenceOptions options;
  options.delay = DelayedMeeting::kOff;  // no memory is in this code, so no loop waits
  options.allocation.registers = registers;
  return options;
}

isa::Kernel placed(const isa::Kernel& kernel, const ConvergenceOptions& options) {
  isa::Kernel copy = kernel;
  PlaceConvergence(options).run(copy);
  return copy;
}

/// HEDDLE_RANDOM_PROGRAMS: for longer runs.
std::uint64_t many(std::uint64_t usual) {
  const char* const text = std::getenv("HEDDLE_RANDOM_PROGRAMS");
  return text == nullptr ? usual : std::strtoull(text, nullptr, 0);
}

/// Registers; with functions; with regions for ways out of loops.
class RandomFlow : public testing::TestWithParam<std::tuple<std::uint32_t, bool, bool>> {};

TEST_P(RandomFlow, LanesGoTheirWayInBothProfiles) {
  const auto [registers, functions, loop_exits] = GetParam();
  ConvergenceOptions options = with_registers(registers);
  options.regions.loop_exits = loop_exits;
  const std::uint64_t programs = many(1500);
  std::uint64_t issued = 0;
  std::uint64_t apart = 0;
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    const Shape shape{.most_blocks = 4 + static_cast<std::uint32_t>(seed % 14), .functions = functions};
    const isa::Kernel kernel = random_flow::random_kernel(seed, shape);
    const isa::Kernel code = placed(kernel, options);
    const unsigned lanes = seed % 2 == 0 ? 32 : 8;
    const Walked p = random_flow::walk(code, kernel, seed, hardware(simt::HanoiProfile::kP), lanes);
    const Walked x = random_flow::walk(code, kernel, seed, hardware(simt::HanoiProfile::kX), lanes);
    const Walked none = random_flow::walk(kernel, kernel, seed, hardware(simt::HanoiProfile::kX), lanes);
    ASSERT_EQ(p.outcome, Outcome::kRight) << "seed " << seed;
    ASSERT_EQ(p.stats.misrouted, 0u) << "seed " << seed;
    ASSERT_EQ(x.outcome, Outcome::kRight) << "seed " << seed;
    ASSERT_EQ(p.order, x.order) << "seed " << seed;
    ASSERT_EQ(x.stats.stall_breaks, 0u) << "seed " << seed;
    ASSERT_EQ(none.outcome, Outcome::kRight) << "seed " << seed;
    issued += p.issued;
    apart += none.issued;
  }
  // Not reconverging costs ([Hanoi:P1]: 74 % with regions, 71 % with early ones).
  const double share = static_cast<double>(issued) / static_cast<double>(apart);
  RecordProperty("issued_percent", std::to_string(100 * share));
  EXPECT_LT(share, 0.9);
}

INSTANTIATE_TEST_SUITE_P(WithRegisters, RandomFlow,
                         testing::Combine(testing::Values(1u, 2u, 4u, 16u), testing::Bool(), testing::Bool()),
                         [](const auto& test) {
                           return std::to_string(std::get<0>(test.param)) +
                                  (std::get<1>(test.param) ? "Functions" : "") +
                                  (std::get<2>(test.param) ? "LoopExits" : "");
                         });

int failures(const ConvergenceOptions& options, const simt::HanoiConfig& config, bool functions = false) {
  int count = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    const Shape shape{.most_blocks = 4 + static_cast<std::uint32_t>(seed % 14), .functions = functions};
    const isa::Kernel kernel = random_flow::random_kernel(seed, shape);
    const Walked walked =
        random_flow::walk(placed(kernel, options), kernel, seed, config, seed % 2 == 0 ? 32 : 8);
    count += walked.outcome == Outcome::kRight && walked.stats.misrouted == 0 ? 0 : 1;
  }
  return count;
}

/// What a rule prevents on P, X survives.
void expect_needed(const ConvergenceOptions& without, const char* rule) {
  const int p = failures(without, hardware(simt::HanoiProfile::kP));
  EXPECT_GT(p, 0) << rule;
  EXPECT_EQ(failures(without, hardware(simt::HanoiProfile::kX)), 0) << rule;
}

TEST(PlacementAblation, ArmingTwice) {
  ConvergenceOptions options = with_registers(16);
  options.regions.arms_once = false;
  expect_needed(options, "LC1");
}

TEST(PlacementAblation, JoiningTwice) {
  ConvergenceOptions options = with_registers(16);
  options.regions.joins_once = false;
  expect_needed(options, "LC2");
}

TEST(PlacementAblation, ConditionsOfEarlyRegions) {
  ConvergenceOptions options = with_registers(16);
  options.regions.checks_early = false;
  expect_needed(options, "step 4");
}

TEST(PlacementAblation, RegistersWhileLeaversRunOn) {
  ConvergenceOptions options = with_registers(16);
  options.allocation.until_left_lanes_meet = false;
  expect_needed(options, "[Hanoi:K3]");
}

TEST(PlacementAblation, Pinning) {
  ConvergenceOptions options = with_registers(2);
  options.allocation.pins = false;
  expect_needed(options, "[Hanoi:K4]");
}

TEST(PlacementAblation, Breaks) {
  ConvergenceOptions options = with_registers(16);
  options.breaks = false;
  expect_needed(options, "[Hanoi:K2]");
}

TEST(PlacementAblation, EmptyPops) {
  simt::HanoiConfig config = hardware(simt::HanoiProfile::kP);
  config.pops_empty = false;
  EXPECT_GT(failures(with_registers(16), config), 0);
}

TEST(PlacementAblation, UnionOfWaitingLanes) {
  simt::HanoiConfig config = hardware(simt::HanoiProfile::kP);
  config.waiting = simt::HanoiWaiting::kTop;
  EXPECT_GT(failures(with_registers(16), config), 0);
}

}  // namespace
}  // namespace heddle::compiler::convergence_random_test
