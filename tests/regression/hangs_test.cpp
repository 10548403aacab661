// The watchdog on small kernels: every kind of hang is diagnosed correctly, and kernels that look like hangs
// but terminate raise no alarm at any check interval.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "base/error.h"
#include "gpu/gpu_device.h"

namespace heddle {
namespace {

/// One kernel `k(flag, out)` from its declarations and body.
std::string module(const std::string& body) {
  return R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 flag_ptr, .param .u64 out_ptr)
{
  .reg .b32 %r<20>;
  .reg .b64 %rd<8>;
  .reg .pred %p<8>;
  ld.param.u64 %rd1, [flag_ptr];
  ld.param.u64 %rd2, [out_ptr];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
)" + body +
         "}\n";
}

class Hangs : public testing::Test {
 protected:
  void SetUp() override {
    config_.cores = 2;
    config_.memory.partitions = 2;
    config_.watchdog.check_cycles = 64;
  }
  /// The error the launch ends with; none if it finishes.
  std::optional<base::Error> run(const std::string& body, host::Launch shape,
                                 std::uint64_t max_cycles = 3'000'000) {
    gpu::GpuDevice device(config_, {.max_cycles = max_cycles, .shuffle_modules = 0, .on_progress = {}});
    const auto handle = device.load_ptx_text(module(body), "kernel.ptx");
    const std::uint64_t flag = device.allocate(256, "flag");
    const std::uint64_t out = device.allocate(4096, "out");
    try {
      device.launch(handle, "k", shape, host::Args{}.add(flag).add(out));
    } catch (const base::Error& error) {
      return error;
    }
    out_ = device.download<std::uint32_t>(out, 1024);
    return std::nullopt;
  }
  void expect_hang(const std::string& body, host::Launch shape, const std::vector<std::string>& words) {
    const auto error = run(body, shape);
    ASSERT_TRUE(error.has_value()) << "the kernel finished";
    EXPECT_EQ(error->code(), base::ExitCode::kHang) << error->what();
    for (const std::string& word : words)
      EXPECT_NE(std::string(error->what()).find(word), std::string::npos) << word << " not in:\n"
                                                                          << error->what();
  }
  gpu::GpuConfig config_;
  std::vector<std::uint32_t> out_;
};

host::Launch shape(std::uint32_t grid, std::uint32_t block) { return {{grid, 1, 1}, {block, 1, 1}, 0}; }

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

// The same with a bound: after so many tries it gives up.
TEST_F(Hangs, SpinThatGivesUpIsNoHang) {
  const auto error = run(R"(
  mov.u32 %r4, 0;
SPIN:
  add.u32 %r4, %r4, 1;
  ld.volatile.global.u32 %r3, [%rd1];
  setp.eq.u32 %p1, %r3, 0;
  setp.lt.and.u32 %p2, %r4, 600, %p1;
  @%p2 bra SPIN;
  st.global.u32 [%rd2], %r4;
  ret;
)",
                         shape(1, 32));
  ASSERT_FALSE(error.has_value()) << error->what();
  EXPECT_EQ(out_[0], 600u);
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

// A ring of threads passes a counter on, and each adds to it: finite, although it looks like the previous
// one.
TEST_F(Hangs, ExchangeRetriesThatComeToAnEndAreNoHang) {
  const auto error = run(R"(
  setp.ne.u32 %p3, %r1, 0;
  @%p3 bra END;
  mov.u32 %r4, 0;
SPIN:
  add.u32 %r4, %r4, 1;
  atom.global.exch.b32 %r3, [%rd1], %r4;
  setp.lt.u32 %p2, %r3, 300;
  @%p2 bra SPIN;
  st.global.u32 [%rd2], %r3;
END:
  ret;
)",
                         shape(1, 32));
  ASSERT_FALSE(error.has_value()) << error->what();
  EXPECT_EQ(out_[0], 300u);
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

TEST_F(Hangs, LongLoopWithoutMemoryIsNoHang) {
  ASSERT_FALSE(run(R"(
  mov.u32 %r4, 0;
LOOP:
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p1, %r4, 20000;
  @%p1 bra LOOP;
  st.global.u32 [%rd2], %r4;
  ret;
)",
                   shape(1, 32))
                   .has_value());
  EXPECT_EQ(out_[0], 20000u);
}

TEST_F(Hangs, WaitingForAClockIsNoHang) {
  const auto error = run(R"(
  mov.u32 %r4, %clock;
LOOP:
  mov.u32 %r5, %clock;
  sub.u32 %r6, %r5, %r4;
  setp.lt.u32 %p1, %r6, 50000;
  @%p1 bra LOOP;
  st.global.u32 [%rd2], 7;
  ret;
)",
                         shape(1, 32));
  ASSERT_FALSE(error.has_value()) << error->what();
  EXPECT_EQ(out_[0], 7u);
}

TEST_F(Hangs, WaitingForASlowProducerIsNoHang) {
  // Warp 1 computes for a long time before it sets the flag that warp 0 and the other CTA spin on.
  const auto error = run(R"(
  setp.eq.u32 %p1, %r2, 0;
  setp.ge.and.u32 %p2, %r1, 32, %p1;
  @!%p2 bra SPIN;
  mov.u32 %r4, 0;
OUTER:
  mov.u32 %r5, 0;
INNER:
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p3, %r5, 100;
  @%p3 bra INNER;
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p4, %r4, 200;
  @%p4 bra OUTER;
  st.volatile.global.u32 [%rd1], 1;
  ret;
SPIN:
  ld.volatile.global.u32 %r3, [%rd1];
  setp.eq.u32 %p5, %r3, 0;
  @%p5 bra SPIN;
  st.global.u32 [%rd2+4], 9;
  ret;
)",
                         shape(2, 64));
  ASSERT_FALSE(error.has_value()) << error->what();
  EXPECT_EQ(out_[1], 9u);
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

// if (tid >= 20) return; ... __syncthreads(), nested in divergent code: those that return are not waited for.
constexpr const char* kEarlyReturn = R"(
  and.b32 %r3, %r1, 1;
  setp.eq.u32 %p1, %r3, 0;
  @%p1 bra EVEN;
  setp.ge.u32 %p2, %r1, 20;
  @%p2 bra END;
  add.u32 %r4, %r1, 100;
  bra.uni JOIN;
EVEN:
  add.u32 %r4, %r1, 200;
JOIN:
  bar.sync 0;
  mul.wide.u32 %rd3, %r1, 4;
  add.u64 %rd4, %rd2, %rd3;
  st.global.u32 [%rd4], %r4;
END:
  ret;
)";

class EarlyReturn : public Hangs, public testing::WithParamInterface<simt::FirstSide> {};

TEST_P(EarlyReturn, BeforeABarrierIsNoHang) {
  config_.core.control_flow.first_side = GetParam();
  const auto error = run(kEarlyReturn, shape(1, 64));
  ASSERT_FALSE(error.has_value()) << error->what();
  EXPECT_EQ(out_[3], 103u);
  EXPECT_EQ(out_[21], 0u);
  EXPECT_EQ(out_[40], 240u);
}

INSTANTIATE_TEST_SUITE_P(Sides, EarlyReturn,
                         testing::Values(simt::FirstSide::kTaken, simt::FirstSide::kNotTaken));

TEST_F(Hangs, BarrierCountIsInWholeWarps) {
  const auto error = run(R"(
  setp.eq.u32 %p1, %r1, 5;
  @%p1 exit;
  bar.sync 1, 64;
  st.global.u32 [%rd2], 3;
  ret;
)",
                         shape(1, 40));
  ASSERT_FALSE(error.has_value()) << error->what();
  EXPECT_EQ(out_[0], 3u);
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
}  // namespace heddle
