// When addresses of two devices are of the same thing.
#include "cli/address_pairs.h"

#include <gtest/gtest.h>

#include "isa/types.h"

namespace heddle::cli::address_pairs_test {
namespace {

TEST(AddressPairs, TheSameByteOfTheSameThing) {
  const AddressPairs pairs({{0x2000, 0x1800, 16, "b"}, {0x1000, 0x3000, 256, "a"}, {0x1800, 0x2000, 8, "c"}});
  EXPECT_TRUE(pairs.same(0x1000, 0x3000));
  EXPECT_TRUE(pairs.same(0x10ff, 0x30ff));
  EXPECT_TRUE(pairs.same(0x1100, 0x3100)) << "its end";
  EXPECT_FALSE(pairs.same(0x1101, 0x3101));
  EXPECT_FALSE(pairs.same(0x0fff, 0x2fff));
  EXPECT_FALSE(pairs.same(0x1004, 0x3005));
  EXPECT_FALSE(pairs.same(0x1000, 0x1000));
  EXPECT_TRUE(pairs.same(0x2008, 0x1808));
  EXPECT_FALSE(pairs.same(0x2000, 0x2000)) << "one is b, the other one c";
  EXPECT_FALSE(AddressPairs({}).same(1, 1));
}

TEST(AddressPairs, OneAddressMayBeThatOfSeveralThings) {
  // Shared variables of two kernels overlap; an open array reaches behind others; functions have names beside their own.
  const AddressPairs pairs(
      {{0, 0, 0x10000, "open"}, {0x100, 0x900, 16, "a"}, {0x100, 0x700, 0, "f"}, {0x104, 0x200, 8, "b"}});
  EXPECT_TRUE(pairs.same(0x108, 0x908));
  EXPECT_TRUE(pairs.same(0x108, 0x204));
  EXPECT_TRUE(pairs.same(0x108, 0x108));
  EXPECT_TRUE(pairs.same(0x100, 0x700));
  EXPECT_FALSE(pairs.same(0x101, 0x701)) << "a function has no inside";
  EXPECT_TRUE(pairs.same(0xffff, 0xffff));
}

TEST(AddressPairs, LocalMemoryIsGone) {
  const AddressPairs pairs({{0x1000, 0x3000, 256, "a"}});
  EXPECT_TRUE(pairs.same(isa::kLocalWindowBase + 16, isa::kLocalWindowBase + 480));
  EXPECT_FALSE(pairs.same(isa::kLocalWindowBase + 16, isa::kSharedWindowBase));
  EXPECT_FALSE(pairs.same(isa::kLocalWindowBase - 1, isa::kLocalWindowBase));
  EXPECT_FALSE(pairs.same(isa::kSharedWindowBase, isa::kSharedWindowBase + 4)) << "which variable is it?";
}

TEST(AddressPairs, AreDescribed) {
  const AddressPairs pairs({{0x1000, 0x3000, 256, "buffer 'a'"}, {0x2000, 0x4000, 0, "function 'f'"}});
  EXPECT_EQ(pairs.describe_here(0x1004), "byte 4 of buffer 'a'");
  EXPECT_EQ(pairs.describe_there(0x3004), "byte 4 of buffer 'a'");
  EXPECT_EQ(pairs.describe_there(0x1004), "");
  EXPECT_EQ(pairs.describe_here(0x2000), "function 'f'");
  EXPECT_EQ(pairs.describe_here(0x2001), "");
  EXPECT_EQ(pairs.describe_here(isa::kLocalWindowBase), "local memory");
  EXPECT_EQ(pairs.describe_here(isa::kSharedWindowBase + 7), "shared memory");
}

}  // namespace
}  // namespace heddle::cli::address_pairs_test
