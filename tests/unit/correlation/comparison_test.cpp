// Launches matched and compared: known inputs, missing launches, the first counter that differs, instructions.
#include "correlation/comparison.h"

#include <gtest/gtest.h>

#include "correlation/counters.h"

namespace heddle::correlation {
namespace {

std::size_t index_of(const std::string& name) {
  for (std::size_t i = 0; i < counters().size(); ++i)
    if (counters()[i].name == name) return i;
  throw std::out_of_range(name);
}

CardLaunch card_launch(const std::string& kernel, std::uint32_t number, double cycles,
                       double instructions = 100) {
  return {kernel,
          number,
          {{"gpc__cycles_elapsed.max", cycles},
           {"smsp__inst_executed.sum", instructions},
           {"dram__bytes_read.sum", 1e6}}};
}

ModelLaunch model_launch(const std::string& kernel, std::uint32_t number, double cycles,
                         double instructions = 100) {
  return {
      kernel, number, {{"cycles", cycles}, {"warp_instructions", instructions}, {"dram_read_bytes", 1e6}}};
}

TEST(Comparison, LaunchesAreMatchedByKernelAndNumber) {
  const CardRun card{
      "w", "small", {card_launch("a", 1, 1000), card_launch("b", 1, 100), card_launch("a", 2, 400)}};
  const ModelRun model{{model_launch("b", 1, 150), model_launch("a", 1, 500), model_launch("a", 2, 400)}};
  const auto launches = compare(card, model, {});
  ASSERT_EQ(launches.size(), 3u);
  EXPECT_DOUBLE_EQ(launches[0].cycles().error().value(), -0.5);
  EXPECT_DOUBLE_EQ(launches[1].cycles().error().value(), 0.5);
  EXPECT_DOUBLE_EQ(launches[2].cycles().error().value(), 0);
  for (const LaunchComparison& launch : launches) EXPECT_EQ(launch.problem, "");
}

TEST(Comparison, AConstantIsAddedToTheModelsCyclesOnly) {
  const CardRun card{"w", "small", {card_launch("a", 1, 1000)}};
  const auto launches = compare(card, {{model_launch("a", 1, 500)}}, {.add_cycles = 300});
  EXPECT_EQ(launches[0].cycles().model, 800);
  EXPECT_EQ(launches[0].values[index_of("warp_instructions")].model, 100);
}

TEST(Comparison, AMissingLaunchSaysWhy) {
  const CardRun card{
      "w", "small", {card_launch("a", 1, 1000), card_launch("a", 2, 1000), card_launch("c", 1, 10)}};
  const auto launches = compare(card, {{model_launch("a", 1, 500)}}, {});
  EXPECT_EQ(launches[0].problem, "");
  EXPECT_EQ(launches[1].problem, "the model's run launches the kernel 1 time only");
  EXPECT_EQ(launches[2].problem, "the model's run launches no kernel of this name");
  EXPECT_FALSE(launches[2].cycles().error());
  EXPECT_EQ(launches[2].cycles().card, 10);
  const auto ended = compare(card, {{model_launch("a", 1, 500)}, "not finished after 60 s"}, {});
  EXPECT_EQ(ended[0].problem, "");
  EXPECT_EQ(ended[1].problem, "not finished after 60 s");
}

TEST(Comparison, AKernelThatTheTruthDoesNotHaveIsNamedOnce) {
  const CardRun card{"w", "small", {card_launch("a", 1, 1000)}};
  const ModelRun model{
      {model_launch("x", 1, 1), model_launch("a", 1, 1), model_launch("a", 2, 1), model_launch("x", 2, 1)}};
  EXPECT_EQ(unknown_kernels(card, model), std::vector<std::string>{"x"});
}

TEST(Comparison, TheFirstDifferenceIsInCausalOrder) {
  const CardRun card{"w", "small", {card_launch("a", 1, 1000)}};
  ModelLaunch model = model_launch("a", 1, 5000);
  EXPECT_FALSE(compare(card, {{model}}, {})[0].first_difference());  // cycles are the outcome, not a cause
  model.counters["dram_read_bytes"] = 1.2e6;
  EXPECT_EQ(compare(card, {{model}}, {})[0].first_difference(), index_of("dram_read_bytes"));
  model.counters["dram_read_bytes"] = 1.05e6;  // within the tolerance
  EXPECT_FALSE(compare(card, {{model}}, {})[0].first_difference());
  model.counters["dram_read_bytes"] = 2e6;
  model.counters["warp_instructions"] = 101;  // which have no tolerance
  EXPECT_EQ(compare(card, {{model}}, {})[0].first_difference(), index_of("warp_instructions"));
}

TEST(Comparison, WhatIsNotTheSameThingIsNoDifference) {
  CardRun card{"w", "small", {card_launch("a", 1, 1000)}};
  card.launches[0].counters["dram__bytes_write.sum"] = 1e9;
  ModelLaunch model = model_launch("a", 1, 1000);
  model.counters["dram_write_bytes"] = 1;
  EXPECT_FALSE(compare(card, {{model}}, {})[0].first_difference());
}

TEST(Comparison, ACountOfZeroHasNoRelativeError) {
  EXPECT_EQ((Pair{0, 0}).error(), 0);
  EXPECT_EQ((Pair{0, 5}).error(), std::nullopt);
  EXPECT_TRUE(differs({.name = "c", .unit = "", .card = "", .model = ""}, {0, 5}));
  EXPECT_FALSE(differs({.name = "c", .unit = "", .card = "", .model = "", .slack = 5}, {0, 5}));
}

TEST(Comparison, InstructionsAreComparedByOffset) {
  CardRun card{"w", "small", {card_launch("a", 1, 1000)}};
  card.launches[0].instructions = {
      {0, "MOV", 4, 128}, {16, "@P0 BRA", 4, 128}, {32, "NOP", 0, 0}, {48, "EXIT", 4, 100}};
  ModelLaunch model = model_launch("a", 1, 1000);
  model.instructions = {{0, "mov", 4, 128}, {16, "bra", 5, 128}, {64, "more", 1, 32}};
  const LaunchComparison launch = compare(card, {{model}}, {})[0];
  EXPECT_TRUE(launch.instructions_compared);
  EXPECT_EQ(launch.instructions, 4u);
  ASSERT_EQ(launch.differences.size(), 3u);
  EXPECT_EQ(launch.differences[0].text, "@P0 BRA");
  EXPECT_EQ(launch.differences[0].warps.model, 5);
  EXPECT_EQ(launch.differences[1].offset, 48u);
  EXPECT_EQ(launch.differences[1].lanes.model, 0);
  EXPECT_EQ(launch.differences[2].text, "more");
  EXPECT_EQ(launch.differences[2].warps.card, 0);
  model.instructions.clear();
  EXPECT_FALSE(compare(card, {{model}}, {})[0].instructions_compared);
}

}  // namespace
}  // namespace heddle::correlation
