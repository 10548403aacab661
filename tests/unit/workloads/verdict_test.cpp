// What a comparison with a CPU reference lets pass.
#include "workloads/verdict.h"

#include <gtest/gtest.h>

#include <limits>

namespace heddle::workloads::verdict_test {
namespace {

const std::vector<float> kExpected{1.0f, -2.0f, 0.0f}, kTolerance{0x1p-22f, 0x1p-21f, 0.0f};

Verdict of(const std::vector<float>& actual) { return compare_near("x", actual, kExpected, kTolerance); }

TEST(CompareNear, SaysNothingOfToleranceWhereAllBitsMatch) {
  EXPECT_TRUE(of(kExpected).passed);
  EXPECT_EQ(of(kExpected).summary, compare("x", kExpected, kExpected).summary);
}

TEST(CompareNear, CountsWhatIsWithinItsOwnTolerance) {
  const Verdict near = of({1.0f + 0x1p-22f, -2.0f + 0x1p-21f, 0.0f});
  EXPECT_TRUE(near.passed);
  EXPECT_NE(near.summary.find("3 floats of x match, 2 of them"), std::string::npos) << near.summary;
}

TEST(CompareNear, NamesTheFirstThatIsNot) {
  for (const float wrong : {-2.0f + 0x1p-20f, -2.0f - 0x1p-20f, 2.0f, std::numeric_limits<float>::quiet_NaN(),
                            std::numeric_limits<float>::infinity()}) {
    const Verdict far = of({1.0f + 0x1p-22f, wrong, 0.0f});
    EXPECT_FALSE(far.passed) << wrong;
    EXPECT_NE(far.summary.find("x[1] = "), std::string::npos) << far.summary;
    EXPECT_NE(far.summary.find("1 of 3 differ"), std::string::npos) << far.summary;
  }
}

TEST(CompareNear, RefusesAnotherNumberOfThem) {
  EXPECT_FALSE(of({1.0f, -2.0f}).passed);
  EXPECT_FALSE(of({1.0f, -2.0f, 0.0f, 0.0f}).passed);
}

}  // namespace
}  // namespace heddle::workloads::verdict_test
