// Perturbed timing ([GPUDet] §2.2): off it is not there, a seed gives the same run every time, and results depend on
// it where threads race and nowhere else.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "workload_scenario.h"

namespace heddle::perturbation_test {
namespace {

using testing::run;
using testing::Scenario;

struct Source {
  std::string name;
  std::string key;
  std::string strength;  ///< a key that means nothing without a seed; empty: there is none
  /// Where the source matters in a run of a few thousand cycles.
  std::vector<std::string> machine{};
};

const std::vector<Source> kSources{
    {"crossbar", "memory.crossbar.perturb_seed", "memory.crossbar.perturb_cycles=12"},
    {"dram", "memory.dram.perturb_seed", "", {"memory.dram.tREFI=300"}},
    {"scheduler", "core.scheduler.perturb_seed", "", {"cores=1"}},
    {"start", "core.start_jitter.perturb_seed", "core.start_jitter.perturb_cycles=77"},
};

Scenario with(const std::string& workload, const Source& source, unsigned seed) {
  Scenario what{workload, "tiny"};
  what.assignments = source.machine;
  what.assignments.push_back(source.key + "=" + std::to_string(seed));
  return what;
}

std::vector<std::string> all_sources(unsigned seed) {
  std::vector<std::string> assignments{"memory.crossbar.perturb_cycles=12"};
  for (const Source& source : kSources) assignments.push_back(source.key + "=" + std::to_string(seed));
  return assignments;
}

std::string memory_of(const nlohmann::ordered_json& result) {
  if (result.contains("errors")) return result.dump();
  EXPECT_TRUE(result["passed"].get<bool>()) << result["summary"];
  return result["memory"].dump();
}

class Perturbation : public ::testing::TestWithParam<Source> {};

TEST_P(Perturbation, WithoutASeedChangesNoStatistic) {
  Scenario without{"racey", "tiny"};
  without.assignments = GetParam().machine;
  const std::string plain = run(without).dump();
  ASSERT_EQ(plain.find("\"errors\""), std::string::npos) << plain;
  Scenario off = with("racey", GetParam(), 0);
  if (!GetParam().strength.empty()) off.assignments.push_back(GetParam().strength);
  EXPECT_EQ(run(off).dump(), plain);
}

TEST_P(Perturbation, IsTheSameForTheSameSeedInAnyOrderOfCreation) {
  const Scenario once = with("racey", GetParam(), 5);
  const std::string first = run(once).dump();
  ASSERT_EQ(first.find("\"errors\""), std::string::npos) << first;
  EXPECT_EQ(run(once).dump(), first);
  Scenario shuffled = once;
  shuffled.shuffle = 42;
  EXPECT_EQ(run(shuffled).dump(), first);
  Scenario awake = once;
  awake.keep_awake = true;
  EXPECT_EQ(run(awake)["memory"], run(once)["memory"]);
}

TEST_P(Perturbation, ChangesWhatARaceLeaves) {
  std::set<std::string> memories, cycles;
  for (unsigned seed = 0; seed <= 6; ++seed) {
    const auto result = run(with("racey", GetParam(), seed));
    memories.insert(memory_of(result));
    cycles.insert(result["launches"][0]["cycles"].dump());
  }
  EXPECT_GT(cycles.size(), 2u);
  if (GetParam().name != "dram") {  // so short a run finds its words in the L2
    EXPECT_GT(memories.size(), 1u);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Perturbation, ::testing::ValuesIn(kSources),
                         [](const auto& test) { return test.param.name; });

TEST(PerturbedBfs, LeavesOtherCostsUnderOtherSeeds) {
  std::set<std::string> memories;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    Scenario what{"bfs-racy", "tiny"};
    what.assignments = all_sources(seed);
    memories.insert(memory_of(run(what)));
  }
  EXPECT_GT(memories.size(), 1u);
}

std::vector<std::string> race_free() {
  std::vector<std::string> names;
  for (const std::string& name : testing::workload_names(false))
    if (testing::same_on_the_oracle(*workloads::find(name))) names.push_back(name);
  return names;
}

class RaceFree : public ::testing::TestWithParam<std::string> {};

TEST_P(RaceFree, WorkloadsLeaveTheSameMemoryUnderEverySeed) {
  const std::string expected = memory_of(run({GetParam(), "tiny"}));
  for (const unsigned seed : {1u, 2u}) {
    Scenario what{GetParam(), "tiny"};
    what.assignments = all_sources(seed);
    EXPECT_EQ(memory_of(run(what)), expected) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(All, RaceFree, ::testing::ValuesIn(race_free()),
                         [](const auto& test) { return testing::test_name(test.param); });

}  // namespace
}  // namespace heddle::perturbation_test
