// Sets of values.
#include <gtest/gtest.h>

#include "hang/value_table.h"

namespace heddle::hang::values_test {
namespace {

TEST(HangValues, EqualSetsHaveOneName) {
  ValueTable table;
  EXPECT_EQ(table.one(5), table.set({5, 5}));
  EXPECT_EQ(table.set({3, 1, 2}), table.set({1, 2, 3, 3}));
  EXPECT_EQ(table.join(table.one(1), table.set({2, 3})), table.set({1, 2, 3}));
  EXPECT_NE(table.one(0), kAnyValue);
}

TEST(HangValues, AnyValueSwallowsAll) {
  ValueTable table;
  EXPECT_EQ(table.join(kAnyValue, table.one(1)), kAnyValue);
  EXPECT_EQ(table.join(table.one(1), kAnyValue), kAnyValue);
  EXPECT_TRUE(table.contains(kAnyValue, 77));
  EXPECT_FALSE(table.contains(table.set({1, 2}), 3));
}

TEST(HangValues, LargeSetsAreAnyValue) {
  ValueTable table;
  std::vector<std::uint64_t> many;
  for (std::uint64_t i = 0; i <= ValueTable::kMostValues; ++i) many.push_back(i);
  EXPECT_EQ(table.set(many), kAnyValue);
  many.pop_back();
  EXPECT_EQ(table.size(table.set(many)), ValueTable::kMostValues);
}

}  // namespace
}  // namespace heddle::hang::values_test
