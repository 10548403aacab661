// The reconvergence table behind AWARE and Multi-Path: random programs with calls, barriers, time-outs and
// spilled entries on its RTL, alone and in lockstep with the model. With the RTL alone, every thread still
// takes its own path, the visible tables account for every lane, and all counters equal the model's.
#include "blocks/isolated.h"
#include "blocks/simt/walk.h"
#include "cosim/twins.h"

namespace heddle::simt::reconvergence_table_users {
namespace {

constexpr std::uint64_t kPrograms = 30;

nlohmann::ordered_json walk_on(sim::Implementation impl, WalkCase which) {
  return tb::isolated([&]() -> nlohmann::ordered_json {
    sim::Twins twins;
    cosim::provide_twins(twins);
    which.config.clocked_block("reconvergence_table").impl = impl;
    Walk walk(which, &twins);
    for (std::uint64_t seed = 1; seed <= kPrograms && !::testing::Test::HasFailure(); ++seed) walk.run(seed);
    nlohmann::ordered_json result{{"failed", ::testing::Test::HasFailure()}, {"programs", walk.programs}};
    result["statistics"] = walk.statistics();
    result["requests"] = twins.uses().empty() ? 0 : twins.uses().front().requests;
    return result;
  });
}

class ReconvergenceTableUsers : public ::testing::TestWithParam<WalkCase> {};

TEST_P(ReconvergenceTableUsers, DoTheSameOnTheRtl) {
  const auto model = walk_on(sim::Implementation::kModel, GetParam());
  ASSERT_FALSE(model.contains("errors")) << model.dump();
  EXPECT_GT(model.at("programs").get<unsigned>(), kPrograms / 2);
  for (const auto impl : {sim::Implementation::kRtl, sim::Implementation::kBoth}) {
    const auto other = walk_on(impl, GetParam());
    ASSERT_FALSE(other.contains("errors")) << other.dump();
    EXPECT_FALSE(other.at("failed").get<bool>()) << "see above";
    EXPECT_EQ(model.at("programs"), other.at("programs"));
    EXPECT_EQ(model.at("statistics"), other.at("statistics"));
    EXPECT_GT(other.at("requests").get<unsigned>(), 1000u);
  }
}

INSTANTIATE_TEST_SUITE_P(On, ReconvergenceTableUsers,
                         ::testing::Values(aware_case("aware_timeout", 32, 32, 20),
                                           aware_case("aware_virtual_1_1", 1, 1, 0),
                                           aware_case("aware_virtual_4_2_mru", 4, 2, 0, true,
                                                      FirstSide::kAuto, TableVictim::kMostRecent),
                                           aware_case("aware_virtual_1_1_timeout", 1, 1, 15),
                                           aware_case("aware_virtual_4_2_timeout", 4, 2, 30),
                                           aware_case("aware_virtual_6_4", 6, 4, 0),
                                           path_case("multi_path_4_orec", 4, true),
                                           path_case("multi_path_32_orec_timeout", 32, true, 20)),
                         [](const auto& each) { return std::string(each.param.label); });

}  // namespace
}  // namespace heddle::simt::reconvergence_table_users
