// Windows of a launch, and what is estimated from them.
#include "gpu/estimated_launch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/error.h"

namespace heddle::gpu {
namespace {

Estimation windows(std::uint32_t count) { return {count, 1, 2}; }

TEST(EstimatedLaunch, WindowsAreSpreadOverTheGridFromItsFirstToItsLastCta) {
  const std::vector<CtaRange> expected = {{0, 40}, {480, 40}, {960, 40}};
  EXPECT_EQ(windows_of(1000, 10, windows(3)), expected) << "a wave to warm up, two that count, one to drain";
}

TEST(EstimatedLaunch, HalfOfTheGridIsLeftOutOrNone) {
  EXPECT_EQ(windows_of(1000, 10, windows(100)).size(), 12u) << "twelve windows of 40";
  EXPECT_EQ(windows_of(160, 10, windows(100)).size(), 2u);
  EXPECT_TRUE(windows_of(159, 10, windows(100)).empty()) << "a single window tells nothing of its error";
}

TEST(EstimatedLaunch, WindowsOfTheLargestGridsStayWithinThem) {
  const std::uint64_t ctas = std::uint64_t{0x7fff'ffff} * 65535 * 65535;
  const std::vector<CtaRange> all = windows_of(ctas, 2112, windows(16));
  ASSERT_EQ(all.size(), 16u);
  EXPECT_EQ(all.back().end(), ctas);
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT_GT(all[i].first, all[i - 1].end());
}

/// A machine of `wave` slots, each of which takes `cycles(cta)` for a CTA; CTAs start in order, at once when a slot is free.
template <class Cycles>
WindowTimes simulate(const CtaRange& range, std::uint64_t wave, const Cycles& cycles) {
  std::vector<base::Cycle> free(wave, 0);
  WindowTimes times;
  for (std::uint64_t cta = range.first; cta < range.end(); ++cta) {
    auto& slot = *std::min_element(free.begin(), free.end());
    times.last_start = slot;
    slot += cycles(cta);
    times.done.push_back(slot);
  }
  std::sort(times.done.begin(), times.done.end());
  times.end = times.done.back();
  return times;
}

template <class Cycles>
Estimate estimated(std::uint64_t ctas, std::uint64_t wave, std::uint32_t count, const Cycles& cycles) {
  const std::vector<CtaRange> all = windows_of(ctas, wave, windows(count));
  std::vector<WindowTimes> times;
  for (const CtaRange& range : all) times.push_back(simulate(range, wave, cycles));
  return estimate_of(ctas, all, times, wave);
}

TEST(EstimatedLaunch, OfEqualCtasItIsExactAndHasNoMargin) {
  const auto cycles = [](std::uint64_t) { return base::Cycle{100}; };
  const Estimate of_equal = estimated(10'000, 10, 4, cycles);
  EXPECT_DOUBLE_EQ(of_equal.cycles, 100'000);
  EXPECT_EQ(of_equal.margin, 0);
  EXPECT_EQ(of_equal.ctas, 10'000u);
  EXPECT_EQ(of_equal.simulated, 160u);
  EXPECT_EQ(of_equal.windows, 4u);
}

TEST(EstimatedLaunch, ATrendOverTheGridIsFollowed) {
  const auto cycles = [](std::uint64_t cta) { return base::Cycle{100 + cta / 20}; };
  const auto whole = static_cast<double>(simulate({0, 10'000}, 10, cycles).end);
  const Estimate of_trend = estimated(10'000, 10, 8, cycles);
  EXPECT_NEAR(of_trend.cycles, whole, whole / 100);
  EXPECT_LT(std::abs(of_trend.cycles - whole), of_trend.margin);
}

TEST(EstimatedLaunch, OfIrregularCtasTheMarginSaysHowFarItMayBeOff) {
  unsigned within = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto cycles = [seed](std::uint64_t cta) {
      std::uint64_t z = (cta + seed * 1'000'003 + 1) * 0x9e37'79b9'7f4a'7c15ull;
      z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9ull;
      return base::Cycle{50 + (z ^ (z >> 27)) % 200};
    };
    const auto whole = static_cast<double>(simulate({0, 20'000}, 10, cycles).end);
    const Estimate of_irregular = estimated(20'000, 10, 8, cycles);
    within += std::abs(of_irregular.cycles - whole) <= of_irregular.margin;
    EXPECT_LT(of_irregular.margin, whole / 4);
  }
  EXPECT_GE(within, 36u) << "of 40";
}

TEST(EstimatedLaunch, ACtaThatDoesNotEndBeforeTheLastStartsGivesTheMeanOfItsWindow) {
  WindowTimes times;
  times.begin = 1000;
  times.last_start = 1000;
  times.end = 1400;
  times.done = {1100, 1200, 1300, 1400};
  EXPECT_DOUBLE_EQ(cycles_per_cta(times, 1), 100);
}

TEST(EstimatedLaunch, ALaunchOfTheSameKernelIsOffToTheSameSideAndOneOfAnotherIsNot) {
  const Estimate launch{100, 10, 2, 1000, 30};
  Estimate sum = launch;
  sum += {50, 50, 0, 200, 0};
  sum += launch;
  EXPECT_EQ(sum.ctas, 250u);
  EXPECT_EQ(sum.simulated, 70u);
  EXPECT_EQ(sum.windows, 4u);
  EXPECT_DOUBLE_EQ(sum.cycles, 2200);
  EXPECT_DOUBLE_EQ(sum.margin, 60);
  sum.add_independent({100, 10, 2, 1000, 80});
  EXPECT_DOUBLE_EQ(sum.cycles, 3200);
  EXPECT_DOUBLE_EQ(sum.margin, 100);
}

TEST(EstimatedLaunch, ThreeWindowsThatOverlapInPairsAreWorthLessThanTwoDifferences) {
  std::vector<WindowTimes> times;
  for (const base::Cycle rate : {10, 14, 10})
    times.push_back({0, rate * 2, rate * 3, {rate, rate * 2, rate * 3}});
  const Estimate of_three = estimate_of(100, {{0, 3}, {40, 3}, {97, 3}}, times, 1);
  // Successive differences of 4 and 4: a variance of 8, of the mean 8 / 3. 1.6 degrees of freedom: 5.64.
  EXPECT_NEAR(of_three.margin, 5.64 * 91 * std::sqrt(8.0 / 3), 1);
}

TEST(EstimatedLaunch, AnEstimationThatCannotBeIsRefused) {
  EXPECT_NO_THROW(check({2, 1, 1}));
  for (const Estimation& wrong : {Estimation{1, 1, 1}, Estimation{2, 0, 1}, Estimation{2, 1, 0}})
    EXPECT_THROW(check(wrong), base::InputError);
}

}  // namespace
}  // namespace heddle::gpu
