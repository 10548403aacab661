// Windows are shared among threads where that has turned out to take less host time.
#include "sim/thread_gain.h"

#include <gtest/gtest.h>

namespace heddle::sim::thread_gain_test {
namespace {

using Policy = ThreadGain::Policy;
using Clock = ThreadGain::Clock;

Clock::time_point host_time;  // NOLINT: the clock is a plain function

/// How many of `windows` windows of `edges` edges are shared, if these take that long either way.
unsigned shared_of(ThreadGain& gain, unsigned windows, std::uint64_t edges, Clock::duration shared,
                   Clock::duration alone) {
  unsigned count = 0;
  for (unsigned i = 0; i < windows; ++i) {
    const bool share = gain.begin(edges);
    count += share ? 1 : 0;
    host_time += share ? shared : alone;
    if (i % 29 == 0) host_time += std::chrono::milliseconds(1);  // the host did something else
    gain.end(edges);
  }
  return count;
}

ThreadGain measured() {
  return ThreadGain(Policy::kMeasured, [] { return host_time; });
}

constexpr std::chrono::microseconds kShort{6}, kLong{9};
constexpr unsigned kMany = 100'000;

TEST(ThreadGain, SharesWhatIsFasterShared) {
  ThreadGain gain = measured();
  EXPECT_GT(shared_of(gain, kMany, 100, kShort, kLong), kMany * 99 / 100);
}

TEST(ThreadGain, DoesNotShareWhatIsSlowerShared) {
  ThreadGain gain = measured();
  EXPECT_LT(shared_of(gain, kMany, 100, kLong, kShort), kMany / 100);
}

TEST(ThreadGain, FindsOutThatThingsHaveChanged) {
  ThreadGain gain = measured();
  shared_of(gain, kMany, 100, kShort, kLong);
  EXPECT_LT(shared_of(gain, kMany, 100, kLong, kShort), kMany / 5);
  EXPECT_GT(shared_of(gain, kMany, 100, kShort, kLong), kMany * 4 / 5);
}

TEST(ThreadGain, JudgesLongAndShortWindowsApart) {
  ThreadGain gain = measured();
  unsigned few = 0, many = 0;
  for (unsigned i = 0; i < kMany; ++i) {
    few += shared_of(gain, 1, 10, kLong, kShort);
    many += shared_of(gain, 1, 1000, kShort, kLong);
  }
  EXPECT_LT(few, kMany / 100);
  EXPECT_GT(many, kMany * 99 / 100);
}

TEST(ThreadGain, NeverSharesWindowsOfAFewEdges) {
  ThreadGain gain = measured();
  EXPECT_EQ(shared_of(gain, 100, 3, kShort, kLong), 0u);
}

TEST(ThreadGain, AlwaysSharesWindowsOfVeryManyEdges) {
  ThreadGain gain = measured();
  EXPECT_EQ(shared_of(gain, 100, 3000, kLong, kShort), 100u);
}

TEST(ThreadGain, DoesWhatItIsTold) {
  ThreadGain always(Policy::kAlways), never(Policy::kNever);
  EXPECT_EQ(shared_of(always, 100, 3, kLong, kShort), 100u);
  EXPECT_EQ(shared_of(never, 100, 1000, kShort, kLong), 0u);
}

}  // namespace
}  // namespace heddle::sim::thread_gain_test
