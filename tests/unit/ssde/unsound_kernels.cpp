#include "unit/ssde/unsound_kernels.h"

namespace heddle::ssde_test {
namespace {

// if (a) { while (!f2); f1 = 1; } else { if (c) while (!f1); f2 = 1; }
constexpr const char* kArmsWaitForEachOther = R"(mov.u32 %r6, %tid.x;
mov.u32 %r7, 1;
setp.ne.u32 %p1, %r6, 0;
@%p1 bra ELSE;
WAIT2: ld.volatile.global.u32 %r2, [%rd1+8];
setp.eq.u32 %p2, %r2, 0;
@%p2 bra WAIT2;
st.volatile.global.u32 [%rd1+4], %r7;
bra JOIN;
ELSE: setp.ne.u32 %p3, %r6, 1;
@%p3 bra SET2;
WAIT1: ld.volatile.global.u32 %r3, [%rd1+4];
setp.eq.u32 %p4, %r3, 0;
@%p4 bra WAIT1;
SET2: st.volatile.global.u32 [%rd1+8], %r7;
JOIN: mul.wide.u32 %rd5, %r6, 4;
add.u64 %rd6, %rd2, %rd5;
st.global.u32 [%rd6], %r7;
ret;
)";

// while (!g[t]); g[t + 1] = 1; f++; while (f < n);
constexpr const char* kOneWaitBehindAnother = R"(mov.u32 %r6, %tid.x;
mov.u32 %r7, 1;
mul.wide.u32 %rd5, %r6, 4;
add.u64 %rd7, %rd1, %rd5;
setp.eq.u32 %p1, %r6, 0;
@%p1 bra FIRST;
WAIT: ld.volatile.global.u32 %r2, [%rd7+64];
setp.eq.u32 %p2, %r2, 0;
@%p2 bra WAIT;
FIRST: st.volatile.global.u32 [%rd7+68], %r7;
atom.global.add.u32 %r3, [%rd1], 1;
mov.u32 %r8, %ntid.x;
ALL: ld.volatile.global.u32 %r4, [%rd1];
setp.lt.u32 %p3, %r4, %r8;
@%p3 bra ALL;
add.u64 %rd6, %rd2, %rd5;
st.global.u32 [%rd6], %r7;
ret;
)";

// if (a) { while (!x); y = 1; } else if (c) while (!y); if (t == 2) x = 1;
constexpr const char* kArmNeedsWhatIsBehind = R"(mov.u32 %r6, %tid.x;
mov.u32 %r7, 1;
setp.ne.u32 %p1, %r6, 0;
@%p1 bra ELSE;
WAITX: ld.volatile.global.u32 %r2, [%rd1+4];
setp.eq.u32 %p2, %r2, 0;
@%p2 bra WAITX;
st.volatile.global.u32 [%rd1+8], %r7;
bra JOIN;
ELSE: setp.ne.u32 %p3, %r6, 1;
@%p3 bra JOIN;
WAITY: ld.volatile.global.u32 %r3, [%rd1+8];
setp.eq.u32 %p4, %r3, 0;
@%p4 bra WAITY;
JOIN: setp.ne.u32 %p5, %r6, 2;
@%p5 bra OUT;
st.volatile.global.u32 [%rd1+4], %r7;
OUT: mul.wide.u32 %rd5, %r6, 4;
add.u64 %rd6, %rd2, %rd5;
st.global.u32 [%rd6], %r7;
ret;
)";

// if (a) while (!x); else lock(); unlock(); x = 1; lock(); unlock();
constexpr const char* kBranchMeetsLater = R"(mov.u32 %r6, %tid.x;
mov.u32 %r7, 1;
setp.ne.u32 %p1, %r6, 0;
@%p1 bra ELSE;
WAIT: ld.volatile.global.u32 %r2, [%rd1+4];
setp.eq.u32 %p2, %r2, 0;
@%p2 bra WAIT;
bra JOIN;
ELSE: setp.ne.u32 %p3, %r6, 1;
@%p3 bra JOIN;
SPIN: atom.global.cas.b32 %r3, [%rd1+8], 0, 1;
setp.ne.u32 %p4, %r3, 0;
@%p4 bra SPIN;
atom.global.exch.b32 %r4, [%rd1+8], 0;
JOIN: setp.eq.u32 %p5, %r6, 0;
@%p5 bra AGAIN;
st.volatile.global.u32 [%rd1+4], %r7;
AGAIN: atom.global.cas.b32 %r3, [%rd1+8], 0, 1;
setp.ne.u32 %p6, %r3, 0;
@%p6 bra AGAIN;
atom.global.exch.b32 %r4, [%rd1+8], 0;
mul.wide.u32 %rd5, %r6, 4;
add.u64 %rd6, %rd2, %rd5;
st.global.u32 [%rd6], %r7;
ret;
)";

// A lock whose loop half of the threads enter in the middle, in a loop around.
constexpr const char* kEnteredInTheMiddle = R"(mov.u32 %r6, %tid.x;
mov.u32 %r7, 0;
ROUND: and.b32 %r8, %r6, 1;
setp.eq.u32 %p1, %r8, 0;
@%p1 bra MIDDLE;
SPIN: add.u32 %r9, %r9, 1;
MIDDLE: atom.global.cas.b32 %r2, [%rd1+4], 0, 1;
setp.ne.u32 %p2, %r2, 0;
@%p2 bra SPIN;
ld.volatile.global.u32 %r3, [%rd1];
add.u32 %r3, %r3, 1;
st.volatile.global.u32 [%rd1], %r3;
membar.gl;
atom.global.exch.b32 %r4, [%rd1+4], 0;
add.u32 %r7, %r7, 1;
setp.lt.u32 %p3, %r7, 2;
@%p3 bra ROUND;
mul.wide.u32 %rd5, %r6, 4;
add.u64 %rd6, %rd2, %rd5;
st.global.u32 [%rd6], %r7;
ret;
)";

// for (;;) { if (try()) { work; release; if (++done == 2) break; } }: the loop's one way back passes the failed and the others.
constexpr const char* kOneWayBack = R"(mov.u32 %r6, %tid.x;
mov.u32 %r7, 0;
LOOP: atom.global.cas.b32 %r2, [%rd1+4], 0, 1;
setp.ne.u32 %p2, %r2, 0;
@%p2 bra NEXT;
ld.volatile.global.u32 %r3, [%rd1];
add.u32 %r3, %r3, 1;
st.volatile.global.u32 [%rd1], %r3;
membar.gl;
atom.global.exch.b32 %r4, [%rd1+4], 0;
add.u32 %r7, %r7, 1;
setp.eq.u32 %p3, %r7, 2;
@%p3 bra OUT;
NEXT: add.u32 %r9, %r9, 1;
bra LOOP;
OUT: mul.wide.u32 %rd5, %r6, 4;
add.u64 %rd6, %rd2, %rd5;
st.global.u32 [%rd6], %r7;
ret;
)";

// if (t) bar; J: if (!t) bar;
constexpr const char* kBarriersInTurn = R"(mov.u32 %r6, %tid.x;
mov.u32 %r7, 1;
setp.eq.u32 %p1, %r6, 0;
@%p1 bra JOIN;
bar.sync 0;
JOIN: setp.ne.u32 %p2, %r6, 0;
@%p2 bra OUT;
bar.sync 0;
OUT: mul.wide.u32 %rd5, %r6, 4;
add.u64 %rd6, %rd2, %rd5;
st.global.u32 [%rd6], %r7;
ret;
)";

// for (i = 0; i <= t; ++i) bar; for (; i <= n; ++i) bar;
constexpr const char* kBarriersInLoops = R"(mov.u32 %r6, %tid.x;
mov.u32 %r7, 0;
mov.u32 %r8, %ntid.x;
ONE: bar.sync 0;
add.u32 %r7, %r7, 1;
setp.le.u32 %p1, %r7, %r6;
@%p1 bra ONE;
TWO: bar.sync 0;
add.u32 %r7, %r7, 1;
setp.le.u32 %p2, %r7, %r8;
@%p2 bra TWO;
mul.wide.u32 %rd5, %r6, 4;
add.u64 %rd6, %rd2, %rd5;
st.global.u32 [%rd6], %r7;
ret;
)";

}  // namespace

const std::vector<UnsoundKernel>& unsound_kernels() {
  static const std::vector<UnsoundKernel> all{{"ArmsWaitForEachOther", kArmsWaitForEachOther, 3, false},
                                              {"OneWaitBehindAnother", kOneWaitBehindAnother, 4, false},
                                              {"ArmNeedsWhatIsBehind", kArmNeedsWhatIsBehind, 3, false},
                                              {"BranchMeetsLater", kBranchMeetsLater, 4, false},
                                              {"EnteredInTheMiddle", kEnteredInTheMiddle, 4, false},
                                              {"OneWayBack", kOneWayBack, 4, false},
                                              {"BarriersInTurn", kBarriersInTurn, 3, true},
                                              {"BarriersInLoops", kBarriersInLoops, 3, true}};
  return all;
}

}  // namespace heddle::ssde_test
