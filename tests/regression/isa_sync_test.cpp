// Barriers with reductions, nanosleep, timers, member masks, traps: instructions that need a core.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa_support.h"

namespace heddle::testing::isa_sync_test {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr host::Launch kBlock96{{1, 1, 1}, {96, 1, 1}, 0};

TEST(IsaSync, BarrierReductionsReachEveryThread) {
  const auto out = run({.body = "setp.lt.u32 %p1, %t, 50; setp.lt.u32 %p2, %t, 96; setp.gt.u32 %p3, %t, 95;"
                                "bar.red.popc.u32 %r1, 0, %p1;"
                                "barrier.cta.red.popc.aligned.u32 %r2, 1, 96, !%p1;"
                                "bar.red.and.pred %p4, 2, %p2; barrier.cta.red.and.aligned.pred %p5, 2, %p1;"
                                "barrier.red.or.pred %p6, 3, 96, %p1; bar.red.or.pred %p7, 4, %p3;"
                                "selp.u32 %r3, 1, 0, %p4; selp.u32 %r4, 2, 0, %p5; selp.u32 %r5, 4, 0, %p6;"
                                "selp.u32 %r6, 8, 0, %p7;"
                                "or.b32 %r3, %r3, %r4; or.b32 %r3, %r3, %r5; or.b32 %r3, %r3, %r6;"
                                "mul.lo.u32 %r1, %r1, 65536; mul.lo.u32 %r2, %r2, 256; or.b32 %r3, %r3, %r1;"
                                "or.b32 %r3, %r3, %r2; st.global.u32 [%mine], %r3;",
                        .shape = kBlock96,
                        .words = 96});
  EXPECT_THAT(out, Each((50u << 16) | (46u << 8) | 5u));
}

// A warp that exits in the meantime completes the barrier for the others.
TEST(IsaSync, BarrierReductionCountsOnlyThreadsThatAreThere) {
  const auto out = run({.body = "setp.ge.u32 %p1, %t, 64; @%p1 exit; setp.ge.u32 %p2, %t, 10;"
                                "bar.red.popc.u32 %r1, 0, %p2; st.global.u32 [%mine], %r1;",
                        .shape = kBlock96,
                        .words = 96});
  for (unsigned i = 0; i < 96; ++i) EXPECT_EQ(out[i], i < 64 ? 54u : 0u) << i;
}

TEST(IsaSync, ReductionsFollowEachOtherOnTheSameBarrier) {
  const auto out = run({.body = "mov.u32 %r1, 0; mov.u32 %r2, 0;\nL: setp.eq.u32 %p1, %t, %r1;"
                                "bar.red.or.pred %p2, 0, %p1; selp.u32 %r3, 1, 0, %p2; add.u32 %r2, %r2, %r3;"
                                "add.u32 %r1, %r1, 3; setp.lt.u32 %p3, %r1, 120; @%p3 bra L;"
                                "st.global.u32 [%mine], %r2;",
                        .shape = kBlock96,
                        .words = 96});
  EXPECT_THAT(out, Each(32u));
}

TEST(IsaSync, NanosleepTakesAboutTheTimeAskedFor) {
  // Lanes request 1000, 2000 ... nanoseconds: the group sleeps for the longest time.
  const auto out = run({.body = "mov.u64 %w1, %globaltimer; add.u32 %r1, %t, 1; mul.lo.u32 %r1, %r1, 100;"
                                "nanosleep.u32 %r1; mov.u64 %w2, %globaltimer; sub.u64 %w3, %w2, %w1;"
                                "cvt.u32.u64 %r2, %w3; st.global.u32 [%mine], %r2;",
                        .timed = true});
  EXPECT_GE(out[0], 3190u);
  EXPECT_LE(out[0], 6400u);
}

TEST(IsaSync, NanosleepOfZeroAndOfGuardedOffLanesIsShort) {
  const auto out =
      run({.body = "mov.u32 %r1, %globaltimer_lo; nanosleep.u32 0; setp.gt.u32 %p1, %t, 99;"
                   "@%p1 nanosleep.u32 1000000; mov.u32 %r2, %globaltimer_lo; sub.u32 %r3, %r2, %r1;"
                   "st.global.u32 [%mine], %r3;",
           .timed = true});
  EXPECT_LT(out[0], 1000u);
}

TEST(IsaSync, SleepingWhileAnotherWarpWorksIsNoHang) {
  const auto out =
      run({.module = ".shared .b32 flag;",
           .body = "setp.ge.u32 %p1, %t, 32; @%p1 bra WAIT; nanosleep.u32 50000;"
                   "mov.u32 %r1, 7; st.volatile.shared.u32 [flag], %r1; bra DONE;\n"
                   "WAIT: nanosleep.u32 200; ld.volatile.shared.u32 %r2, [flag]; setp.eq.u32 %p2, %r2, 0;"
                   "@%p2 bra WAIT; st.global.u32 [%mine], %r2;\nDONE:",
           .shape = {{1, 1, 1}, {64, 1, 1}, 0}});
  for (unsigned i = 32; i < 64; ++i) EXPECT_EQ(out[i], 7u);
}

TEST(IsaSync, TimersCountUpwards) {
  const auto out = run(
      {.body = "mov.u64 %w1, %globaltimer; mov.u32 %r1, %globaltimer_hi; mov.u32 %r2, %clock_hi;"
               "mov.u64 %w2, %clock64; nanosleep.u32 20; mov.u64 %w3, %globaltimer; mov.u64 %w4, %clock64;"
               "setp.gt.u64 %p1, %w3, %w1; setp.gt.and.u64 %p1, %w4, %w2, %p1; selp.u32 %r3, 1, 0, %p1;"
               "st.global.u32 [%mine], %r3;"});
  EXPECT_EQ(out[0], 1u);
}

// Four groups of eight lanes each communicate among themselves, in one instruction.
TEST(IsaSync, MemberMasksPartTheWarp) {
  const auto out =
      run({.body = "shr.u32 %r1, %t, 3; shl.b32 %r2, %r1, 3; mov.u32 %r3, 0xff; shl.b32 %r3, %r3, %r2;"
                   "setp.eq.u32 %p1, %t, %r2;"
                   "vote.sync.ballot.b32 %r4, %p1, %r3;"
                   "shfl.sync.idx.b32 %r5|%p2, %t, %r2, 0x1f, %r3;"
                   "redux.sync.add.u32 %r6, %t, %r3;"
                   "match.any.sync.b32 %r7, %r1, %r3;"
                   "match.all.sync.b32 %r8|%p3, %r1, %r3;"
                   "vote.sync.any.pred %p4, %p1, %r3;"
                   "xor.b32 %r9, %r4, %r5; xor.b32 %r9, %r9, %r6; xor.b32 %r9, %r9, %r7;"
                   "@%p4 xor.b32 %r9, %r9, %r8; @%p3 not.b32 %r9, %r9; st.global.u32 [%mine], %r9;"});
  for (std::uint32_t i = 0; i < 32; ++i) {
    const std::uint32_t first = i / 8 * 8;
    const std::uint32_t mask = 0xffu << first;
    const std::uint32_t sum = 8 * first + 28;
    EXPECT_EQ(out[i], ~((1u << first) ^ first ^ sum ^ mask ^ mask)) << i;
  }
}

TEST(IsaSync, LaneOutsideOfItsMemberMaskIsAFault) {
  EXPECT_EQ(fault_of({.body = "setp.lt.u32 %p1, %t, 8; @%p1 vote.sync.any.pred %p2, %p1, 0xff;"}), "");
  EXPECT_THAT(
      fault_of({.body = "vote.sync.any.pred %p1, %p2, 0xff;"}),
      AllOf(HasSubstr("thread (8,0,0) of CTA (0,0,0) (lane 8) is not in its own member mask 0x000000ff"),
            HasSubstr("vote.sync.any.pred"), HasSubstr("must name every lane")));
}

TEST(IsaSync, WarpBarrierChecksItsMemberMask) {
  EXPECT_THAT(fault_of({.body = "mov.u32 %r1, %lanemask_lt; bar.warp.sync %r1;"}),
              HasSubstr("(lane 0) is not in its own member mask 0x00000000"));
}

TEST(IsaSync, TrapSaysWho) {
  EXPECT_THAT(fault_of({.body = "setp.eq.u32 %p1, %t, 5; @%p1 trap;"}),
              HasSubstr("thread (5,0,0) of CTA (0,0,0) executed trap"));
}

TEST(IsaSync, BreakpointSaysWho) {
  EXPECT_THAT(fault_of({.body = "brkpt;"}), AllOf(HasSubstr("executed brkpt"), HasSubstr("debugger")));
}

TEST(IsaSync, GridIdCountsLaunches) {
  const Fragment fragment{.body =
                              "mov.u64 %w1, %gridid; mov.u32 %r1, %gridid; cvt.u32.u64 %r2, %w1;"
                              "shl.b32 %r1, %r1, 8; add.u32 %r1, %r1, %r2; mov.u32 %r3, %envreg3;"
                              "add.u32 %r1, %r1, %r3; st.global.u32 [%mine], %r1;",
                          .timed = true};
  const std::uint32_t first = run(fragment)[0];
  EXPECT_EQ(first & 0xffu, first >> 8);
  EXPECT_EQ(run(fragment)[0], first + 0x101u);
}

}  // namespace
}  // namespace heddle::testing::isa_sync_test
