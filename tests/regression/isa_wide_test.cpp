// Accesses of more than 64 bits: vectors, 128-bit registers, fragments of matrices; loads, stores and atomics.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "isa_support.h"

namespace heddle::testing::isa_wide_test {
namespace {

TEST(IsaWide, WideMovesAndLoads) {
  const Fragment fragment(
      {.module = ".shared .align 16 .b8 wide[16];",
       .body = ".local .align 16 .b8 own[16]; .reg .b128 %q; .reg .f64 %e<5>; mov.u64 %w1, 5; mov.u64 %w2, "
               "7; mov.b128 %q, {%w1, %w2};"
               "setp.eq.u32 %p1, %t, 0; @!%p1 bra DONE; st.b128 [%out], %q; ld.b128 %q, [%out];"
               "st.shared.b128 [wide], %q; ld.shared::cta.b128 %q, [wide]; st.shared::cta.b128 [wide], %q;"
               "ld.shared.b128 %q, [wide]; st.local.b128 [own], %q; ld.local.b128 %q, [own];"
               "st.global.b128 [%out], %q; ld.global.b128 %q, [%out];"
               "mov.b128 {%w3, %w4}, %q; st.global.u64 [%out+64], %w4; mov.f64 %e1, 0d3ff0000000000000;"
               "st.global.v4.f64 [%out+96], {%e1, %e1, %e1, %e1}; ld.global.v4.f64 {%e1, %e2, %e3, %e4}, "
               "[%out+96];"
               "add.f64 %e1, %e1, %e4; st.global.f64 [%out+32], %e1;\nDONE:",
       .words = 64});
  for (const auto& out : {run(fragment), on_oracle(fragment)}) {
    EXPECT_EQ(out[0], 5u);
    EXPECT_EQ(out[2], 7u);
    EXPECT_EQ(out[16], 7u);
    EXPECT_EQ(out[9], 0x4000'0000u);
  }
}

TEST(IsaWide, EightElementsAndHintsOfWideAccesses) {
  const Fragment fragment(
      {.body =
           ".reg .b128 %q; .reg .b32 %x<16>; .reg .f32 %y<8>; mov.b64 %w9, 0; setp.eq.u32 %p1, %t, 0; @!%p1 "
           "bra DONE;"
           "mov.u32 %x0, 1; mov.u32 %x1, 2; mov.u32 %x2, 3; mov.u32 %x3, 4; mov.u32 %x4, 5; mov.u32 %x5, 6;"
           "mov.u32 %x6, 7; mov.u32 %x7, 8;"
           "st.global.v8.b32 [%out], {%x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7};"
           "ld.global.nc.L1::evict_last.L2::256B.v8.u32 {%x8, %x9, %x10, %x11, %x12, %x13, %x14, %x15}, "
           "[%out];"
           "st.L1::evict_first.L2::cache_hint.v8.s32 [%out+32], {%x15, %x14, %x13, %x12, %x11, %x10, %x9, "
           "%x8}, %w9;"
           "st.L1::no_allocate.v8.u32 [%out+64], {%x15, %x14, %x13, %x12, %x11, %x10, %x9, %x8};"
           "st.L1::evict_normal.v8.u32 [%out+64], {%x15, %x14, %x13, %x12, %x11, %x10, %x9, %x8};"
           "st.L1::evict_unchanged.v8.u32 [%out+64], {%x15, %x14, %x13, %x12, %x11, %x10, %x9, %x8};"
           "st.L1::evict_last.v8.u32 [%out+64], {%x15, %x14, %x13, %x12, %x11, %x10, %x9, %x8};"
           "ld.L1::evict_first.L2::64B.v8.b32 {%x8, %x9, %x10, %x11, %x12, %x13, %x14, %x15}, [%out];"
           "ld.L1::evict_normal.L2::128B.v8.s32 {%x8, %x9, %x10, %x11, %x12, %x13, %x14, %x15}, [%out];"
           "ld.L1::evict_unchanged.v8.s32 {%x8, %x9, %x10, %x11, %x12, %x13, %x14, %x15}, [%out];"
           "ld.L1::no_allocate.L2::cache_hint.v8.f32 {%y0, %y1, %y2, %y3, %y4, %y5, %y6, %y7}, [%out], %w9;"
           "st.v8.f32 [%out+96], {%y7, %y6, %y5, %y4, %y3, %y2, %y1, %y0};"
           "ld.global.nc.L1::evict_first.L2::cache_hint.L2::64B.b128 %q, [%out+96], %w9;"
           "ld.L1::evict_last.L2::128B.b128 %q, [%out+96]; ld.L1::evict_normal.L2::256B.b128 %q, [%out+96];"
           "ld.L1::evict_unchanged.b128 %q, [%out+96]; ld.L1::no_allocate.b128 %q, [%out+96];"
           "st.L1::evict_first.L2::cache_hint.b128 [%out+128], %q, %w9; st.L1::evict_last.b128 [%out+128], "
           "%q;"
           "st.L1::evict_normal.b128 [%out+128], %q; st.L1::evict_unchanged.b128 [%out+128], %q;"
           "st.L1::no_allocate.b128 [%out+128], %q;\nDONE:",
       .words = 64});
  for (const auto& out : {run(fragment), on_oracle(fragment)})
    for (unsigned i = 0; i < 8; ++i) {
      EXPECT_EQ(out[i], i + 1);
      EXPECT_EQ(out[8 + i], 8 - i);
      EXPECT_EQ(out[24 + i], 8 - i);
      EXPECT_EQ(out[32 + i], i < 4 ? 8 - i : 0);
    }
}

TEST(IsaWide, AtomicsOfVectorsAreOnesOfTheirElements) {
  // 32 threads add to the same elements; a result may be an operand of a later element.
  const Fragment fragment(
      {.body =
           ".reg .f32 %y<9>; .reg .b16 %z<9>; .reg .b32 %x<9>; mov.b64 %w9, 0; mov.f32 %y1, 0f3f800000;"
           "mov.f32 %y2, 0f40000000; mov.f32 %y3, 0f3f000000; mov.f32 %y4, 0f40800000;"
           "mov.b16 %z1, 0x3c00; mov.b16 %z2, 0x4000; mov.b16 %z3, 0x3f80; mov.b16 %z4, 0x4000;"
           "mov.b32 %x1, 0x40003c00; mov.b32 %x2, 0x40003f80; mov.b32 %x5, 0;"
           "red.global.add.v4.f32 [%out], {%y1, %y2, %y3, %y4};"
           "red.release.gpu.add.L2::cache_hint.v2.f32 [%out], {%y1, %y2}, %w9;"
           "atom.global.add.v2.f32 {%y2, %y5}, [%out+16], {%y1, %y2};"
           "atom.acq_rel.gpu.global.add.L2::cache_hint.v4.f32 {%y5, %y6, _, %y8}, [%out+16], {%y1, %y1, %y1, "
           "%y1}, %w9;"
           "red.global.add.noftz.v2.f16 [%out+32], {%z1, %z2}; red.add.noftz.v4.bf16 [%out+40], {%z3, %z4, "
           "%z3, %z4};"
           "red.add.noftz.L2::cache_hint.v8.f16 [%out+48], {%z1, %z2, %z1, %z2, %z1, %z2, %z1, %z2}, %w9;"
           "atom.global.add.noftz.v2.f16 {%z5, %z6}, [%out+36], {%z1, %z2};"
           "atom.add.noftz.v4.bf16 {%z5, %z6, %z7, %z8}, [%out+64], {%z3, %z4, %z3, %z4};"
           "atom.add.noftz.L2::cache_hint.v8.bf16 {%z5, %z6, %z7, %z8, _, _, _, _}, [%out+80], {%z3, %z4, "
           "%z3, %z4, "
           "%z3, %z4, %z3, %z4}, %w9;"
           "red.add.noftz.L2::cache_hint.v2.f16x2 [%out+96], {%x1, %x1}, %w9; red.global.add.noftz.v4.bf16x2 "
           "[%out+112], "
           "{%x2, %x2, %x2, %x2};"
           "atom.add.noftz.L2::cache_hint.v2.f16x2 {%x3, %x4}, [%out+96], {%x1, %x5}, %w9;"
           "atom.global.add.noftz.v4.bf16x2 {%x3, %x4, %x6, %x7}, [%out+112], {%x2, %x5, %x2, %x5};",
       .words = 64});
  for (const auto& out : {run(fragment), on_oracle(fragment)}) {
    const auto single = [&](unsigned i) { return std::bit_cast<float>(out[i]); };
    EXPECT_EQ(single(0), 64);
    EXPECT_EQ(single(1), 128);
    EXPECT_EQ(single(2), 16);
    EXPECT_EQ(single(3), 128);
    EXPECT_EQ(single(4), 64);
    EXPECT_EQ(single(5), 96);  // 32 times 2, and 32 times 1: of before the first element's result
    EXPECT_EQ(single(7), 32);
    EXPECT_EQ(out[8], 0x5400'5000u);   // f16: 64, 32
    EXPECT_EQ(out[10], 0x4280'4200u);  // bf16: 64, 32
    EXPECT_EQ(out[15], 0x5400'5000u);
    EXPECT_EQ(out[23], 0x4280'4200u);
    EXPECT_EQ(out[24], 0x5800'5400u);
    EXPECT_EQ(out[25], 0x5400'5000u);
    EXPECT_EQ(out[31], 0x4280'4200u);
    EXPECT_EQ(out[30], 0x4300'4280u);
  }
}

TEST(IsaWide, MatricesGoIntoSharedMemoryAsTheyComeOut) {
  // What ldmatrix has read, stmatrix writes elsewhere, transposed and not, at every kind of address.
  const Fragment fragment(
      {.module = ".shared .align 16 .b8 tile[512]; .shared .align 16 .b8 other[1536];",
       .body = "mov.u32 %r1, tile; mad.lo.u32 %r2, %t, 16, %r1; mul.lo.u32 %r3, %t, 0x00070003; add.u32 %r3, "
               "%r3, 0x10001;"
               "st.shared.u32 [%r2], %r3; add.u32 %r3, %r3, 0x00110013; st.shared.u32 [%r2+4], %r3;"
               "add.u32 %r3, %r3, 0x01010071; st.shared.u32 [%r2+8], %r3; add.u32 %r3, %r3, 0x01710011;"
               "st.shared.u32 [%r2+12], %r3; bar.sync 0;"
               "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r6, %r7, %r8, %r9}, [%r2];"
               "mov.u32 %r10, other; mad.lo.u32 %r11, %t, 16, %r10;"
               "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r11], {%r6, %r7, %r8, %r9};"
               "stmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 [%r11+512], {%r6, %r7};"
               "cvta.shared.u64 %w1, 0; cvt.u64.u32 %w2, %r11; add.u64 %w1, %w1, %w2;"
               "stmatrix.sync.aligned.m8n8.x1.b16 [%w1+1024], {%r9}; bar.sync 0;"
               // Row r of matrix 0 of the transposed ones, read back transposed, is what was written.
               "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r12, %r13}, [%r11+512];"
               "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r14}, [%r11+1024];"
               "ld.shared.u32 %r15, [%r11+8]; ld.shared.u32 %r16, [%r2+8]; sub.u32 %r15, %r15, %r16;"
               "sub.u32 %r12, %r12, %r6; sub.u32 %r13, %r13, %r7; sub.u32 %r14, %r14, %r9; or.b32 %r12, "
               "%r12, %r13;"
               "or.b32 %r12, %r12, %r14; or.b32 %r12, %r12, %r15; st.global.u32 [%mine], %r12;"
               "st.global.u32 [%mine+128], %r16;",
       .words = 64});
  for (const auto& out : {run(fragment), on_oracle(fragment)}) {
    for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(out[lane], 0u) << lane;
    EXPECT_NE(out[32 + 5], 0u);
  }
}

TEST(IsaWide, AtomicsOf128BitsTakeTurns) {
  // 64 threads count both halves up by comparing and swapping, and exchange what they find at another place.
  const Fragment fragment(
      {.module = ".shared .align 16 .b8 wide[16]; .global .align 16 .b64 counted[2];",
       .body = ".reg .b128 %q; .reg .b128 %u; .reg .b128 %v; mov.u64 %w1, counted; ld.global.v2.u64 {%w2, "
               "%w3}, [%w1];\n"
               "AGAIN: add.u64 %w4, %w2, 1; add.u64 %w5, %w3, 2; mov.b128 %q, {%w2, %w3}; mov.b128 %u, {%w4, "
               "%w5};"
               "atom.global.cas.b128 %v, [%w1], %q, %u; mov.b128 {%w6, %w7}, %v;"
               "setp.ne.u64 %p1, %w6, %w2; setp.ne.or.u64 %p1, %w7, %w3, %p1; mov.u64 %w2, %w6; mov.u64 %w3, "
               "%w7; @%p1 bra AGAIN;"
               "cvt.u64.u32 %w4, %t; add.u64 %w4, %w4, 1; mov.b128 %q, {%w4, %w4}; atom.exch.b128 %u, "
               "[%out+32], %q;"
               "mov.b128 {%w6, %w7}, %u; red.global.add.u64 [%out+16], %w6; red.global.add.u64 [%out+24], "
               "%w7; bar.sync 0;"
               "ld.relaxed.gpu.global.b128 %v, [%w1]; st.global.b128 [%out], %v; setp.ne.u32 %p1, %t, 0; "
               "@%p1 bra DONE;"
               "mov.b64 %w9, 0;"
               "atom.relaxed.cta.global.exch.b128 %u, [%out+64], %q;"
               "atom.acquire.cluster.exch.L2::cache_hint.b128 %u, [%out+64], %q, %w9;"
               "atom.release.gpu.global.exch.b128 %u, [%out+64], %q;"
               "atom.acq_rel.sys.exch.b128 %u, [%out+64], %q;"
               "atom.shared.exch.b128 %u, [wide], %q; atom.shared::cta.exch.b128 %u, [wide], %q;"
               "atom.relaxed.cta.global.cas.b128 %u, [%out+64], %q, %q;"
               "atom.acquire.cluster.cas.b128 %u, [%out+64], %q, %q;"
               "atom.release.gpu.global.cas.b128 %u, [%out+64], %q, %q;"
               "atom.acq_rel.sys.cas.b128 %u, [%out+64], %q, %q;"
               "atom.shared.cas.b128 %u, [wide], %q, %q; atom.shared::cta.cas.b128 %u, [wide], %q, %q;"
               "st.relaxed.cta.global.b128 [%out+64], %q;"
               "ld.relaxed.cta.global.b128 %u, [%out+64];"
               "st.release.cluster.shared.b128 [wide], %q;"
               "ld.acquire.cluster.shared.b128 %u, [wide];"
               "st.relaxed.gpu.shared::cta.b128 [wide], %q;"
               "ld.relaxed.gpu.shared::cta.b128 %u, [wide];"
               "st.release.sys.b128 [%out+64], %q;"
               "ld.acquire.sys.b128 %u, [%out+64];"
               "st.global.b128 [%out+80], %u;\nDONE:",
       .shape = {{1, 1, 1}, {64, 1, 1}, 0},
       .words = 64,
       .timed = true});
  for (const auto& out : {run(fragment), on_oracle(fragment)}) {
    EXPECT_EQ(out[0], 64u);
    EXPECT_EQ(out[2], 128u);
    EXPECT_EQ(out[4] + out[8], 64u * 65 / 2);  // every number was put there once and found once, but the last
    EXPECT_EQ(out[6] + out[10], 64u * 65 / 2);
    EXPECT_EQ(out[8], out[10]);
    EXPECT_EQ(out[20], 1u);
  }
}

TEST(IsaWide, AtomicsTakeSubscriptedAddresses) {
  // An address that is computed stays what it is while the results come, whatever registers they have.
  const Fragment fragment(
      {.module = ".global .align 16 .b64 a[64]; .global .align 16 .b32 b[64];",
       .body = ".reg .b128 %q; .reg .b128 %u; .reg .b128 %v; setp.ne.u32 %p1, %t, 0; @%p1 bra DONE;"
               "mov.u64 %w1, 5; mov.u64 %w2, 6; mov.b128 %v, {%w1, %w2}; mov.u32 %r1, 10; mov.u32 %r2, 8;"
               "atom.global.exch.b128 %q, a[%r1], %v; ld.global.v2.u64 {%w3, %w4}, [a+80]; st.global.v2.u64 "
               "[%out], {%w3, %w4};"
               "mov.u64 %w3, 7; mov.b128 %u, {%w3, %w1}; atom.global.cas.b128 %q, a[%r1], %v, %u;"
               "mov.b128 {%w5, %w6}, %q; st.global.v2.u64 [%out+16], {%w5, %w6};"
               "st.relaxed.gpu.global.b128 a[%r2], %v; ld.global.v2.u64 {%w7, %w8}, [a+64]; ld.global.v2.u64 "
               "{%w3, %w4}, [a+80];"
               "st.global.v2.u64 [%out+32], {%w3, %w4}; st.global.v2.u64 [%out+48], {%w7, %w8};"
               "mov.u32 %r11, 0; st.global.v2.u32 [b+16], {%r11, %r11}; mov.u32 %r3, 0x3c00; mov.u32 %r4, "
               "0x4000; mov.u32 %r5, 4; atom.global.add.noftz.v2.f16x2 "
               "{%r5, %r6}, b[%r5], {%r3, %r4};"
               "ld.global.v2.u32 {%r7, %r8}, [b+16]; st.global.v4.u32 [%out+64], {%r5, %r6, %r7, %r8};"
               "mov.u64 %w9, b; cvt.u32.u64 %r9, %w9; atom.global.add.noftz.v2.f16x2 {%r9, %r10}, [%r9+16], "
               "{%r3, %r4};"
               "ld.global.v2.u32 {%r7, %r8}, [b+16]; st.global.v4.u32 [%out+80], {%r9, %r10, %r7, %r8};\n"
               "DONE:"});
  const std::vector<std::uint32_t> want = {5, 0, 6, 0, 5, 0, 6,      0,      7,      0,      5,      0,
                                           5, 0, 6, 0, 0, 0, 0x3c00, 0x4000, 0x3c00, 0x4000, 0x4000, 0x4400};
  for (const auto& out : {run(fragment), on_oracle(fragment)})
    for (std::size_t i = 0; i < want.size(); ++i) EXPECT_EQ(out[i], want[i]) << i;
}

TEST(IsaWide, AtomicsOfVectorsHaveEveryOrderAndScope) {
  constexpr const char* kOrders[] = {"relaxed", "acquire", "release", "acq_rel"};
  constexpr const char* kScopes[] = {"cta", "cluster", "gpu", "sys"};
  std::string body =
      ".reg .f32 %y<3>; .reg .b16 %z<3>; .reg .b32 %x<3>; mov.f32 %y0, 0f3f800000; mov.b16 %z0, 0x3c00;"
      "mov.b32 %x0, 0x3c003c00;";
  for (int i = 0; i < 4; ++i) {
    const std::string order = std::string(".") + kOrders[i] + "." + kScopes[i];
    body += "atom" + order + ".global.add.v2.f32 {%y1, %y2}, [%out], {%y0, %y0};";
    body += "atom" + order + ".global.add.noftz.v2.f16 {%z1, %z2}, [%out+8], {%z0, %z0};";
    body += "atom" + order + ".global.add.noftz.v2.f16x2 {%x1, %x2}, [%out+16], {%x0, %x0};";
    const std::string released = std::string(".") + kOrders[i / 2 * 2] + "." + kScopes[i];
    body += "red" + released + ".global.add.v2.f32 [%out], {%y0, %y0};";
    body += "red" + released + ".global.add.noftz.v2.f16 [%out+8], {%z0, %z0};";
    body += "red" + released + ".global.add.noftz.v2.f16x2 [%out+16], {%x0, %x0};";
  }
  const Fragment fragment{.body = body};
  for (const auto& out : {run(fragment), on_oracle(fragment)}) {
    EXPECT_EQ(std::bit_cast<float>(out[0]), 256);
    EXPECT_EQ(std::bit_cast<float>(out[1]), 256);
    for (const unsigned word : {2u, 4u, 5u}) EXPECT_EQ(out[word], 0x5c00'5c00u) << word;
  }
}

/// D = A x B + C of f64 with 16 rows, in the fragments of the PTX ISA.
void check_wide_product(unsigned k) {
  const unsigned steps = k / 4;
  const auto list = [](const char* name, unsigned count) {
    std::string text;
    for (unsigned i = 0; i < count; ++i)
      text += (i == 0 ? "%" : ", %") + std::string(name) + std::to_string(i);
    return "{" + text + "}";
  };
  std::string body = ".reg .f64 %a<8>, %b<4>, %c<4>; cvt.rn.f64.u32 %d0, %t;";
  const auto number = [](double value) {
    return "0d" + [&] {
      constexpr const char* kDigits = "0123456789abcdef";
      std::string text(16, '0');
      const auto bits = std::bit_cast<std::uint64_t>(value);
      for (unsigned i = 0; i < 16; ++i) text[i] = kDigits[bits >> (60 - 4 * i) & 15];
      return text;
    }();
  };
  const auto fill = [&](const char* name, unsigned count, double factor, double first) {
    for (unsigned i = 0; i < count; ++i)
      body += "fma.rn.f64 %" + std::string(name) + std::to_string(i) + ", %d0, " + number(factor) + ", " +
              number(first + i) + ";";
  };
  // Values whose products and sums round.
  constexpr double kA = 0.3, kB = -1.7, kC = 0.07, kFirstA = -7.1, kFirstB = 20.3, kFirstC = 1e-3;
  fill("a", 2 * steps, kA, kFirstA);
  fill("b", steps, kB, kFirstB);
  fill("c", 4, kC, kFirstC);
  body += "mma.sync.aligned.m16n8k" + std::to_string(k) + ".row.col.f64.f64.f64.f64 " + list("c", 4) + ", " +
          list("a", 2 * steps) + ", " + list("b", steps) + ", " + list("c", 4) +
          "; mul.wide.u32 %w1, %t, 32; add.u64 %w1, %w1, %out; st.global.v4.f64 [%w1], " + list("c", 4) + ";";
  const Fragment fragment{.body = body, .words = 256};
  unsigned reversed_differ = 0, unfused_differ = 0;
  for (const auto& out : {run(fragment), on_oracle(fragment)})
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < 4; ++i) {
        const unsigned row = lane / 4 + i / 2 * 8, column = 2 * (lane % 4) + i % 2;
        const auto a = [&](unsigned j) {
          return std::fma(row % 8 * 4 + j % 4, kA, kFirstA + (2 * (j / 4) + row / 8));
        };
        const auto b = [&](unsigned j) { return std::fma(column * 4 + j % 4, kB, kFirstB + j / 4); };
        double sum = std::fma(lane, kC, kFirstC + i), reversed = sum;
        volatile double unfused = sum;
        for (unsigned j = 0; j < k; ++j) {
          sum = std::fma(a(j), b(j), sum);
          reversed = std::fma(a(k - 1 - j), b(k - 1 - j), reversed);
          const volatile double product = a(j) * b(j);
          unfused = unfused + product;
        }
        reversed_differ += reversed != sum ? 1 : 0;
        unfused_differ += unfused != sum ? 1 : 0;
        const std::uint64_t low = out[8 * lane + 2 * i], high = out[8 * lane + 2 * i + 1];
        ASSERT_EQ(std::bit_cast<double>(low | high << 32), sum) << k << ", lane " << lane << ", " << i;
      }
  EXPECT_GT(reversed_differ, 0u);
  EXPECT_GT(unfused_differ, 0u);
}

TEST(IsaWide, ProductsOfSixteenRowsOfDoubles) {
  for (const unsigned k : {4u, 8u, 16u}) check_wide_product(k);
}

}  // namespace
}  // namespace heddle::testing::isa_wide_test
