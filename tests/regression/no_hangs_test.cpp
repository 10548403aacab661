// Small kernels that look like hangs but terminate: the watchdog raises no alarm at any check interval.
#include "hangs_support.h"

namespace heddle::hang_tests::no_hangs_test {
namespace {

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

class EarlyReturn : public Hangs, public ::testing::WithParamInterface<simt::FirstSide> {};

TEST_P(EarlyReturn, BeforeABarrierIsNoHang) {
  config_.core.control_flow.first_side = GetParam();
  const auto error = run(kEarlyReturn, shape(1, 64));
  ASSERT_FALSE(error.has_value()) << error->what();
  EXPECT_EQ(out_[3], 103u);
  EXPECT_EQ(out_[21], 0u);
  EXPECT_EQ(out_[40], 240u);
}

INSTANTIATE_TEST_SUITE_P(Sides, EarlyReturn,
                         ::testing::Values(simt::FirstSide::kTaken, simt::FirstSide::kNotTaken));

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

}  // namespace
}  // namespace heddle::hang_tests::no_hangs_test
