// Threads of the oracle: control flow, barriers, warp-wide instructions, fairness and hangs.
#include <numeric>

#include "unit/oracle/harness.h"

namespace heddle::oracle::test::sync_test {
namespace {

Words per_thread(const std::string& body, host::Launch shape, const std::string& module = "",
                 Options options = {}) {
  const std::size_t threads = shape.block.count() * shape.grid.count();
  return run({.module = module, .body = body + kStore, .shape = shape, .words = threads, .options = options});
}

TEST(OracleControl, EachThreadTakesItsOwnPath) {
  const Words out = per_thread(
      "mov.u32 %r0, 0; mov.u32 %r1, 0;\n$loop: setp.ge.u32 %p0, %r1, %r14; @%p0 bra $end;\nadd.u32 %r1, %r1, "
      "1;\n"
      "and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra $loop;\nadd.u32 %r0, %r0, %r1; bra.uni "
      "$loop;\n$end:",
      launch(2, 3));
  EXPECT_EQ(out, (Words{0, 1, 1, 4, 4, 9}));
}

TEST(OracleControl, SpecialRegisters) {
  const std::string body =
      "mov.u32 %r0, %tid.y; mov.u32 %r1, %ntid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %nctaid.x; mov.u32 "
      "%r4, %laneid;\n"
      "mov.u32 %r5, %lanemask_lt; mov.u32 %r6, %tid.x; mov.u32 %r7, %tid.z; mov.u32 %r8, %lanemask_ge;\n"
      "setp.ne.u32 %p0, %r6, 1; @%p0 ret; setp.ne.u32 %p0, %r0, 2; @%p0 ret; setp.ne.u32 %p0, %r2, 1; @%p0 "
      "exit; setp.ne.u32 %p0, %r7, 1; @%p0 exit;\n"
      "st.global.v4.u32 [%out], {%r1, %r3, %r4, %r5}; st.global.u32 [%out+16], %r8;";
  const Words out = run({.module = "", .body = body, .shape = {{1, 2, 1}, {2, 3, 2}, 0}});
  // Thread (1, 2, 1) is number 1 + 2 * 2 + 1 * 6 = 11.
  EXPECT_EQ(Words(out.begin(), out.begin() + 5), (Words{2, 1, 11, 0x7ff, 0xffff'f800}));
}

TEST(OracleBarrier, OrdersSharedMemory) {
  const Words out = per_thread(
      "mov.u32 %r1, buffer; shl.b32 %r2, %r15, 2; add.u32 %r2, %r2, %r1; st.shared.u32 [%r2], %r14;\n"
      "bar.sync 0;\nxor.b32 %r3, %r15, 63; shl.b32 %r3, %r3, 2; add.u32 %r3, %r3, %r1; ld.shared.u32 %r0, "
      "[%r3];",
      launch(2, 64), ".shared .align 4 .b8 buffer[256];", {.slice = 3});
  for (std::uint32_t i = 0; i < 128; ++i) EXPECT_EQ(out[i], (i / 64) * 64 + (63 - i % 64));
}

TEST(OracleBarrier, CountsExitedThreadsAndWarps) {
  // 80 threads; a whole warp and some lanes of another exit before the barrier, which the rest must still
  // pass.
  const Words out = per_thread(
      "mov.u32 %r0, 1; setp.lt.u32 %p0, %r15, 40; @%p0 exit;\nbar.sync 0; mov.u32 %r0, 2;", launch(1, 80));
  for (std::uint32_t i = 0; i < 80; ++i) EXPECT_EQ(out[i], i < 40 ? 0u : 2u);
}

TEST(OracleBarrier, ExitCompletesABarrierOthersWaitAt) {
  const std::string spin =
      "mov.u32 %r1, 100; $spin: sub.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra $spin; exit;";
  const Words out = per_thread(
      "setp.lt.u32 %p0, %r15, 3; @%p0 bra $wait;\n" + spin + "\n$wait: bar.sync 0; mov.u32 %r0, 2;",
      launch(1, 40), "", {.slice = 4});
  EXPECT_EQ(Words(out.begin(), out.begin() + 4), (Words{2, 2, 2, 0}));
}

TEST(OracleBarrier, PartialCountsAndArrival) {
  // Warp 0 produces and continues; warp 1 consumes after barrier 1 of 64 threads. Warp 2 takes no part.
  const Words out = per_thread(
      "mov.u32 %r0, 0; setp.ge.u32 %p0, %r15, 64; @%p0 bra $out; setp.ge.u32 %p1, %r15, 32; @%p1 bra "
      "$consume;\n"
      "mov.u32 %r1, 100; $delay: sub.u32 %r1, %r1, 1; setp.ne.u32 %p2, %r1, 0; @%p2 bra $delay;\n"
      "red.shared.add.u32 [sum], 1; bar.arrive 1, 64; bra $out;\n"
      "$consume: bar.sync 1, 64; ld.shared.u32 %r0, [sum];\n$out:",
      launch(1, 96), ".shared .align 4 .u32 sum;", {.slice = 5});
  EXPECT_EQ(out[0], 0u);
  EXPECT_EQ(out[32], 32u);
  EXPECT_EQ(out[63], 32u);
  EXPECT_EQ(out[64], 0u);
}

TEST(OracleBarrier, Reductions) {
  const std::string predicate = "setp.lt.u32 %p0, %r15, 5; setp.lt.u32 %p1, %r15, 100;\n";
  EXPECT_EQ(per_thread(predicate + "bar.red.popc.u32 %r0, 0, %p0;", launch(1, 40)), Words(40, 5));
  EXPECT_EQ(per_thread(predicate + "bar.red.and.pred %p2, 0, %p0; selp.u32 %r0, 1, 0, %p2;", launch(1, 40)),
            Words(40, 0));
  EXPECT_EQ(per_thread(predicate + "bar.red.and.pred %p2, 0, %p1; selp.u32 %r0, 1, 0, %p2;", launch(1, 40)),
            Words(40, 1));
  EXPECT_EQ(per_thread(predicate + "bar.red.or.pred %p2, 0, !%p1; selp.u32 %r0, 1, 0, %p2;", launch(1, 40)),
            Words(40, 0));
}

TEST(OracleWarp, Votes) {
  const std::string p = "setp.lt.u32 %p0, %r15, 3; setp.lt.u32 %p1, %r15, 99;\n";
  EXPECT_EQ(per_thread(p + "vote.sync.ballot.b32 %r0, %p0, -1;", launch(1, 32)), Words(32, 7));
  EXPECT_EQ(per_thread(p + "vote.sync.ballot.b32 %r0, !%p0, 0xffff;", launch(1, 16)), Words(16, 0xfff8));
  EXPECT_EQ(per_thread(p + "vote.sync.any.pred %p2, %p0, -1; selp.u32 %r0, 1, 0, %p2;", launch(1, 32)),
            Words(32, 1));
  EXPECT_EQ(per_thread(p + "vote.sync.all.pred %p2, %p0, -1; selp.u32 %r0, 1, 0, %p2;", launch(1, 32)),
            Words(32, 0));
  EXPECT_EQ(per_thread(p + "vote.sync.all.pred %p2, %p1, -1; selp.u32 %r0, 1, 0, %p2;", launch(1, 32)),
            Words(32, 1));
  EXPECT_EQ(per_thread(p + "vote.sync.uni.pred %p2, %p0, -1; selp.u32 %r0, 1, 0, %p2;", launch(1, 32)),
            Words(32, 0));
}

TEST(OracleWarp, ShufflesReadOtherThreads) {
  const auto shuffle = [](const std::string& text) {
    return per_thread("shfl.sync." + text + ", -1; @!%p0 add.u32 %r0, %r0, 100;", launch(1, 32));
  };
  const Words up = shuffle("up.b32 %r0|%p0, %r15, 2, 0");
  const Words down = shuffle("down.b32 %r0|%p0, %r15, 2, 31");
  const Words xored = shuffle("bfly.b32 %r0|%p0, %r15, 5, 31");
  const Words index = shuffle("idx.b32 %r0|%p0, %r15, 7, 31");
  const Words within = shuffle("idx.b32 %r0|%p0, %r15, 3, 0x181f");  // segments of 8
  const Words down8 = shuffle("down.b32 %r0|%p0, %r15, 3, 0x181f");
  for (std::uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(up[i], i < 2 ? i + 100 : i - 2);
    EXPECT_EQ(down[i], i > 29 ? i + 100 : i + 2);
    EXPECT_EQ(xored[i], i ^ 5);
    EXPECT_EQ(index[i], 7u);
    EXPECT_EQ(within[i], i / 8 * 8 + 3);
    EXPECT_EQ(down8[i], i % 8 > 4 ? i + 100 : i + 3);
  }
}

TEST(OracleWarp, MembersMeetWhereverTheyAre) {
  // The two halves of the warp arrive at different instructions, which the PTX ISA allows.
  const Words out = per_thread(
      "setp.lt.u32 %p0, %r15, 16; @%p0 bra $low;\nshfl.sync.bfly.b32 %r0, %r15, 16, 31, -1; bra $out;\n"
      "$low: add.u32 %r1, %r15, 0; shfl.sync.bfly.b32 %r0, %r1, 16, 31, -1;\n$out:",
      launch(1, 32), "", {.slice = 1});
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i ^ 16);
}

TEST(OracleWarp, DisjointMasksMeetApartAndExitedThreadsAreNotWaitedFor) {
  const Words out = per_thread(
      "setp.lt.u32 %p0, %r15, 4; @%p0 exit; setp.lt.u32 %p1, %r15, 8; selp.b32 %r1, 0xff, 0xffffff00, %p1;\n"
      "setp.ne.u32 %p2, %r15, 9; vote.sync.ballot.b32 %r0, %p2, %r1; bar.warp.sync %r1;",
      launch(1, 32));
  EXPECT_EQ(out[4], 0xf0u);
  EXPECT_EQ(out[8], 0xffff'fd00u);
}

TEST(OracleWarp, Match) {
  const Words any = per_thread("and.b32 %r1, %r15, 3; match.any.sync.b32 %r0, %r1, -1;", launch(1, 32));
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(any[i], 0x1111'1111u << (i % 4));
  EXPECT_EQ(per_thread("match.all.sync.b32 %r0|%p0, %r13, -1; @!%p0 mov.u32 %r0, 1;", launch(1, 32)),
            Words(32, ~0u));
  EXPECT_EQ(per_thread("match.all.sync.b32 %r0|%p0, %r15, -1; @!%p0 add.u32 %r0, %r0, 1;", launch(1, 32)),
            Words(32, 1));
}

constexpr const char* kSpinLock =
    "$try: atom.global.cas.b32 %r1, [%out], 0, 1; setp.ne.u32 %p0, %r1, 0; @%p0 bra $try;\n"
    "ld.volatile.global.u32 %r2, [%out+4]; add.u32 %r2, %r2, 1; st.volatile.global.u32 [%out+4], %r2;\n"
    "membar.gl; atom.global.exch.b32 %r1, [%out], 0;";

TEST(OracleScheduling, SpinLocksAreFairAcrossCtas) {
  for (const Options& options :
       {Options{}, Options{.slice = 1}, Options{.slice = 1000}, Options{.slice = 7, .seed = 3}}) {
    const Words out = run({.module = "", .body = kSpinLock, .shape = launch(8, 64), .options = options});
    EXPECT_EQ(out[0], 0u);
    EXPECT_EQ(out[1], 512u);
  }
}

TEST(OracleScheduling, RunsGridsLargerThanItsResidencyWindow) {
  const Words out = per_thread("add.u32 %r0, %r14, 1;", launch(100, 32), "", {.resident_threads = 64});
  for (std::uint32_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], i + 1);
}

TEST(OracleScheduling, SeedsChangeTheInterleaving) {
  // A racy kernel: the order of arrivals. Results of race-free kernels must not depend on it, which the
  // generator's tests check.
  const auto order = [](std::uint64_t seed) {
    return per_thread(
        "mov.u32 %r1, 50; $a: sub.u32 %r1, %r1, 1; setp.ne.u32 %p0, %r1, 0; @%p0 bra $a;\n"
        "atom.shared.add.u32 %r0, [ticket], 1;",
        launch(1, 64), ".shared .align 4 .u32 ticket;", {.slice = 20, .seed = seed});
  };
  const Words one = order(1);
  EXPECT_EQ(one, order(1));
  EXPECT_NE(one, order(2));
  EXPECT_EQ(std::accumulate(one.begin(), one.end(), 0u), 64u * 63 / 2);
}

TEST(OracleHang, ReportsThreadsThatWaitForever) {
  const std::string text = error_of<base::Error>([] {
    run({.module = "",
         .body = "setp.lt.u32 %p0, %r15, 8; @%p0 bra $b;\nbar.sync 1;\n$b: bar.sync 2;",
         .shape = launch(1, 32)});
  });
  EXPECT_NE(text.find("32 threads wait"), std::string::npos) << text;
  EXPECT_NE(text.find("thread (0, 0, 0) of CTA (0, 0, 0)"), std::string::npos) << text;
  EXPECT_NE(text.find("barrier 2"), std::string::npos) << text;
}

TEST(OracleHang, StopsAtTheInstructionLimit) {
  try {
    run({.module = "",
         .body = "$loop: bra $loop;",
         .shape = {},
         .options = {.max_thread_instructions = 1000}});
    FAIL() << "must not return";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::ExitCode::kHang);
    EXPECT_NE(std::string(error.what()).find("1000 thread instructions"), std::string::npos) << error.what();
  }
}

TEST(OracleBarrier, MismatchedUseIsAFault) {
  const auto text = error_of<base::KernelFault>([] {
    run({.module = "",
         .body = "setp.lt.u32 %p0, %r15, 32; @%p0 bar.sync 0, 64; @!%p0 bar.sync 0, 32;",
         .shape = launch(1, 96)});
  });
  EXPECT_NE(text.find("others wait at it for 64"), std::string::npos) << text;
}

}  // namespace
}  // namespace heddle::oracle::test::sync_test
