// Where logs are in memory ([GPUDet:A22]).
#include <gtest/gtest.h>

#include "warp_log/log_layout.h"

namespace heddle::warp_log::log_layout_test {
namespace {

TEST(LogLayout, ArraysOfAWarpFollowEachOtherAndLogsDoNotOverlap) {
  constexpr std::uint32_t kCapacity = 100;
  const LogLayout layout(0x1000, kCapacity, 32, 3);
  const std::uint64_t each = LogLayout::bytes_of_log(kCapacity, 32);
  EXPECT_EQ(layout.data(0, 0), 0x1000 + 3 * each);
  EXPECT_EQ(layout.data(0, 1), layout.data(0, 0) + 128);
  EXPECT_EQ(layout.meta(0, 0), layout.data(0, 0) + kCapacity * 128);
  EXPECT_EQ(layout.meta(0, 5), layout.meta(0, 0) + 160);
  EXPECT_LT(layout.meta(0, kCapacity - 1) + 32, layout.data(1, 0));
  EXPECT_EQ(layout.entries_per_meta_line(), 4u);
}

TEST(LogLayout, EntriesAreLinesAndLogsBeginInDifferentSets) {
  const LogLayout layout(0x10000, 8192, 32, 0);
  for (std::uint32_t warp = 0; warp < 48; ++warp) {
    EXPECT_EQ(layout.data(warp, 7) % 128, 0u);
    EXPECT_EQ(layout.meta(warp, 8) % 128, 0u);
    EXPECT_NE(layout.data(warp, 0) / 128 % 64, layout.data(warp + 1, 0) / 128 % 64);
  }
}

}  // namespace
}  // namespace heddle::warp_log::log_layout_test
