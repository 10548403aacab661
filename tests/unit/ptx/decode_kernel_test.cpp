// Properties of a whole kernel: registers, limits, live registers, source.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/ptx/support.h"

namespace heddle::ptx::testing::decode_kernel_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(PtxDecodeKernel, registers_are_numbered_by_kind_in_order_of_first_use) {
  const auto k = kernel(
      "mov.u64 %rd2, 1; mov.u32 %r7, 1; setp.eq.s32 %p1, %r7, 1; mov.u16 %rs1, 1; mov.f64 %fd1, %fd2;");
  EXPECT_THAT(k->register_names, ElementsAre("%r7", "%rs1", "%rd2", "%fd1", "%fd2", "%p1"));
  EXPECT_EQ(k->registers.rows32, 2u);
  EXPECT_EQ(k->registers.rows64, 3u);
  EXPECT_EQ(k->registers.predicates, 1u);
  EXPECT_EQ(k->code[0].dst[0].offset, k->registers.offset64(0));
  EXPECT_EQ(k->code[0].dst[0].reg, 2);
  EXPECT_EQ(k->code[2].dst[0].offset, k->registers.offset_predicate(0));
}

TEST(PtxDecodeKernel, inner_scopes_hide_outer_names) {
  const auto k = kernel("mov.u32 %r1, 1; { .reg .b32 %r<2>; mov.u32 %r1, 2; } add.u32 %r2, %r1, 0;");
  EXPECT_EQ(k->registers.rows32, 3u);
  OneWarp warp(k);
  warp.run();
  EXPECT_EQ(warp.get("%r2"), 1u);
}

TEST(PtxDecodeKernel, inline_assembly_with_its_own_predicate) {
  const auto k = kernel("{ .reg .pred q; setp.ne.b32 q, %r1, 0; selp.u32 %r2, 1, 0, q; }");
  EXPECT_EQ(k->registers.predicates, 1u);
}

TEST(PtxDecodeKernel, ranges_and_names_that_end_in_digits_do_not_mix) {
  const auto k = kernel(".reg .b64 %r1<5>; mov.u64 %r14, 1; mov.u32 %r2, 1;");
  EXPECT_EQ(k->registers.rows64, 1u)
      << "%r14 is the fifth of %r1<5>; %r<19> has it too: either is well-typed or fails";
}

TEST(PtxDecodeKernel, vector_registers_have_elements) {
  const auto k = kernel(".reg .v2 .b32 q; mov.u32 q.x, 3; add.u32 q.y, q.x, 1;");
  OneWarp warp(k);
  warp.run();
  EXPECT_EQ(warp.get("q.y"), 4u);
}

TEST(PtxDecodeKernel, live_registers_at_loop_heads) {
  const auto k = kernel(
      "mov.u32 %r1, 0; mov.u32 %r2, 9; mov.u32 %r3, 1; LOOP: add.s32 %r1, %r1, %r3;"
      "setp.lt.s32 %p1, %r1, %r2; @%p1 bra LOOP; st.global.u32 [64], %r1; ret;");
  ASSERT_EQ(k->live_at_loop_heads.size(), 1u);
  std::vector<std::string> names;
  for (const isa::RegId r : k->live_at_loop_heads.at(3)) names.push_back(k->register_names[r]);
  EXPECT_THAT(names, ElementsAre("%r1", "%r2", "%r3"));
  EXPECT_EQ(k->registers_per_thread, 3u);
}

TEST(PtxDecodeKernel, limits_of_the_launch) {
  const auto m = decode_module(std::string(kHeader) +
                               ".entry a() .maxntid 64, 2 {ret;}\n.entry b() .reqntid 32 {ret;}\n"
                               ".entry c() .minnctapersm 2 .maxnreg 32 {ret;}");
  EXPECT_EQ(m.find("a")->max_threads_per_cta, 128u);
  EXPECT_EQ(m.find("a")->required_block, std::nullopt);
  EXPECT_EQ(m.find("b")->max_threads_per_cta, 0u);
  EXPECT_EQ(m.find("b")->required_block, (std::array<std::uint32_t, 3>{32, 1, 1}));
  EXPECT_EQ(m.find("c")->max_threads_per_cta, 0u);
  EXPECT_EQ(m.find("c")->registers_per_thread, 1u);
}

TEST(PtxDecodeKernel, limits_of_the_launch_have_one_to_three_dimensions) {
  EXPECT_THAT(error_of(std::string(kHeader) + ".entry a() .reqntid 8, 4, 2, 1 {ret;}"),
              HasSubstr("directive '.reqntid' of kernel 'a' takes one to three numbers"));
}

TEST(PtxDecodeKernel, refused_ones_are_kept_with_their_errors) {
  const auto m = decode_module(
      std::string(kHeader) + ".entry good() { ret; }\n.entry bad() { wmma.x; }\n.entry last() { ret; }",
      Kernels::kAny);
  ASSERT_EQ(m.kernels.size(), 2u);
  ASSERT_EQ(m.refused.size(), 1u);
  EXPECT_EQ(m.refused[0].name, "bad");
  EXPECT_THAT(m.refused[0].why->where(), "test.ptx:5:16");
  EXPECT_EQ(m.find("bad"), nullptr);
  EXPECT_THROW((void)m.find_or_refuse("bad"), base::InputError);
  EXPECT_EQ(m.find_or_refuse("last")->name, "last");
  EXPECT_EQ(m.kernel_names(), "good, last, bad (refused)");
}

TEST(PtxDecodeKernel, device_functions_and_declarations_are_no_kernels) {
  const auto m =
      decode_module(std::string(kHeader) +
                    ".func f() { tex.1d.v4.f32.s32 {a,b,c,d}, [t, {e}]; }\n.entry k();\n.entry k() { ret; }");
  ASSERT_EQ(m.kernels.size(), 1u);
  EXPECT_EQ(m.kernels[0]->name, "k");
  EXPECT_EQ(m.version, "7.0");
  EXPECT_EQ(m.target, "sm_75");
}

TEST(PtxDecodeKernel, instructions_know_their_line) {
  const auto k = kernel("mov.u32 %r1, 1;\n  mov.u32 %r2, 2;");
  EXPECT_EQ(k->source_line(base::Pc(1)), "mov.u32 %r2, 2;");
  EXPECT_THAT(k->location(base::Pc(1)), HasSubstr("test.ptx:7"));
}

}  // namespace
}  // namespace heddle::ptx::testing::decode_kernel_test
