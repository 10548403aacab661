// Random programs through AWARE and Multi-Path: every thread takes the path it takes alone, and the tables
// account for every lane at all times.
#include "blocks/simt/walk.h"

namespace heddle::simt::tables_random_test {
namespace {

/// Events wait for the branch unit, and some a cycle more.
WalkCase clocked_case(const char* label, WalkCase which) {
  which.label = label;
  which.config = clocked(which.config, 5);
  return which;
}

class RandomWalk : public ::testing::TestWithParam<WalkCase> {};

TEST_P(RandomWalk, EveryThreadTakesItsOwnPath) {
  constexpr std::uint64_t kPrograms = 100;
  Walk walk(GetParam());
  for (std::uint64_t seed = 1; seed <= kPrograms && !HasFailure(); ++seed) walk.run(seed);
  EXPECT_GT(walk.programs, kPrograms / 2) << "the generator makes too many long walks";
  // The case has exercised what it is meant to.
  EXPECT_GT(walk.count("divergences"), kPrograms);
  EXPECT_GT(walk.count("reconvergences"), kPrograms);
  EXPECT_GT(walk.count("calls"), kPrograms);
  const ControlFlowConfig& config = GetParam().config;
  if (config.get<TimeoutConfig>().cycles != 0) {
    EXPECT_GT(walk.count("timeouts"), kPrograms);
  }
  if (config.mechanism == Aware::kName && config.get<AwareConfig>().st_entries < 32) {
    EXPECT_GT(walk.count("spills.split"), kPrograms);
  }
  if (config.mechanism == Aware::kName && config.get<AwareConfig>().rt_entries < 32) {
    EXPECT_GT(walk.count("spills.reconvergence"), kPrograms);
  }
  if (config.mechanism == MultiPath::kName && config.get<MultiPathConfig>().opportunistic_reconvergence &&
      config.get<MultiPathConfig>().paths > 1) {
    EXPECT_GT(walk.count("early_points"), 0u);
    EXPECT_GT(walk.count("merged_splits"), 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(
    On, RandomWalk,
    ::testing::Values(
        aware_case("aware", 32, 32, 0), aware_case("aware_taken_first", 32, 32, 0, false, FirstSide::kTaken),
        aware_case("aware_smaller_first", 32, 32, 0, false, FirstSide::kSmaller),
        aware_case("aware_timeout", 32, 32, 20), aware_case("aware_virtual_1_1", 1, 1, 0),
        aware_case("aware_virtual_1_1_fast", 1, 1, 0, false), aware_case("aware_virtual_4_2", 4, 2, 0),
        aware_case("aware_virtual_6_4", 6, 4, 0), aware_case("aware_virtual_32_1", 32, 1, 0),
        aware_case("aware_virtual_1_32", 1, 32, 0),
        aware_case("aware_virtual_4_2_mru", 4, 2, 0, true, FirstSide::kAuto, TableVictim::kMostRecent),
        aware_case("aware_virtual_1_1_timeout", 1, 1, 15), aware_case("aware_virtual_4_2_timeout", 4, 2, 30),
        path_case("multi_path_1", 1, false), path_case("multi_path_2", 2, false),
        path_case("multi_path_4", 4, false), path_case("multi_path_6", 6, false),
        path_case("multi_path_8", 8, false), path_case("multi_path_32", 32, false),
        path_case("multi_path_1_orec", 1, true), path_case("multi_path_2_orec", 2, true),
        path_case("multi_path_4_orec", 4, true), path_case("multi_path_6_orec", 6, true),
        path_case("multi_path_8_orec", 8, true), path_case("multi_path_32_orec", 32, true),
        path_case("multi_path_32_timeout", 32, false, 20),
        path_case("multi_path_32_orec_timeout", 32, true, 20),
        path_case("multi_path_4_orec_timeout", 4, true, 10, FirstSide::kSmaller),
        clocked_case("aware_clocked", aware_case("", 32, 32, 0)),
        clocked_case("aware_virtual_1_1_timeout_clocked", aware_case("", 1, 1, 60)),
        clocked_case("aware_virtual_4_2_clocked", aware_case("", 4, 2, 0)),
        clocked_case("multi_path_2_clocked", path_case("", 2, false)),
        clocked_case("multi_path_32_timeout_clocked", path_case("", 32, false, 60))),
    [](const auto& each) { return std::string(each.param.label); });

}  // namespace
}  // namespace heddle::simt::tables_random_test
