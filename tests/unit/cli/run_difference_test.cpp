// heddle compare: the shares of causes sum exactly to the difference.
#include "cli/compare/run_difference.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace heddle::cli {
namespace {

TEST(RunDifference, TenthsSumExactly) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 1000; ++round) {
    const std::uint64_t per_a = 1 + random() % 300, per_b = 1 + random() % 300;
    const std::uint64_t cycles_a = 1 + random() % 1'000'000, cycles_b = 1 + random() % 1'000'000;
    const std::size_t causes = 2 + random() % 12;
    const auto split = [&](std::uint64_t slots) {
      std::vector<std::uint64_t> parts(causes, 0);
      for (std::size_t i = 0; i + 1 < causes; ++i) {
        parts[i] = random() % (slots + 1);
        slots -= parts[i];
      }
      parts.back() = slots;
      return parts;
    };
    const auto a = split(per_a * cycles_a), b = split(per_b * cycles_b);
    const auto tenths = tenths_by_cause(a, per_a, b, per_b);
    const auto difference = static_cast<std::int64_t>(cycles_b) - static_cast<std::int64_t>(cycles_a);
    ASSERT_EQ(std::accumulate(tenths.begin(), tenths.end(), std::int64_t{0}), 10 * difference);
    for (std::size_t i = 0; i < causes; ++i) {
      const double share = 10 * (static_cast<double>(b[i]) / static_cast<double>(per_b) -
                                 static_cast<double>(a[i]) / static_cast<double>(per_a));
      ASSERT_NEAR(static_cast<double>(tenths[i]), share, 1.0);
    }
  }
}

TEST(RunDifference, TenthsOfTheSameSlotsAreZero) {
  const std::vector<std::uint64_t> slots = {7, 0, 13};
  EXPECT_EQ(tenths_by_cause(slots, 4, slots, 4), (std::vector<std::int64_t>{0, 0, 0}));
}

}  // namespace
}  // namespace heddle::cli
