// Worked examples [WarpTM:G9] and [WarpTM:G10]: conflicts within a warp.
#include <gtest/gtest.h>

#include <initializer_list>

#include "tm/intra_warp.h"

namespace heddle::tm::testing::intra_warp_test {
namespace {

WarpWords::Row row(std::initializer_list<int> words) {
  WarpWords::Row row;
  unsigned lane = 0;
  for (const int word : words) {
    if (word >= 0) row[lane] = static_cast<std::uint64_t>(word);
    ++lane;
  }
  return row;
}

/// Lanes X1 to X4 are 0 to 3. The table has an entry for each of 04, 08, 0c, 10, 14.
WarpWords figure_6_6() {
  return {{row({0x04, 0x04, 0x04, 0x04}), row({0x0c, 0x08, 0x10, -1})},
          {row({0x0c, 0x08, 0x10, 0x04}), row({0x10, 0x14, 0x14, 0x08})}};
}
std::uint32_t entry(std::uint64_t word) { return static_cast<std::uint32_t>(word / 4 - 1); }

TEST(IntraWarpGolden, G9TwoPhases) {
  const Resolution result = resolve_two_phase(figure_6_6(), LaneMask(0b1111), 5, 128, entry);
  EXPECT_EQ(result.survivors, LaneMask(0b0011));
  EXPECT_EQ(result.steps, 7u);
}

TEST(IntraWarpGolden, G9Sequential) {
  const Resolution result = resolve_sequentially(figure_6_6(), LaneMask(0b1111), 0);
  EXPECT_EQ(result.survivors, LaneMask(0b0011));
  EXPECT_EQ(result.steps, 15u);
}

TEST(IntraWarpGolden, G10FalseAbort) {
  // X1 writes a; X2 reads a, writes b; X3 reads b, writes c.
  const WarpWords words{{row({-1, 0x04, 0x08})}, {row({0x04, 0x08, 0x0c})}};
  EXPECT_EQ(resolve_two_phase(words, LaneMask(0b111), 5, 128, entry).survivors, LaneMask(0b001));
  EXPECT_EQ(resolve_sequentially(words, LaneMask(0b111), 0).survivors, LaneMask(0b101));
}

TEST(IntraWarp, TheTableIsClearedALineAtATime) {
  const WarpWords none;
  EXPECT_EQ(resolve_two_phase(none, LaneMask(0b11), 2048, 128, entry).steps, 16u);
  EXPECT_EQ(resolve_two_phase(none, LaneMask(0b11), 4096, 128, entry).steps, 32u);
}

TEST(IntraWarp, AReaderMayPrecedeAWriter) {
  const WarpWords words{{row({0x04, -1})}, {row({-1, 0x04})}};
  EXPECT_EQ(resolve_two_phase(words, LaneMask(0b11), 5, 128, entry).survivors, LaneMask(0b11));
}

}  // namespace
}  // namespace heddle::tm::testing::intra_warp_test
