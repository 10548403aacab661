// Processes run ahead in windows where that has turned out to take less host time.
#include "sim/ahead_gain.h"

#include <gtest/gtest.h>

namespace heddle::sim::ahead_gain_test {
namespace {

using Policy = AheadGain::Policy;
using Clock = AheadGain::Clock;

Clock::time_point host_time;  // NOLINT: the clock is a plain function

struct Machine {
  AheadGain gain{Policy::kMeasured, [] { return host_time; }};
  std::uint64_t work = 0;

  /// The share of the host time in which its processes run ahead, if a member's run takes that long this way and the other.
  double ahead_for(Clock::duration time, Clock::duration ahead, Clock::duration in_order) {
    const Clock::time_point end = host_time + time;
    Clock::duration spent{};
    bool runs_ahead = false;
    unsigned looks = 0;
    gain.begin();
    while (host_time < end) {
      const Clock::duration took = 100 * (runs_ahead ? ahead : in_order);
      host_time += took;
      if (++looks % 29 == 0) host_time += std::chrono::milliseconds(1);  // the host did something else
      work += 100;
      if (runs_ahead) spent += took;
      runs_ahead = gain.look(work, {});
    }
    gain.end();
    return std::chrono::duration<double>(spent) / std::chrono::duration<double>(time);
  }
};

constexpr std::chrono::nanoseconds kShort{200}, kLong{300};
constexpr std::chrono::seconds kRun{4};

TEST(AheadGain, RunsAheadWhereThatIsFaster) {
  Machine machine;
  EXPECT_GT(machine.ahead_for(kRun, kShort, kLong), 0.95 / (1 + 1000.0 / 29 / 20));
}

TEST(AheadGain, DoesNotWhereThatIsSlower) {
  Machine machine;
  EXPECT_LT(machine.ahead_for(kRun, kLong, kShort), 0.01);
}

TEST(AheadGain, DoesNotForAGainThatMayBeNoise) {
  Machine machine;
  EXPECT_LT(machine.ahead_for(kRun, std::chrono::nanoseconds{297}, kLong), 0.01);
}

TEST(AheadGain, FindsOutThatThingsHaveChanged) {
  Machine machine;
  (void)machine.ahead_for(kRun, kLong, kShort);
  EXPECT_LT(machine.ahead_for(kRun, kLong, kShort), 0.01);
  (void)machine.ahead_for(kRun, kShort, kLong);
  const double ahead = machine.ahead_for(kRun, kShort, kLong);
  EXPECT_GT(ahead, 0.3);
}

TEST(AheadGain, TriesBothInAKernelOfMicroseconds) {
  AheadGain gain(Policy::kMeasured, [] { return host_time; });
  constexpr std::uint64_t kNanosecond = 1000;          // of model time
  constexpr std::chrono::microseconds kHostOfOne{20};  // 132 cores
  std::uint64_t model_time = 0, work = 0;
  gain.begin();
  do {
    model_time += gain.stretch();
    host_time += kHostOfOne * gain.stretch() / kNanosecond;
  } while (!gain.look(++work, {}) && model_time < 10'000 * kNanosecond);
  EXPECT_LT(model_time, 1000 * kNanosecond);
}

TEST(AheadGain, DoesWhatItIsTold) {
  AheadGain always(Policy::kAhead);
  AheadGain by_turns(Policy::kByTurns);
  unsigned ahead = 0;
  for (unsigned i = 0; i < 100; ++i) {
    EXPECT_TRUE(always.look(i, {}));
    ahead += by_turns.look(i, {}) ? 1 : 0;
  }
  EXPECT_GT(ahead, 20u);
  EXPECT_LT(ahead, 80u);
}

TEST(AheadGain, CountsWithoutAClock) {
  AheadGain gain(Policy::kCounted, [] {
    ADD_FAILURE() << "the same run would not do the same every time";
    return Clock::time_point{};
  });
  // {edges of a process in a window, share of the windows in which they run ahead}
  AheadGain::Count windows;
  const auto share = [&](std::uint64_t edges_of_a_run) {
    std::uint64_t ahead = 0, in_order = 0;
    for (unsigned i = 0; i < 20'000; ++i) {
      windows.runs += 64;
      windows.edges += 64 * edges_of_a_run;
      if (gain.look(0, windows))
        ++ahead;
      else  // as long as some hundred windows, and the longer the more often that comes
        in_order += gain.stretch() >> 10u;
    }
    return static_cast<double>(ahead) / static_cast<double>(ahead + in_order);
  };
  EXPECT_EQ(share(30), 1);
  EXPECT_LT(share(2), 0.02);
  EXPECT_GT(share(30), 0.7);
}

}  // namespace
}  // namespace heddle::sim::ahead_gain_test
