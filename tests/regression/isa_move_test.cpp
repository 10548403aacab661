// mov in all types, packing, generic addresses, and control instructions without effect on data.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "isa_support.h"
#include "oracle/oracle.h"

namespace heddle::testing::isa_move_test {
namespace {

TEST(IsaMove, AllTypes) {
  const auto out = run(
      {.body =
           "mov.b16 %h1, 0x8001; mov.u16 %h2, %h1; mov.s16 %h3, %h2; mov.b32 %r1, 5; mov.u32 %r2, %r1;"
           "mov.s32 %r3, -7; mov.f32 %f1, 0f3FC00000; mov.b64 %w1, 0x123456789abcdef0; mov.u64 %w2, %w1;"
           "mov.s64 %w3, %w2; mov.f64 %d1, 0d3FF8000000000000; setp.ne.u32 %p1, %r1, 0; mov.pred %p2, %p1;"
           "mov.pred %p3, 0; selp.u32 %r4, 1, 0, %p2; selp.u32 %r5, 1, 0, %p3;"
           "cvt.u32.u16 %r6, %h3; st.global.u32 [%out], %r6; st.global.u32 [%out+4], %r2;"
           "st.global.s32 [%out+8], %r3; st.global.f32 [%out+12], %f1; st.global.u64 [%out+16], %w3;"
           "st.global.f64 [%out+24], %d1; st.global.u32 [%out+32], %r4; st.global.u32 [%out+36], %r5;"});
  EXPECT_EQ(out[0], 0x8001u);
  EXPECT_EQ(out[1], 5u);
  EXPECT_EQ(out[2], 0xffff'fff9u);
  EXPECT_EQ(std::bit_cast<float>(out[3]), 1.5f);
  EXPECT_EQ(out[4], 0x9abcdef0u);
  EXPECT_EQ(out[5], 0x12345678u);
  EXPECT_EQ(out[7], 0x3ff80000u);
  EXPECT_EQ(out[8], 1u);
  EXPECT_EQ(out[9], 0u);
}

TEST(IsaMove, VectorsAreTakenApartAndPutTogether) {
  const auto out = run(
      {.body = ".reg .b8 %b<8>;\n"
               "mov.b64 {%r1, %r2}, 0x1122334455667788; mov.b64 %w1, {%r2, %r1}; st.global.u64 [%out], %w1;"
               "mov.b32 {%h1, %h2}, %r1; mov.b32 %r3, {%h2, %h1}; st.global.u32 [%out+8], %r3;"
               "mov.b64 {%h1, %h2, %h3, %h4}, %w1; mov.b64 %w2, {%h4, %h3, %h2, %h1};"
               "st.global.u64 [%out+16], %w2; mov.b32 {%b0, %b1, %b2, %b3}, %r1;"
               "mov.b32 %r4, {%b3, %b2, %b1, %b0}; st.global.u32 [%out+24], %r4;"
               "mov.b16 {%b4, %b5}, %h1; mov.b16 %h5, {%b5, %b4}; st.global.u16 [%out+28], %h5;"
               "mov.b64 {_, %r5}, %w1; st.global.u32 [%out+32], %r5; mov.b32 {%b0, _, _, %b1}, %r1;"
               "mov.b16 %h6, {%b1, %b0}; st.global.u16 [%out+36], %h6;"});
  EXPECT_EQ(out[0], 0x11223344u);
  EXPECT_EQ(out[1], 0x55667788u);
  EXPECT_EQ(out[2], 0x77885566u);
  EXPECT_EQ(out[4], 0x7788'5566u);
  EXPECT_EQ(out[5], 0x3344'1122u);
  EXPECT_EQ(out[6], 0x88776655u);
  EXPECT_EQ(out[7], 0x4433u);
  EXPECT_EQ(out[8], 0x55667788u);
  EXPECT_EQ(out[9], 0x8855u);
}

/// The same on the oracle.
void expect_same_on_the_oracle(const Fragment& fragment, const std::vector<std::uint32_t>& words) {
  oracle::OracleDevice device;
  const auto module = device.load_ptx_text(fragment_text(fragment), "fragment.ptx");
  const std::uint64_t out = device.allocate(fragment.words * 4, "out");
  host::Args args;
  args.add(out);
  device.launch(module, "k", fragment.shape, args);
  EXPECT_EQ(device.download<std::uint32_t>(out, fragment.words), words);
}

// PTX ISA, "Vectors as Operands".
TEST(IsaMove, WholeVectorRegisters) {
  const Fragment fragment{
      .module = ".global .align 16 .b32 from[8] = {1, 2, 3, 4, 5, 6, 7, 8};",
      .body =
          ".reg .v2 .u32 V, W; .reg .v4 .f32 Q, P; .reg .v4 .b16 H; .reg .v2 .b64 D; .reg .v4 .b32 "
          "R<3>;\n"
          "mov.u64 %w1, from; ld.global.v2.u32 V, [%w1]; ld.global.v2.b32 W, [%w1+8];"
          "st.global.v2.u32 [%out], W; add.u32 W.x, V.x, V.g; st.global.v2.u32 [%out+8], {W.r, W.y};"
          // Elements are read before any is written.
          "mov.v2.u32 V, {V.y, V.x}; st.global.v2.u32 [%out+16], V; mov.v2.b32 W, V;"
          "mov.v2.u32 {%r1, %r2}, W; mov.v2.u32 V, {%r2, 77}; st.global.v2.b32 [%out+24], V;"
          "ld.global.v4.f32 Q, [%w1+16]; mov.v4.f32 P, Q; st.global.v4.f32 [%out+32], P;"
          "st.global.v4.f32 [%out+48], {P.a, Q.b, P.g, Q.x};"
          // Packing and unpacking.
          "mov.b64 %w2, V; st.global.u64 [%out+64], %w2; mov.b64 V, 0x0000000500000006;"
          "st.global.v2.u32 [%out+72], V; mov.b64 H, 0x0004000300020001; mov.b64 %w3, {H.w, H.z, H.y, H.x};"
          "st.global.u64 [%out+80], %w3; mov.b64 D.x, %w3; mov.v2.b64 D, {D.x, %w2};"
          "st.global.v2.b64 [%out+96], D; ld.global.v4.u32 R1, [%w1]; mov.v4.u32 R2, R1;"
          "st.global.u32 [%out+88], R2.z; st.global.v4.b32 [%out+112], R2;"
          "mov.v4.u32 R0, %ntid; st.global.v4.u32 [%out+128], R0; mov.u32 %r3, %tid.w;"
          "{ .reg .u32 V; mov.u32 V, 9; st.global.u32 [%out+92], V; }",
      .shape = {{1, 1, 1}, {1, 1, 1}, 0},
      .words = 36};
  const auto out = run(fragment);
  const std::vector<std::uint32_t> expected{
      3, 4, 3,           4,           2, 1, 1,           77,          5, 6,  7, 8, 8, 7, 6, 5, 1, 77,
      6, 5, 0x0003'0004, 0x0001'0002, 3, 9, 0x0003'0004, 0x0001'0002, 1, 77, 1, 2, 3, 4, 1, 1, 1, 0};
  EXPECT_EQ(out, expected);
  expect_same_on_the_oracle(fragment, expected);
}

TEST(IsaMove, VectorMovesOfEveryType) {
  const Fragment fragment{
      .body =
          ".reg .v2 .b16 H; .reg .v2 .b32 R; .reg .v2 .b64 W; .reg .v2 .f32 F; .reg .v2 .f64 D; .reg .v4 "
          ".b16 "
          "G;\n"
          "mov.v2.b16 H, {1, 2}; mov.v2.u16 H, {H.y, H.x}; mov.v2.s16 H, H; mov.b32 %r1, H;"
          "st.global.u32 [%out], %r1; mov.v2.b32 R, {3, 4}; mov.v2.u32 R, {R.y, R.x}; mov.v2.s32 R, R;"
          "st.global.v2.u32 [%out+8], R; mov.v2.b64 W, {5, 6}; mov.v2.u64 W, {W.y, W.x}; mov.v2.s64 W, W;"
          "st.global.v2.u64 [%out+16], W; mov.v2.f32 F, {0f3F800000, 0f40000000}; st.global.v2.f32 "
          "[%out+32], F; mov.v2.f64 D, {0d3FF0000000000000, 0d4000000000000000}; st.global.v2.f64 [%out+48], "
          "D;"
          "mov.v4.b16 G, {H.x, H.y, 7, 8}; mov.b64 %w1, G; st.global.u64 [%out+40], %w1;",
      .shape = {{1, 1, 1}, {1, 1, 1}, 0},
      .words = 16};
  const auto out = run(fragment);
  const std::vector<std::uint32_t> expected{
      0x0001'0002, 0,           4,           3,           6, 0,           5, 0,
      0x3f80'0000, 0x4000'0000, 0x0001'0002, 0x0008'0007, 0, 0x3ff0'0000, 0, 0x4000'0000};
  EXPECT_EQ(out, expected);
  expect_same_on_the_oracle(fragment, expected);
}

TEST(IsaMove, GenericAddressesGoThereAndBack) {
  const auto out = run(
      {.module = ".global .b32 g = 1; .const .b32 c = 2; .shared .b32 s;",
       .body =
           ".local .b32 l;\nmov.u32 %r9, 3; st.shared.u32 [s], %r9; mov.u32 %r9, 4; st.local.u32 [l], %r9;"
           "mov.u64 %w1, g; mov.u64 %w2, c; mov.u64 %w3, s; mov.u64 %w4, l;"
           "cvta.global.u64 %w1, %w1; cvta.const.u64 %w2, %w2; cvta.shared.u64 %w5, %w3;"
           "cvta.shared::cta.u64 %w3, %w3; cvta.local.u64 %w4, %w4;"
           "ld.u32 %r1, [%w1]; ld.u32 %r2, [%w2]; ld.u32 %r3, [%w3]; ld.u32 %r4, [%w4];"
           "cvta.to.global.u64 %w1, %w1; cvta.to.const.u64 %w2, %w2; cvta.to.shared.u64 %w3, %w3;"
           "cvta.to.shared::cta.u64 %w5, %w5; cvta.to.local.u64 %w4, %w4;"
           "ld.global.u32 %r5, [%w1]; ld.const.u32 %r6, [%w2]; ld.shared.u32 %r7, [%w3];"
           "ld.shared::cta.u32 %r10, [%w5]; ld.local.u32 %r8, [%w4];"
           "isspacep.shared::cta %p1, %w1; selp.u32 %r11, 1, 0, %p1;"
           "st.global.v4.u32 [%out], {%r1, %r2, %r3, %r4}; st.global.v4.u32 [%out+16], {%r5, %r6, %r7, %r8};"
           "st.global.v2.u32 [%out+32], {%r10, %r11};"});
  EXPECT_THAT(std::vector<std::uint32_t>(out.begin(), out.begin() + 10),
              ::testing::ElementsAre(1, 2, 3, 4, 1, 2, 3, 4, 3, 0));
}

TEST(IsaMove, ParametersOfAllTypesAndVectors) {
  const auto out = run(
      {.body = "ld.param.v2.u32 {%r1, %r2}, [out]; ld.param::entry.u64 %w1, [out]; ld.param.b8 %h1, [out+1];"
               "mov.b64 %w2, {%r1, %r2}; sub.u64 %w3, %w2, %w1; st.global.u64 [%out], %w3;"
               "shr.u64 %w4, %w1, 8; cvt.u32.u64 %r3, %w4; and.b32 %r3, %r3, 255; cvt.u32.u16 %r4, %h1;"
               "sub.u32 %r3, %r3, %r4; st.global.u32 [%out+8], %r3; mov.u32 %r5, 1; st.global.u32 [%out+12], "
               "%r5;"});
  EXPECT_EQ(out[0] | out[1] | out[2], 0u);
  EXPECT_EQ(out[3], 1u);
}

TEST(IsaMove, ParametersHaveGenericAddresses) {
  const auto out =
      run({.body = "mov.b64 %w1, out; cvta.param.u64 %w2, %w1; ld.u64 %w3, [%w2]; sub.u64 %w3, %w3, %out;"
                   "cvta.param::entry.u64 %w4, out; ld.global.u32 %r1, [%w4+4]; shr.u64 %w5, %out, 32;"
                   "cvt.u32.u64 %r2, %w5; sub.u32 %r3, %r1, %r2; cvta.to.param.u64 %w6, %w4;"
                   "cvta.to.param::entry.u64 %w7, %w2; ld.param.u64 %w8, [%w6]; sub.u64 %w8, %w8, %out;"
                   "st.global.u64 [%out], %w3; st.global.u32 [%out+8], %r3; st.global.u64 [%out+16], %w7;"
                   "st.global.u64 [%out+24], %w8; mov.u32 %r4, 1; st.global.u32 [%out+32], %r4;"
                   "isspacep.param %p1, %w2; isspacep.param::entry %p2, %w4; isspacep.param %p3, %out;"
                   "selp.u32 %r5, 1, 0, %p1; selp.u32 %r6, 2, 0, %p2; selp.u32 %r7, 4, 0, %p3;"
                   "or.b32 %r5, %r5, %r6; or.b32 %r5, %r5, %r7; st.global.u32 [%out+36], %r5;"});
  EXPECT_THAT(std::vector<std::uint32_t>(out.begin(), out.begin() + 10),
              ::testing::ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 1, 3));
}

TEST(IsaMove, BranchesEventsAndEnds) {
  const auto out = run(
      {.body =
           "pmevent 3; pmevent.mask 5; bra.uni A; st.global.u32 [%mine], 9;\nA: setp.eq.u32 %p1, %t, 1;"
           "st.global.u32 [%mine], 7; @%p1 exit; setp.eq.u32 %p2, %t, 2; @%p2 ret; st.global.u32 [%mine], 8;"
           "bar.warp.sync -1; bar.cta.sync 0; barrier.cta.sync 1; barrier.cta.sync.aligned 2, 32;"
           "bar.cta.arrive 3, 64; barrier.cta.arrive.aligned 4, 64;"
           "bar.cta.red.and.pred %p3, 5, %p1; bar.cta.red.popc.u32 %r1, 5, %p1; barrier.cta.red.popc.u32 "
           "%r1, 5, %p1;"
           "fence.sc.cta; fence.acquire.gpu; fence.release.sys; fence.sc.cluster; fence.acq_rel.gpu;"
           "vote.all.pred %p5, %p1; ret.uni;"});
  EXPECT_EQ(out[0], 8u);
  EXPECT_EQ(out[1], 7u);
  EXPECT_EQ(out[2], 7u);
  EXPECT_EQ(out[3], 8u);
}

}  // namespace
}  // namespace heddle::testing::isa_move_test
