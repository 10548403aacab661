// The watchdog on small kernels that hang: every kind is diagnosed correctly.
#include "hangs_support.h"

namespace heddle::hang_tests::hangs_test {
namespace {

// The lower half of a warp, or of several, executes an additional barrier.
constexpr const char* kBarrierInOneSide = R"(
  and.b32 %r3, %r1, 31;
  setp.lt.u32 %p1, %r3, 16;
  @%p1 bra LOW;
  bra.uni JOIN;
LOW:
  bar.sync 0;
JOIN:
  bar.sync 0;
  ret;
)";

TEST_F(Hangs, BarrierInOneSideOfABranch) {
  config_.core.barrier.counts = core::BarrierCounts::kThreads;
  expect_hang(kBarrierInOneSide, shape(1, 32),
              {"SIMT-induced deadlock at a barrier", "wait at barrier 0 (16 of 32 threads have arrived)",
               "kernel.ptx:1", "lanes 0xffff0000 have not run their side of a branch"});
}

TEST_F(Hangs, BarrierThatTooFewThreadsReach) {
  expect_hang("  bar.sync 3, 96;\n  ret;\n", shape(1, 64),
              {"barrier mismatch", "wait at barrier 3 (2 of 3 warps have arrived)"});
}

TEST_F(Hangs, BarrierThatTooFewThreadsReachWhereThreadsCount) {
  config_.core.barrier.counts = core::BarrierCounts::kThreads;
  expect_hang("  bar.sync 3, 96;\n  ret;\n", shape(1, 64),
              {"barrier mismatch", "wait at barrier 3 (64 of 96 threads have arrived)"});
}

TEST_F(Hangs, FlagThatNobodySets) {
  expect_hang(
      R"(
SPIN:
  ld.volatile.global.u32 %r3, [%rd1];
  setp.eq.u32 %p1, %r3, 0;
  @%p1 bra SPIN;
  ret;
)",
      shape(4, 64),
      {"wait for a value that nobody will write", "waits for 'flag' + 0 (0x10000000), which is 0",
       "spin in the loop that starts at kernel.ptx:15", "ld.volatile.global.u32 %r3, [%rd1];"});
}

// A store that L1 keeps is performed at once, and storing the old value is no change.
TEST_F(Hangs, SpinThatWritesLocalMemory) {
  expect_hang(
      R"(
  .local .align 4 .b32 depot[8];
  mov.u64 %rd3, depot;
SPIN:
  ld.volatile.global.u32 %r3, [%rd1];
  st.local.u32 [%rd3+4], %r3;
  ld.local.u32 %r4, [%rd3+4];
  setp.eq.u32 %p1, %r4, 0;
  @%p1 bra SPIN;
  ret;
)",
      shape(4, 64),
      {"wait for a value that nobody will write", "spin in the loop that starts at kernel.ptx:17"});
}

TEST_F(Hangs, ResidentCtasWaitForOneThatWasNeverStarted) {
  expect_hang(R"(
  setp.eq.u32 %p1, %r2, 99;
  @%p1 st.volatile.global.u32 [%rd1], 1;
SPIN:
  ld.volatile.global.u32 %r3, [%rd1];
  setp.eq.u32 %p2, %r3, 0;
  @%p2 bra SPIN;
  ret;
)",
              shape(100, 64),
              {"wait for a CTA that cannot become resident", "84 CTAs have not been started"});
}

TEST_F(Hangs, TestAndSetLockWhoseOwnerHasLeft) {
  // Writes in every iteration, but always the same value.
  expect_hang(R"(
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra SPIN;
  atom.global.exch.b32 %r3, [%rd1], 1;
  ret;
SPIN:
  atom.global.exch.b32 %r3, [%rd1], 1;
  setp.ne.u32 %p2, %r3, 0;
  @%p2 bra SPIN;
  ret;
)",
              shape(1, 32), {"spin in the loop"});
}

TEST_F(Hangs, SpinWithAnInnerDelayLoopIsRecognisedAtTheOuterOne) {
  expect_hang(R"(
SPIN:
  mov.u32 %r4, 0;
DELAY:
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p1, %r4, 5;
  @%p1 bra DELAY;
  ld.volatile.global.u32 %r3, [%rd1];
  setp.eq.u32 %p2, %r3, 0;
  @%p2 bra SPIN;
  ret;
)",
              shape(1, 32), {"wait for a value that nobody will write"});
}

// The count depends only on itself, so it does not affect the loop's end.
TEST_F(Hangs, SpinThatCountsItsTries) {
  expect_hang(R"(
  mov.u32 %r4, 0;
SPIN:
  add.u32 %r4, %r4, 1;
  ld.volatile.global.u32 %r3, [%rd1];
  setp.eq.u32 %p1, %r3, 0;
  @%p1 bra SPIN;
  st.global.u32 [%rd2], %r4;
  ret;
)",
              shape(4, 64), {"wait for a value that nobody will write", "waits for 'flag' + 0"});
}

// Each thread leaves its own number in the lock, whose owner has exited: memory changes forever.
TEST_F(Hangs, ExchangeRetriesWithChangingValues) {
  expect_hang(R"(
  add.u32 %r5, %r1, 100;
  mad.lo.u32 %r5, %r2, 1000, %r5;
  setp.eq.u32 %p1, %r5, 100;
  @%p1 bra OWNER;
SPIN:
  atom.global.exch.b32 %r3, [%rd1], %r5;
  setp.ne.u32 %p2, %r3, 0;
  @%p2 bra SPIN;
  ret;
OWNER:
  st.volatile.global.u32 [%rd1], 7;
  ret;
)",
              shape(2, 64), {"livelock with changing values", "waits for 'flag' + 0"});
}

TEST_F(Hangs, PollWithADelayByTheClock) {
  expect_hang(R"(
SPIN:
  mov.u32 %r4, %clock;
DELAY:
  mov.u32 %r5, %clock;
  sub.u32 %r6, %r5, %r4;
  setp.lt.u32 %p1, %r6, 200;
  @%p1 bra DELAY;
  ld.volatile.global.u32 %r3, [%rd1];
  setp.eq.u32 %p2, %r3, 0;
  @%p2 bra SPIN;
  ret;
)",
              shape(2, 64), {"wait for a value that nobody will write"});
}

TEST_F(Hangs, PollWithNanosleep) {
  expect_hang(R"(
SPIN:
  nanosleep.u32 300;
  ld.volatile.global.u32 %r3, [%rd1];
  setp.eq.u32 %p2, %r3, 0;
  @%p2 bra SPIN;
  ret;
)",
              shape(2, 64), {"wait for a value that nobody will write"});
}

TEST_F(Hangs, TwoLocksInOppositeOrder) {
  // Each CTA takes the lock of its number, waits until the other has done so, and then wants the other lock.
  expect_hang(
      R"(
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra END;
  mul.wide.u32 %rd3, %r2, 128;
  add.u64 %rd4, %rd1, %rd3;
  xor.b32 %r4, %r2, 1;
  mul.wide.u32 %rd3, %r4, 128;
  add.u64 %rd5, %rd1, %rd3;
  atom.global.cas.b32 %r3, [%rd4], 0, 1;
  atom.global.add.u32 %r5, [%rd2], 1;
MEET:
  ld.volatile.global.u32 %r5, [%rd2];
  setp.lt.u32 %p2, %r5, 2;
  @%p2 bra MEET;
SPIN:
  atom.global.cas.b32 %r3, [%rd5], 0, 1;
  setp.ne.u32 %p3, %r3, 0;
  @%p3 bra SPIN;
  st.volatile.global.u32 [%rd5], 0;
  st.volatile.global.u32 [%rd4], 0;
END:
  ret;
)",
      shape(2, 32),
      {"lock-order deadlock",
       "thread (0,0,0) of CTA (0,0,0) waits for 'flag' + 128 (0x10000080), which thread (0,0,0) of CTA "
       "(1,0,0) has taken",
       "thread (0,0,0) of CTA (1,0,0) waits for 'flag' + 0 (0x10000000), which thread (0,0,0) of CTA "
       "(0,0,0) has taken"});
}

// The lanes that have left the loop wait for those that spin, but would not write what these wait for.
TEST_F(Hangs, LanesHeldBackThatWouldNotHelpAreNoSimtDeadlock) {
  expect_hang(R"(
  setp.lt.u32 %p1, %r1, 16;
  @%p1 bra JOIN;
SPIN:
  ld.volatile.global.u32 %r3, [%rd1];
  setp.eq.u32 %p2, %r3, 0;
  @%p2 bra SPIN;
JOIN:
  st.global.u32 [%rd2], 1;
  ret;
)",
              shape(1, 32),
              {"wait for a value that nobody will write", "lanes 0x0000ffff wait to reconverge"});
}

TEST_F(Hangs, LanesHeldBackThatWouldSetTheFlagAreASimtDeadlock) {
  expect_hang(R"(
  setp.lt.u32 %p1, %r1, 16;
  @%p1 bra JOIN;
SPIN:
  ld.volatile.global.u32 %r3, [%rd1];
  setp.eq.u32 %p2, %r3, 0;
  @%p2 bra SPIN;
JOIN:
  st.volatile.global.u32 [%rd1], 1;
  ret;
)",
              shape(1, 32), {"SIMT-induced deadlock", "lanes 0x0000ffff wait to reconverge"});
}

// Another warp of the CTA would set the flag, after the barrier at which it waits for the spinning warp.
TEST_F(Hangs, BarrierAndFlagWaitForEachOther) {
  expect_hang(R"(
  setp.lt.u32 %p1, %r1, 32;
  @%p1 bra SPIN;
  bar.sync 0;
  st.volatile.global.u32 [%rd1], 1;
  ret;
SPIN:
  ld.volatile.global.u32 %r3, [%rd1];
  setp.eq.u32 %p2, %r3, 0;
  @%p2 bra SPIN;
  bar.sync 0;
  ret;
)",
              shape(1, 64), {"barrier mismatch", "wait at barrier 0 (1 of 2 warps have arrived)"});
}

TEST_F(Hangs, LoopWithoutMemory) {
  expect_hang(R"(
  mov.u32 %r4, 1;
LOOP:
  mad.lo.u32 %r4, %r4, 1664525, 1013904223;
  bra LOOP;
)",
              shape(1, 32), {"infinite loop without memory"});
}

TEST_F(Hangs, ValuesThatGoRoundForEver) {
  expect_hang(R"(
  and.b32 %r4, %r2, 1;
LOOP:
  atom.global.exch.b32 %r3, [%rd1], %r4;
  setp.ne.u32 %p1, %r3, 5;
  @%p1 bra LOOP;
  ret;
)",
              shape(2, 32), {"livelock with changing values"});
}

// A global barrier that all CTAs of the grid would have to reach.
TEST_F(Hangs, GlobalBarrierOfMoreCtasThanFit) {
  expect_hang(R"(
  mov.u32 %r6, %nctaid.x;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra END;
  atom.global.add.u32 %r3, [%rd1], 1;
SPIN:
  ld.volatile.global.u32 %r3, [%rd1];
  setp.lt.u32 %p2, %r3, %r6;
  @%p2 bra SPIN;
END:
  ret;
)",
              shape(40, 32), {"wait for a CTA that cannot become resident", "24 CTAs have not been started"});
}

TEST_F(Hangs, StaleL1LineIsDiagnosedNotWaitedFor) {
  // A plain load may hit L1 forever although memory has changed: L1 is not coherent, as in hardware.
  const auto error = run(R"(
  setp.eq.u32 %p1, %r2, 0;
  @%p1 bra SPIN;
  mov.u32 %r4, 0;
LOOP:
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p3, %r4, 2000;
  @%p3 bra LOOP;
  st.global.u32 [%rd1], 1;
  ret;
SPIN:
  ld.global.u32 %r3, [%rd1];
  setp.eq.u32 %p2, %r3, 0;
  @%p2 bra SPIN;
  ret;
)",
                         shape(2, 32));
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code(), base::ExitCode::kHang);
}

TEST_F(Hangs, CycleLimitSaysWhatTheWarpsDo) {
  const auto error = run(R"(
LOOP:
  mov.u32 %r5, %clock;
  setp.ne.u32 %p1, %r5, 0;
  @%p1 bra LOOP;
  ret;
)",
                         shape(1, 32), 10'000);
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code(), base::ExitCode::kCycleLimit);
  EXPECT_NE(std::string(error->what()).find("not finished after 10000 cycles"), std::string::npos)
      << error->what();
  EXPECT_NE(std::string(error->what()).find("kernel.ptx:"), std::string::npos) << error->what();
}

}  // namespace
}  // namespace heddle::hang_tests::hangs_test
