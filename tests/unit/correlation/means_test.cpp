// Means of known errors.
#include "correlation/means.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heddle::correlation {
namespace {

LaunchComparison launch(const std::string& workload, std::optional<double> card,
                        std::optional<double> model) {
  LaunchComparison launch{workload, "small", "k", 1, std::vector<Pair>(counters().size())};
  launch.values[cycles_counter()] = {card, model};
  return launch;
}

TEST(Means, OverLaunchesOverWorkloadsAndBias) {
  // Errors: v +10 %, -30 %; w +50 %.
  const std::vector<LaunchComparison> launches = {launch("v", 100, 110), launch("v", 10, 7),
                                                  launch("w", 1000, 1500)};
  const Means means = means_of(launches, cycles_counter());
  EXPECT_EQ(means.launches, 3u);
  EXPECT_EQ(means.workloads, 2u);
  EXPECT_DOUBLE_EQ(means.absolute, 0.3);
  EXPECT_DOUBLE_EQ(means.by_workload, (0.2 + 0.5) / 2);
  EXPECT_DOUBLE_EQ(means.bias, 0.1);
}

TEST(Means, OfARangeOfCycles) {
  const std::vector<LaunchComparison> launches = {launch("v", 100, 110), launch("v", 10, 7),
                                                  launch("w", 1000, 1500)};
  EXPECT_DOUBLE_EQ(means_of(launches, cycles_counter(), {100, 0}).absolute, 0.3);
  EXPECT_EQ(means_of(launches, cycles_counter(), {100, 0}).launches, 2u);
  EXPECT_DOUBLE_EQ(means_of(launches, cycles_counter(), {0, 100}).absolute, 0.3);
  EXPECT_EQ(means_of(launches, cycles_counter(), {0, 100}).launches, 1u);
}

TEST(Means, LaunchesWithoutBothCountsAreLeftOut) {
  const std::vector<LaunchComparison> launches = {launch("v", 100, 110), launch("w", 100, std::nullopt),
                                                  launch("x", std::nullopt, 100), launch("y", 0, 100)};
  const Means means = means_of(launches, cycles_counter());
  EXPECT_EQ(means.launches, 1u);
  EXPECT_EQ(means.workloads, 1u);
  EXPECT_EQ(means_of({}, cycles_counter()).launches, 0u);
}

TEST(Means, PearsonIsOfLogarithms) {
  // Twice the card's throughout: the logarithms lie on a line.
  const Means same =
      means_of({launch("v", 10, 20), launch("w", 100, 200), launch("x", 5000, 10000)}, cycles_counter());
  EXPECT_NEAR(same.pearson.value(), 1, 1e-12);
  // (0, 0), (1, 2), (2, 1) in powers of ten: covariance 1, variances 2.
  const Means half =
      means_of({launch("v", 1, 1), launch("w", 10, 100), launch("x", 100, 10)}, cycles_counter());
  EXPECT_NEAR(half.pearson.value(), 0.5, 1e-12);
  EXPECT_FALSE(means_of({launch("v", 1, 1)}, cycles_counter()).pearson);
  EXPECT_FALSE(means_of({launch("v", 5, 1), launch("v", 5, 2)}, cycles_counter()).pearson);
}

TEST(Means, AgreementCountsEqualAndWithinTheTolerance) {
  const std::vector<LaunchComparison> launches = {launch("v", 100, 100), launch("v", 100, 109),
                                                  launch("v", 100, 111), launch("v", 100, std::nullopt)};
  const Agreement agreement = agreement_of(launches, cycles_counter());
  EXPECT_EQ(agreement.launches, 3u);
  EXPECT_EQ(agreement.equal, 1u);
  EXPECT_EQ(agreement.within, 2u);
}

TEST(Means, TheWorstComeFirst) {
  const std::vector<LaunchComparison> launches = {launch("v", 100, 110), launch("w", 100, 20),
                                                  launch("x", 100, std::nullopt), launch("y", 100, 300)};
  EXPECT_EQ(worst(launches, 10), (std::vector<std::size_t>{3, 1, 0}));
  EXPECT_EQ(worst(launches, 1), std::vector<std::size_t>{3});
}

}  // namespace
}  // namespace heddle::correlation
