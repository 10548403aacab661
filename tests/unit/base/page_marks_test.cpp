#include "base/page_marks.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

namespace heddle::base {
namespace {

TEST(PageMarks, TheMarkedPagesAreTakenOnceInOrder) {
  constexpr std::uint64_t kPage = PageMarks::kPageBytes;
  std::mt19937_64 random(7);
  PageMarks marks;
  for (int round = 0; round < 3; ++round) {
    std::set<std::uint64_t> expected;
    for (int i = 0; i < 200; ++i) {
      const std::uint64_t address = random() % (1 << 24) + (random() % 2 << 40);
      const std::uint64_t bytes = i % 3 == 0 ? random() % (3 * kPage) : 1;
      if (i % 3 == 0)
        marks.mark(address, bytes);
      else
        marks.mark(address);
      for (std::uint64_t at = address / kPage; at * kPage < address + bytes; ++at) expected.insert(at);
    }
    std::vector<std::uint64_t> taken;
    marks.take(taken);
    EXPECT_EQ(taken, std::vector<std::uint64_t>(expected.begin(), expected.end()));
    taken.clear();
    marks.take(taken);
    EXPECT_TRUE(taken.empty());
  }
}

}  // namespace
}  // namespace heddle::base
