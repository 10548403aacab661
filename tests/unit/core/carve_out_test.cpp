// How the array of L1 and shared memory is divided: the sizes, by kernel, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "core/config.h"
#include "core/cta/cta_slots.h"

namespace heddle::core::carve_out_test {
namespace {

using testing::HasSubstr;

CoreConfig by_kernel(const std::string& sizes) {
  CoreConfig config;
  config.l1d.size_kib = 0;
  config.l1d.unified_kib = 256;
  config.l1d.ways = 32;
  config.l1d.carve_out = CarveOut::kByKernel;
  config.shared_memory.size_kib = 228;
  config.shared_memory.carve_outs = sizes;
  return config;
}

TEST(CarveOut, L1HasWhatTheLeastSufficientSizeLeaves) {
  const CoreConfig config = by_kernel("0 8 16 32 64 100 132 164 196 228");
  EXPECT_EQ(config.l1d_kib_beside(0), 256u);
  EXPECT_EQ(config.l1d_kib_beside(1), 248u);
  EXPECT_EQ(config.l1d_kib_beside(8 * 1024), 248u);
  EXPECT_EQ(config.l1d_kib_beside(8 * 1024 + 1), 240u);
  EXPECT_EQ(config.l1d_kib_beside(228 * 1024), 28u);
  EXPECT_EQ(config.resolved_l1d().size_kib, 256u);
}

TEST(CarveOut, AnySizeIfNoneIsNamed) { EXPECT_EQ(by_kernel("").l1d_kib_beside(5 * 1024 + 1), 250u); }

TEST(CarveOut, FixedSizesStayAsTheyAre) {
  CoreConfig config;
  EXPECT_EQ(config.l1d_kib_beside(0), config.l1d.size_kib);
  EXPECT_EQ(config.l1d_kib_beside(48 * 1024), config.l1d.size_kib);
}

TEST(CarveOut, CtasTakeWhatIsReservedBesideTheirOwn) {
  CoreConfig config = by_kernel("0 8 228");
  config.shared_memory.reserved_bytes_per_cta = 1024;
  const CtaNeeds needs{.warps = 1, .shared_bytes = 113 * 1024 + 1024};
  std::string why;
  EXPECT_EQ(max_resident(needs, config, why), 2u);
  CtaSlots slots(config);
  EXPECT_EQ(slots.room(needs), 2u);
}

std::string refusal(const CoreConfig& config) {
  try {
    config.validate_carve_outs();
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(CarveOut, WhatCannotBeDividedIsRefused) {
  EXPECT_EQ(refusal(by_kernel("0 228")), "no error");
  EXPECT_THAT(refusal(by_kernel("8 0")), HasSubstr("'8 0' is not a list of sizes in ascending order"));
  EXPECT_THAT(refusal(by_kernel("8 x")), HasSubstr("core.shared_memory.carve_outs"));
  EXPECT_THAT(refusal(by_kernel("0 100")), HasSubstr("none has room for all of shared memory (228 KiB)"));
  EXPECT_THAT(refusal(by_kernel("228 256")), HasSubstr("256 KiB leave nothing"));
  EXPECT_THAT(refusal(by_kernel("1 228")), HasSubstr("beside 1 KiB"));
  CoreConfig config = by_kernel("0 228");
  config.l1d.size_kib = 64;
  EXPECT_THAT(refusal(config), HasSubstr("core.l1d.carve_out"));
}

}  // namespace
}  // namespace heddle::core::carve_out_test
