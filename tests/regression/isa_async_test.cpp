// Asynchronous copies, mbarriers, matrix instructions: what the memory side and the meeting of a warp's lanes do with them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa_support.h"

namespace heddle::testing::isa_async_test {
namespace {

using ::testing::HasSubstr;

// %out holds 3 * i + 1 first, for words 0 to 63, which the copies read.
const std::string kFill =
    "mul.lo.u32 %r30, %t, 3; add.u32 %r30, %r30, 1; st.global.u32 [%mine], %r30; add.u32 %r31, %r30, 96;"
    "st.global.u32 [%mine+128], %r31; fence.acq_rel.gpu; bar.sync 0;";

TEST(IsaAsync, CopiesGoToSharedMemoryAndGroupsAreWaitedFor) {
  const auto out = run(
      {.module = ".shared .align 16 .b8 tile[512];",
       .body = kFill +
               "mov.u32 %r1, tile; mad.lo.u32 %r2, %t, 4, %r1; cp.async.ca.shared.global [%r2], [%mine], 4;"
               "cp.async.commit_group;"
               "cp.async.ca.shared::cta.global.L2::128B [%r2+128], [%mine+128], 4, 4; cp.async.commit_group;"
               "cp.async.wait_group 1; ld.shared.u32 %r3, [%r2]; cp.async.wait_group 0; ld.shared.u32 %r4, "
               "[%r2+128];"
               "add.u32 %r3, %r3, %r4; st.global.u32 [%mine+256], %r3;",
       .words = 96});
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(out[64 + i], 6 * i + 98) << i;
}

TEST(IsaAsync, CopiesOfEightAndSixteenBytesFillWithZeros) {
  const auto out = run(
      {.module = ".shared .align 16 .b8 tile[1024];",
       .body = kFill +
               "mov.u32 %r1, tile; mad.lo.u32 %r2, %t, 16, %r1; setp.lt.u32 %p1, %t, 8; @!%p1 bra DONE;"
               "mad.wide.u32 %w1, %t, 16, %out; mul.lo.u32 %r5, %t, 2;"
               "mov.b64 %w3, 0; createpolicy.fractional.L2::evict_last.b64 %w3, 0f3f800000;"
               "cp.async.cg.shared.global.L2::cache_hint [%r2], [%w1], 16, %r5, %w3;"
               "cp.async.ca.shared.global.L2::64B [%r2+512], [%w1], 8; setp.gt.u32 %p2, %t, 3;"
               "cp.async.ca.shared.global [%r2+768], [%w1], 8, %p2; cp.async.wait_all;"
               "ld.shared.v4.u32 {%r6, %r7, %r8, %r9}, [%r2]; add.u32 %r6, %r6, %r7; add.u32 %r6, %r6, %r8;"
               "add.u32 %r6, %r6, %r9; ld.shared.v2.u32 {%r10, %r11}, [%r2+512];"
               "st.global.u32 [%mine+256], %r6;\nDONE: bar.sync 0;",
       .words = 128});
  // 2t bytes of the row: t = 2 has one word, t = 4 two, t = 6 three; odd ones a half more.
  const auto word = [](unsigned i) { return i < 32 ? 3 * i + 1 : 3 * (i - 32) + 97; };
  EXPECT_EQ(out[64 + 2], word(8));
  EXPECT_EQ(out[64 + 4], word(16) + word(17));
  EXPECT_EQ(out[64 + 1], word(4) & 0xffffu);
}

TEST(IsaAsync, MBarrierCompletesItsPhasesInOrder) {
  const auto out = run(
      {.module = ".shared .align 8 .b64 bar; .shared .align 16 .b8 tile[128];",
       .body =
           kFill +
           "setp.eq.u32 %p1, %t, 0; @%p1 mbarrier.init.shared::cta.b64 [bar], 32; bar.sync 0;"
           "mov.u32 %r1, tile; mad.lo.u32 %r2, %t, 4, %r1; cp.async.ca.shared.global [%r2], [%mine], 4;"
           "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [bar];\n"
           "WAIT: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p2, [bar], 0, 100; @!%p2 bra WAIT;"
           "xor.b32 %r3, %t, 31; mad.lo.u32 %r3, %r3, 4, %r1; ld.shared.u32 %r4, [%r3];"
           "mbarrier.arrive.release.cta.shared::cta.b64 %w1, [bar], 1; mbarrier.pending_count.b64 %r5, %w1;\n"
           "AGAIN: mbarrier.test_wait.shared.b64 %p3, [bar], %w1; @!%p3 bra AGAIN;"
           "cp.async.mbarrier.arrive.shared.b64 [bar];"
           "mov.u64 %w4, bar; cvta.shared.u64 %w4, %w4; mbarrier.arrive.relaxed.cta.b64 %w2, [%w4]; @%p1 "
           "mbarrier.inval.shared.b64 [bar];"
           "st.global.u32 [%mine+256], %r4;",
       .words = 96});
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(out[64 + i], 3 * (31 - i) + 1) << i;
}

TEST(IsaAsync, MBarrierOfOneThreadCountsEveryWayToArrive) {
  const auto out = run(
      {.module = ".shared .align 8 .b64 bar; .shared .align 16 .b8 tile[16];",
       .body = "setp.ne.u32 %p1, %t, 0; @%p1 bra DONE; mov.u64 %w4, bar; cvta.shared.u64 %w4, %w4;"
               "mbarrier.init.shared.b64 [bar], 4; mbarrier.expect_tx.relaxed.cta.b64 [%w4], 0;"
               "mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 0;"
               "mbarrier.expect_tx.relaxed.cluster.shared::cta.b64 [bar], 0;"
               "mbarrier.arrive.noComplete.shared.b64 %w1, [bar], 1;"
               "mbarrier.arrive.expect_tx.release.cluster.shared.b64 %w1, [bar], 0;"
               "mbarrier.arrive_drop.shared.b64 %w1, [bar]; mbarrier.test_wait.relaxed.cluster.shared.b64 "
               "%p2, [bar], %w1;"
               "selp.u32 %r1, 1, 0, %p2; st.global.u32 [%out], %r1; mbarrier.arrive.shared.b64 %w1, [bar];"
               "mbarrier.test_wait.relaxed.cta.shared.b64 %p2, [bar], %w1; selp.u32 %r1, 1, 0, %p2;"
               "st.global.u32 [%out+4], %r1; mbarrier.arrive.shared.b64 %w1, [bar];"
               "mbarrier.pending_count.b64 %r2, %w1; st.global.u32 [%out+8], %r2;"
               "mbarrier.inval.shared::cta.b64 [bar]; mov.u32 %r3, tile;"
               "cp.async.cg.shared.global.L2::256B [%r3], [%out], 16; cp.async.wait_all;"
               "fence.proxy.async.global; fence.proxy.async.shared::cta;\nDONE: bar.sync 0;"
               "setmaxnreg.dec.sync.aligned.u32 24;"});
  EXPECT_EQ(out[0], 0u);
  EXPECT_EQ(out[1], 1u);
  EXPECT_EQ(out[2], 3u);  // before the arrival: four, less the one that dropped out
}

TEST(IsaAsync, MatricesComeOutOfSharedMemoryAndAreTransposed) {
  const auto out = run(
      {.module = ".shared .align 16 .b8 tile[512];",
       .body =
           "mov.u32 %r1, tile; mad.lo.u32 %r2, %t, 16, %r1; mad.lo.u32 %r3, %t, 8, 1; mul.lo.u32 %r4, %t, 8;"
           "mul.lo.u32 %r5, %r3, 65536; or.b32 %r5, %r5, %r4; st.shared.u32 [%r2], %r5; add.u32 %r5, %r5, "
           "131074;"
           "st.shared.u32 [%r2+4], %r5; add.u32 %r5, %r5, 131074; st.shared.u32 [%r2+8], %r5;"
           "add.u32 %r5, %r5, 131074; st.shared.u32 [%r2+12], %r5; bar.sync 0;"
           "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r6, %r7, %r8, %r9}, [%r2];"
           "ldmatrix.sync.aligned.m8n8.x1.trans.shared::cta.b16 {%r10}, [%r2];"
           "cvta.shared.u64 %w1, 0; cvt.u64.u32 %w2, %r2; add.u64 %w1, %w1, %w2;"
           "ldmatrix.sync.aligned.m8n8.x2.b16 {%r11, %r12}, [%w1];"
           "movmatrix.sync.aligned.m8n8.trans.b16 %r13, %r6; xor.b32 %r14, %r13, %r10; xor.b32 %r15, %r12, "
           "%r7;"
           "or.b32 %r14, %r14, %r15; st.global.u32 [%mine], %r9; st.global.u32 [%mine+128], %r14;",
       .words = 64});
  // Element (r, c) of matrix m is 8 (8m + r) + c.
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned first = 8 * (24 + lane / 4) + lane % 4 * 2;
    EXPECT_EQ(out[lane], first | (first + 1) << 16) << lane;
    EXPECT_EQ(out[32 + lane], 0u) << lane;
  }
}

TEST(IsaAsync, PartOfAWarpThatLoadsMatricesIsAFault) {
  EXPECT_THAT(fault_of({.module = ".shared .align 16 .b8 tile[512];",
                        .body = "setp.lt.u32 %p1, %t, 16; mov.u32 %r1, tile;"
                                "@%p1 ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1];"}),
              HasSubstr("all 32 threads of the warp"));
}

TEST(IsaAsync, PartOfAWarpThatMultipliesMatricesIsAFault) {
  EXPECT_THAT(fault_of({.body = "mov.u32 %r1, 0; mov.u32 %r2, 0; setp.lt.u32 %p1, %t, 16; @%p1 bra BEHIND;"
                                "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r3, %r4}, {%r1, %r2}, "
                                "{%r1}, {%r1, %r2};\nBEHIND:"}),
              HasSubstr("an operation on matrices by a part of a warp: lanes 0xffff0000"));
}

TEST(IsaAsync, CopyOutsideOfSharedMemoryIsAFault) {
  EXPECT_THAT(fault_of({.module = ".shared .align 16 .b8 tile[64];",
                        .body = "mov.u32 %r1, tile; mad.lo.u32 %r2, %t, 4, %r1;"
                                "cp.async.ca.shared.global [%r2], [%mine], 4; cp.async.wait_all;"}),
              HasSubstr("out-of-bounds 4-byte copy at shared offset"));
}

TEST(IsaAsync, FragmentsOfWmmaGoThroughMemoryInEveryLayout) {
  // C += A x B with A the identity: C becomes B, here of 16 x 16 f16 numbers 0 to 3.
  const auto out = run(
      {.module = ".shared .align 32 .b8 a[512]; .shared .align 32 .b8 b[512]; .shared .align 32 .b8 c[1024];",
       .body =
           "mov.u32 %r1, 0;\nFILL: add.u32 %r2, %r1, %t; shr.u32 %r3, %r2, 4; and.b32 %r4, %r2, 15;"
           "setp.eq.u32 %p1, %r3, %r4; selp.b32 %r5, 15360, 0, %p1; cvt.u16.u32 %h1, %r5; mul.lo.u32 %r6, "
           "%r2, 2;"
           "mov.u32 %r7, a; add.u32 %r7, %r7, %r6; st.shared.u16 [%r7], %h1; and.b32 %r8, %r2, 3;"
           "cvt.rn.f16.u32 %h2, %r8; mov.u32 %r7, b; add.u32 %r7, %r7, %r6; st.shared.u16 [%r7], %h2;"
           "add.u32 %r1, %r1, 32; setp.lt.u32 %p2, %r1, 256; @%p2 bra FILL; bar.sync 0;"
           "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r10,%r11,%r12,%r13,%r14,%r15,%r16,%r17}, [a];"
           "wmma.load.b.sync.aligned.row.m16n16k16.shared::cta.f16 "
           "{%r18,%r19,%r20,%r21,%r22,%r23,%r24,%r25}, [b], 16;"
           "mov.f32 %f1, 0f00000000;"
           "wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {%f2,%f3,%f4,%f5,%f6,%f7,%f8,%f9},"
           "{%r10,%r11,%r12,%r13,%r14,%r15,%r16,%r17}, {%r18,%r19,%r20,%r21,%r22,%r23,%r24,%r25},"
           "{%f1,%f1,%f1,%f1,%f1,%f1,%f1,%f1};"
           "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [c], {%f2,%f3,%f4,%f5,%f6,%f7,%f8,%f9}, 16;"
           "bar.sync 0; mov.u32 %r7, c; mad.lo.u32 %r7, %t, 4, %r7; ld.shared.f32 %f10, [%r7+64];"
           "cvt.rzi.u32.f32 %r8, %f10; st.global.u32 [%mine], %r8;"});
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(out[i], i % 4) << i;
}

TEST(IsaAsync, WhatBelongsToClustersWorksForOneCta) {
  const auto out = run(
      {.body = "mov.u32 %r1, %cluster_nctarank; mov.u32 %r2, %cluster_ctarank; mov.u32 %r3, %nclusterid.x;"
               "mov.u32 %r4, %clusterid.x; griddepcontrol.wait; griddepcontrol.launch_dependents;"
               "setmaxnreg.inc.sync.aligned.u32 64; fence.proxy.async; fence.mbarrier_init.release.cluster;"
               "elect.sync _|%p1, 0xffffffff; selp.u32 %r5, 16, 0, %p1; mad.lo.u32 %r1, %r1, 2, %r2;"
               "mad.lo.u32 %r1, %r3, 4, %r1; add.u32 %r1, %r1, %r4; add.u32 %r1, %r1, %r5; st.global.u32 "
               "[%mine], %r1;"});
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(out[i], 6u + (i == 0 ? 16u : 0u));
}

TEST(IsaAsync, BulkCopiesTellAnMBarrierOrAGroup) {
  const auto out = run(
      {.module = ".shared .align 16 .b8 tile[32]; .shared .align 8 .b64 bar;\n"
                 ".global .align 16 .b32 source[8] = {10, 11, 12, 13, 14, 15, 16, 17};",
       .body = "setp.ne.u32 %p1, %t, 0; mov.u32 %r1, tile; mov.u32 %r2, bar; mov.u64 %w1, source;"
               "add.u32 %r3, %r1, 16; add.u64 %w2, %w1, 16; mov.u64 %w9, 0;"
               "@!%p1 mbarrier.init.shared::cta.b64 [%r2], 1; bar.sync 0; @%p1 bra WAIT;"
               "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %w3, [%r2], 32;"
               "cp.async.bulk.prefetch.L2.global [%w1], 16;"
               "cp.async.bulk.prefetch.L2.global.L2::cache_hint [%w1], 16, %w9;"
               "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r1], [%w1], 16, [%r2];"
               "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [%r3], [%w2], "
               "16, [%r2], %w9;\n"
               "WAIT: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p2, [bar], 0, 100; @!%p2 bra "
               "WAIT;"
               "and.b32 %r4, %t, 7; shl.b32 %r4, %r4, 2; add.u32 %r4, %r4, %r1; ld.shared.u32 %r5, [%r4];"
               "st.global.u32 [%mine], %r5; bar.sync 0; @%p1 bra DONE;"
               "add.u64 %w4, %out, 128; add.u64 %w5, %out, 144;"
               "cp.async.bulk.global.shared::cta.bulk_group [%w4], [%r3], 16;"
               "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%w5], [%r1], 16, %w9;"
               "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; cp.async.bulk.wait_group 0;\n"
               "DONE:"});
  for (std::uint32_t i = 0; i < 8; ++i) {
    EXPECT_EQ(out[i], 10 + i);
    EXPECT_EQ(out[32 + i], 10 + (i + 4) % 8);
  }
}

TEST(IsaAsync, AClusterIsTheCta) {
  const auto out =
      run({.module = ".shared .b32 words[64];",
           .body = "mov.u32 %r1, words; mad.lo.u32 %r2, %t, 4, %r1; st.shared.u32 [%r2], %t;"
                   "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;"
                   "xor.b32 %r3, %t, 32; mad.lo.u32 %r3, %r3, 4, %r1; mapa.shared::cta.u32 %r4, %r3, 0;"
                   "ld.shared.u32 %r5, [%r4]; barrier.cluster.arrive.relaxed; barrier.cluster.wait;"
                   "getctarank.shared::cta.u32 %r6, %r4; add.u32 %r5, %r5, %r6;"
                   "mov.u64 %w1, words; cvta.shared.u64 %w1, %w1; mapa.u64 %w2, %w1, 0; mapa.shared::cta.u64 "
                   "%w4, %w1, 0; getctarank.u64 %r7, %w2; setp.ne.u64 %p1, %w1, %w2;"
                   "selp.u32 %r8, 100, 0, %p1; add.u32 %r5, %r5, %r8; add.u32 %r5, %r5, %r7;"
                   "st.global.u32 [%mine], %r5;",
           .shape = {{1, 1, 1}, {64, 1, 1}, 0}});
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(out[i], i ^ 32);
}

TEST(IsaAsync, CacheHintsChangeNothing) {
  const auto out = run(
      {.body =
           "mov.b64 %w1, 0; setp.eq.u32 %p1, %t, 0; @!%p1 bra DONE; mov.u32 %r1, 5;"
           "st.global.L2::cache_hint.u32 [%out], %r1, %w1; st.relaxed.gpu.global.L2::cache_hint.u32 "
           "[%out+4], %r1, %w1;"
           "ld.global.L2::cache_hint.u32 %r2, [%out], %w1; ld.relaxed.gpu.global.L2::cache_hint.u32 %r3, "
           "[%out+4], %w1;"
           "atom.global.add.L2::cache_hint.u32 %r4, [%out], %r1, %w1; atom.min.L2::cache_hint.u32 %r4, "
           "[%out], %r1, %w1;"
           "atom.global.or.L2::cache_hint.b32 %r4, [%out], %r1, %w1; atom.global.inc.L2::cache_hint.u32 %r4, "
           "[%out], 99, %w1;"
           "atom.global.cas.L2::cache_hint.b32 %r4, [%out], 6, 7, %w1; mov.b32 %r5, 0; mov.b16 %h2, 16256; "
           "mov.b32 %r7, 1065353216;"
           "mov.b16 %h3, 0;"
           "atom.global.add.noftz.L2::cache_hint.f16x2 %r6, [%out+8], %r5, %w1;"
           "atom.add.noftz.bf16 %h1, [%out+12], %h2; atom.global.add.noftz.bf16x2 %r6, [%out+16], %r7;"
           "red.global.add.L2::cache_hint.u32 [%out], %r1, %w1; red.max.L2::cache_hint.u32 [%out], %r1, %w1;"
           "red.global.xor.L2::cache_hint.b32 [%out+20], %r1, %w1; red.global.dec.L2::cache_hint.u32 "
           "[%out+20], 9, %w1;"
           "red.add.noftz.L2::cache_hint.bf16 [%out+12], %h2, %w1; red.global.add.noftz.bf16x2 [%out+16], "
           "%r7;"
           "red.global.add.noftz.f16 [%out+8], %h3; add.u32 %r2, %r2, %r3; st.global.u32 [%out+24], "
           "%r2;\nDONE:",
       .words = 64});
  EXPECT_EQ(out[0], 12u);           // 5 + 5 -> 5 -> 5 -> 6 -> 7 -> 12
  EXPECT_EQ(out[3], 0x4000u);       // bf16 1 + 1
  EXPECT_EQ(out[4], 0x4000'0000u);  // the upper half 1 + 1
  EXPECT_EQ(out[5], 4u);            // 0 xor 5, then minus 1
  EXPECT_EQ(out[6], 10u);
}

TEST(IsaAsync, AThreadDropsOutAndExpectsBytes) {
  const Fragment fragment{
      .module = ".shared .align 8 .b64 bar;",
      .body =
          "setp.ne.u32 %p1, %t, 0; @%p1 bra DONE; mbarrier.init.shared.b64 [bar], 2;"
          "mbarrier.expect_tx.shared.b64 [bar], 0;"
          "mbarrier.arrive_drop.expect_tx.shared.b64 %w1, [bar], 0; mbarrier.arrive.shared.b64 %w2, [bar];"
          "mbarrier.test_wait.shared.b64 %p2, [bar], %w1; selp.u32 %r1, 1, 0, %p2; st.global.u32 [%out], %r1;"
          "mbarrier.arrive.shared.b64 %w2, [bar]; mbarrier.pending_count.b64 %r2, %w2;"
          "st.global.u32 [%out+4], %r2;\nDONE:"};
  for (const auto& out : {run(fragment), on_oracle(fragment)}) {
    EXPECT_EQ(out[0], 1u);
    EXPECT_EQ(out[1], 1u);
  }
}

TEST(IsaAsync, MisalignedAccessOfTwoHalvesIsAFault) {
  EXPECT_THAT(fault_of({.body = ".reg .b64 %x<4>; ld.global.v4.b64 {%x0, %x1, %x2, %x3}, [%out+16];"}),
              HasSubstr("misaligned 32-byte load"));
}

/// Both machines refuse it, each in its words.
void expect_faults(const Fragment& fragment, const char* of_model, const char* of_oracle) {
  EXPECT_THAT(fault_of(fragment), HasSubstr(of_model));
  EXPECT_THAT(oracle_fault_of(fragment), HasSubstr(of_oracle));
}

TEST(IsaAsync, MatrixOutsideOfSharedMemoryIsAFault) {
  expect_faults({.body = "ldmatrix.sync.aligned.m8n8.x1.b16 {%r2}, [%out];"}, "is not in shared memory",
                "is not in shared memory");
}

TEST(IsaAsync, MisalignedAtomicOfAVectorIsAFault) {
  expect_faults({.body = "red.global.add.v4.f32 [%out+4], {%f1, %f1, %f1, %f1};"},
                "misaligned 16-byte atomic access", "is misaligned");
}

TEST(IsaAsync, AtomicOfAVectorInSharedMemoryIsAFault) {
  expect_faults({.module = ".shared .align 16 .b8 tile[16];",
                 .body = "cvta.shared.u64 %w1, tile; red.add.v4.f32 [%w1], {%f1, %f1, %f1, %f1};"},
                "out-of-bounds 4-byte atomic access", "is out of bounds");
}

TEST(IsaAsync, MisalignedRowOfAStoredMatrixIsAFault) {
  expect_faults({.module = ".shared .align 16 .b8 tile[256];",
                 .body = "mov.u32 %r1, tile; mad.lo.u32 %r1, %t, 16, %r1;"
                         "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1+4], {%r2};"},
                "misaligned 16-byte store", "is misaligned");
}

TEST(IsaAsync, MatrixStoredOutsideOfSharedMemoryIsAFault) {
  // The lower half of the address is that of the tile.
  expect_faults({.module = ".shared .align 16 .b8 tile[256];",
                 .body = "mul.wide.u32 %w1, %t, 16; cvta.shared.u64 %w2, tile; add.u64 %w1, %w1, %w2;"
                         "add.u64 %w1, %w1, 0x1000000000000;"
                         "stmatrix.sync.aligned.m8n8.x1.b16 [%w1], {%r2};"},
                "is not in shared memory", "is not in shared memory");
}

TEST(IsaAsync, MatrixStoredInDeviceMemoryIsAFault) {
  expect_faults({.body = "stmatrix.sync.aligned.m8n8.x1.b16 [%out], {%r2};"}, "is not in shared memory",
                "is not in shared memory");
}

}  // namespace
}  // namespace heddle::testing::isa_async_test
