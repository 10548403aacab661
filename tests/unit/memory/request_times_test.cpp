// When a core's oldest request without an answer entered the network: against all requests looked at.
#include "memory/request_times.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace heddle::memory::request_times_test {
namespace {

TEST(RequestTimes, KnowTheOldestRequestWhateverTheOrderOfAnswers) {
  RequestTimes times;
  std::map<std::uint64_t, base::Cycle> waiting;
  std::minstd_rand random(7);
  std::uint64_t order = 40;  // requests before this one have been answered
  base::Cycle now = 0;
  unsigned most = 0;
  for (unsigned i = 0; i < 20'000; ++i) {
    const bool grows = i / 1000 % 2 == 0;
    if (waiting.empty() || random() % 8 < (grows ? 5u : 2u)) {
      times.entered(++order, now);
      waiting[order] = now;
      now += random() % 3;
    } else {
      const auto answered = std::next(waiting.begin(), static_cast<long>(random() % waiting.size()));
      times.answered(answered->first);
      waiting.erase(answered);
    }
    most = std::max(most, static_cast<unsigned>(waiting.size()));
    ASSERT_EQ(times.oldest(), waiting.empty() ? base::kNever : waiting.begin()->second) << i;
  }
  EXPECT_GT(most, 100u);
}

TEST(RequestTimes, KnowWhoWaitsForNoAnswer) {
  RequestTimes times;
  EXPECT_THROW(times.answered(1), std::logic_error);
  times.entered(1, 10);
  times.entered(2, 11);
  EXPECT_THROW(times.answered(3), std::logic_error);
  times.answered(2);
  EXPECT_THROW(times.answered(2), std::logic_error);
  times.answered(1);
  EXPECT_THROW(times.answered(1), std::logic_error);
  EXPECT_EQ(times.oldest(), base::kNever);
}

}  // namespace
}  // namespace heddle::memory::request_times_test
