// Storage from the configuration equals [DDOS/BOWS] Tab 6.2.
#include "spin/storage.h"

#include <gtest/gtest.h>

namespace heddle::spin::storage_test {
namespace {

TEST(SpinStorage, Table62) {
  SpinConfig config;
  config.source = SibSource::kDdos;
  const Storage bits = storage_bits(config, 48, 2);
  EXPECT_EQ(bits.sib_table, 16u * 35);
  EXPECT_EQ(bits.histories, 48u * 192);
  EXPECT_EQ(bits.pending_delay, 48u * 14);
  EXPECT_EQ(bits.queues, 48u * 5);
  EXPECT_EQ(bits.detectors, 48u * (2 + 3 + 3 + 5));  // pointers and lane, which Tab 6.2 does not count
  EXPECT_EQ(bits.backed_off, 48u);
}

TEST(SpinStorage, FollowsTheConfiguration) {
  SpinConfig config;
  EXPECT_EQ(storage_bits(config, 48, 2).total(), 0u);
  config.source = SibSource::kAnnotations;
  EXPECT_EQ(storage_bits(config, 48, 2).total(), 48u * (14 + 1 + 5));
  config.source = SibSource::kDdos;
  config.bows.enabled = false;
  config.ddos.threshold = 12;
  config.ddos.time_share_cycles = 1000;
  EXPECT_EQ(storage_bits(config, 48, 2).sib_table, 16u * (32 + 4 + 1));
  EXPECT_EQ(storage_bits(config, 48, 2).histories, 192u);
  EXPECT_EQ(storage_bits(config, 48, 2).queues, 0u);
}

}  // namespace
}  // namespace heddle::spin::storage_test
