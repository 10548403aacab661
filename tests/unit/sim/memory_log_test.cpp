// What the watchdog's log says of a word in this window, and what it takes for news.
#include "sim/memory_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace heddle::sim::memory_log_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr std::uint64_t kWord = 0x1000'0040;

void change(MemoryLog& log, std::uint32_t from, std::uint32_t to) {
  unsigned char before[4], after[4];
  std::memcpy(before, &from, sizeof before);
  std::memcpy(after, &to, sizeof after);
  log.changed(MemoryLog::Space::kDevice, 0, kWord, before, after, sizeof before);
}
std::vector<std::uint32_t> values(const MemoryLog& log) {
  std::vector<std::uint32_t> all;
  log.for_each(MemoryLog::Space::kDevice, 0, kWord, [&](std::uint32_t value) { all.push_back(value); });
  return all;
}

TEST(MemoryLog, AWindowHasItsOwnValues) {
  MemoryLog log;
  log.start();
  change(log, 1, 0);
  EXPECT_THAT(values(log), UnorderedElementsAre(1, 0));
  log.next_window();
  EXPECT_THAT(values(log), IsEmpty());
  log.held(MemoryLog::Space::kDevice, 0, kWord, 1);
  EXPECT_THAT(values(log), ElementsAre(1));
  change(log, 1, 5);
  EXPECT_THAT(values(log), UnorderedElementsAre(1, 5));
}

TEST(MemoryLog, AValueThatComesAgainInALaterWindowIsNoNews) {
  MemoryLog log;
  log.start();
  change(log, 1, 0);
  log.expect_nothing_new();
  log.next_window();
  change(log, 0, 1);
  change(log, 1, 0);
  EXPECT_FALSE(log.news());
  change(log, 0, 2);
  EXPECT_TRUE(log.news());
  log.start();
  EXPECT_FALSE(log.news());
  EXPECT_THAT(values(log), IsEmpty());
}

}  // namespace
}  // namespace heddle::sim::memory_log_test
