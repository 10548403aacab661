// Marks of writes: reached when what was taken before them has been performed, in whatever order, and not put off by later ones.
#include "core/memory/write_order.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace heddle::core::write_order_test {
namespace {

TEST(WriteOrder, AMarkIsReachedWithoutLaterWrites) {
  WriteOrder order;
  EXPECT_TRUE(order.all_performed(order.mark())) << "nothing was taken";
  const auto first = order.taken();
  const auto mark = order.mark();
  const auto later = order.taken();
  EXPECT_FALSE(order.all_performed(mark));
  order.performed(first);
  EXPECT_TRUE(order.all_performed(mark));
  const auto second = order.mark();
  EXPECT_FALSE(order.all_performed(second));
  order.performed(later);
  EXPECT_TRUE(order.all_performed(second));
}

TEST(WriteOrder, RandomWritesAndMarksAgreeWithSets) {
  std::mt19937 random(1);
  WriteOrder order;
  std::vector<std::pair<unsigned, WriteOrder::Mark>> outstanding;  // serial number, number
  std::vector<std::pair<unsigned, WriteOrder::Mark>> marks;        // serial number of the next write, mark
  unsigned serial = 0;
  for (unsigned step = 0; step < 20000; ++step) {
    switch (random() % 5) {
      case 0:
      case 1:
        outstanding.emplace_back(serial++, order.taken());
        break;
      case 2:
      case 3:
        if (outstanding.empty()) break;
        {
          const std::size_t which = random() % outstanding.size();
          order.performed(outstanding[which].second);
          outstanding.erase(outstanding.begin() + static_cast<std::ptrdiff_t>(which));
        }
        break;
      default:
        marks.emplace_back(serial, order.mark());
        if (marks.size() > 8) marks.erase(marks.begin());
    }
    for (const auto& [before, mark] : marks) {
      bool reached = true;
      for (const auto& [number, unused] : outstanding) reached = reached && number >= before;
      ASSERT_EQ(order.all_performed(mark), reached) << step;
    }
  }
}

}  // namespace
}  // namespace heddle::core::write_order_test
