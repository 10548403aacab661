// mov, packing, special registers, clocks, and generic addresses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "unit/ptx/support.h"

namespace heddle::ptx::testing::decode_move_test {
namespace {

using ::testing::IsEmpty;

TEST(PtxDecodeMove, packs_and_unpacks_two_words) {
  OneWarp warp(
      kernel("mov.u32 %r1, 0x11111111; mov.u32 %r2, 0x22222222; mov.b64 %rd1, {%r1, %r2};"
             "mov.b64 {%r3, %r4}, %rd1; mov.b64 {_, %r5}, %rd1; mov.b64 %fd1, {%r2, 7};"));
  warp.run();
  EXPECT_EQ(warp.get("%rd1"), 0x2222'2222'1111'1111u);
  EXPECT_EQ(warp.get("%r3"), 0x1111'1111u);
  EXPECT_EQ(warp.get("%r4"), 0x2222'2222u);
  EXPECT_EQ(warp.get("%r5"), 0x2222'2222u);
  EXPECT_EQ(warp.get("%fd1"), 0x0000'0007'2222'2222u);
}

TEST(PtxDecodeMove, packs_and_unpacks_halves) {
  OneWarp warp(
      kernel("mov.u16 %rs1, 1; mov.u16 %rs2, -2; mov.b32 %r1, {%rs1, %rs2}; mov.b32 {%rs3, %rs4}, %r1;"));
  warp.run();
  EXPECT_EQ(warp.get("%r1"), 0xfffe'0001u);
  EXPECT_EQ(warp.get("%rs3"), 1u);
  EXPECT_EQ(warp.get("%rs4"), 0xfffeu);
}

TEST(PtxDecodeMove, packs_and_unpacks_four_halves) {
  OneWarp warp(
      kernel("mov.u16 %rs1, 1; mov.u16 %rs2, 2; mov.u16 %rs3, 3; mov.u16 %rs4, 4;"
             "mov.b64 %rd1, {%rs1, %rs2, %rs3, %rs4}; mov.b64 {%rs5, %rs6, %rs7, %rs8}, %rd1;"));
  warp.run();
  EXPECT_EQ(warp.get("%rd1"), 0x0004'0003'0002'0001u);
  EXPECT_EQ(warp.get("%rs5"), 1u);
  EXPECT_EQ(warp.get("%rs8"), 4u);
}

TEST(PtxDecodeMove, unpacking_that_nobody_keeps_is_nothing) {
  EXPECT_THAT(code("mov.b64 {_, _}, %rd1;"), IsEmpty());
}

TEST(PtxDecodeMove, a_guard_covers_all_parts_of_a_split_instruction) {
  const auto list = code("@!%p1 mov.b64 {%r1, %r2}, %rd1;");
  ASSERT_EQ(list.size(), 2u);
  for (const isa::Instruction& i : list) {
    EXPECT_TRUE(i.guard.present);
    EXPECT_TRUE(i.guard.negated);
    EXPECT_EQ(i.where.line, 6u);
  }
}

TEST(PtxDecodeMove, reads_every_special_register) {
  using isa::SpecialRow;
  const std::pair<const char*, SpecialRow> rows[] = {{"%tid.x", SpecialRow::kTidX},
                                                     {"%tid.z", SpecialRow::kTidZ},
                                                     {"%ntid.y", SpecialRow::kNtidY},
                                                     {"%ctaid.x", SpecialRow::kCtaidX},
                                                     {"%nctaid.z", SpecialRow::kNctaidZ},
                                                     {"%laneid", SpecialRow::kLaneId},
                                                     {"%warpid", SpecialRow::kWarpId},
                                                     {"%nwarpid", SpecialRow::kNwarpId},
                                                     {"%smid", SpecialRow::kSmId},
                                                     {"%nsmid", SpecialRow::kNsmId},
                                                     {"%lanemask_eq", SpecialRow::kLanemaskEq},
                                                     {"%lanemask_lt", SpecialRow::kLanemaskLt},
                                                     {"%lanemask_le", SpecialRow::kLanemaskLe},
                                                     {"%lanemask_gt", SpecialRow::kLanemaskGt},
                                                     {"%lanemask_ge", SpecialRow::kLanemaskGe},
                                                     {"%dynamic_smem_size", SpecialRow::kDynamicSharedSize},
                                                     {"%total_smem_size", SpecialRow::kTotalSharedSize}};
  for (const auto& [name, row] : rows) {
    OneWarp warp(kernel(std::string("mov.u32 %r1, ") + name + ";"));
    const std::uint32_t value = 1000 + static_cast<std::uint32_t>(row);
    std::memcpy(warp.special(row), &value, 4);
    warp.run();
    EXPECT_EQ(warp.get("%r1"), value) << name;
  }
}

TEST(PtxDecodeMove, special_registers_are_operands_of_other_instructions_too) {
  const auto k = kernel("mad.lo.s32 %r1, %ctaid.x, %ntid.x, %tid.x;");
  EXPECT_EQ(k->code[0].src[2].space, isa::RowSpace::kSpecial);
  EXPECT_EQ(k->code[0].src[2].offset, isa::special_offset(isa::SpecialRow::kTidX));
  EXPECT_EQ(k->code[0].read_count, 0);
}

TEST(PtxDecodeMove, clocks_depend_on_time) {
  const auto k = kernel("mov.u32 %r1, %clock; mov.u64 %rd1, %clock64; mov.u32 %r2, %clock_hi;");
  OneWarp warp(k);
  warp.run(0x5'0000'0007);
  EXPECT_EQ(warp.get("%r1"), 7u);
  EXPECT_EQ(warp.get("%rd1"), 0x5'0000'0007u);
  EXPECT_EQ(warp.get("%r2"), 5u);
  EXPECT_TRUE(k->code[0].time_dependent);
  EXPECT_TRUE(k->code[1].time_dependent);
  EXPECT_FALSE(kernel("mov.u32 %r1, 1;")->code[0].time_dependent);
}

TEST(PtxDecodeMove, addresses_of_variables_are_constants) {
  const std::string globals = ".global .b32 g[4]; .const .b32 c; .shared .b32 s[4]; .extern .shared .b8 d[];";
  OneWarp warp(kernel(
      ".local .b32 a[2]; .local .b32 b[2]; mov.u64 %rd1, g+4; mov.u64 %rd2, s+8; mov.u32 %r1, d;"
      "mov.u64 %rd3, b; cvta.shared.u64 %rd4, s; mov.u64 %rd5, generic(s); mov.u64 %rd6, c; mov.u64 %rd7, a;",
      "", globals));
  warp.run();
  EXPECT_EQ(warp.get("%rd1"), isa::kGlobalBase + 4);
  EXPECT_EQ(warp.get("%rd6"), isa::kGlobalBase + 16);
  EXPECT_EQ(warp.get("%rd2"), 8u);
  EXPECT_EQ(warp.get("%r1"), 16u);
  EXPECT_EQ(warp.get("%rd3"), 8u);
  EXPECT_EQ(warp.get("%rd7"), 0u);
  EXPECT_EQ(warp.get("%rd4"), isa::kSharedWindowBase);
  EXPECT_EQ(warp.get("%rd5"), isa::kSharedWindowBase);
}

TEST(PtxDecodeMove, generic_addresses_of_every_space) {
  OneWarp warp(kernel(
      "mov.u64 %rd1, 64; cvta.shared.u64 %rd2, %rd1; cvta.local.u64 %rd3, %rd1; cvta.global.u64 %rd4, %rd1;"
      "cvta.to.shared.u64 %rd5, %rd2; cvta.to.local.u64 %rd6, %rd3; cvta.to.global.u64 %rd7, %rd4;"
      "isspacep.shared %p1, %rd2; isspacep.shared %p2, %rd3; isspacep.local %p3, %rd3;"
      "isspacep.global %p4, %rd4; isspacep.global %p5, %rd2; isspacep.local %p6, %rd2;"));
  warp.run();
  EXPECT_EQ(warp.get("%rd2"), isa::kSharedWindowBase + 64);
  EXPECT_EQ(warp.get("%rd3"), isa::kLocalWindowBase + 64);
  EXPECT_EQ(warp.get("%rd4"), 64u);
  EXPECT_EQ(warp.get("%rd5"), 64u);
  EXPECT_EQ(warp.get("%rd6"), 64u);
  EXPECT_EQ(warp.get("%rd7"), 64u);
  EXPECT_EQ(warp.get("%p1"), 1u);
  EXPECT_EQ(warp.get("%p2"), 0u);
  EXPECT_EQ(warp.get("%p3"), 1u);
  EXPECT_EQ(warp.get("%p4"), 1u);
  EXPECT_EQ(warp.get("%p5"), 0u);
  EXPECT_EQ(warp.get("%p6"), 0u);
}

}  // namespace
}  // namespace heddle::ptx::testing::decode_move_test
