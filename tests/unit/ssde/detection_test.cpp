// Detection of SIMT-induced deadlocks (Alg 1), safe post-dominators (Alg 2) and their resolution (Alg 3) on
// the patterns [SSDE:K0] to [SSDE:K13]. Each G18 is a row of [SSDE:G18].
#include <gtest/gtest.h>

#include "unit/ssde/kernels.h"

namespace heddle::ssde_test::detection_test {
namespace {

using Lines = std::vector<std::uint32_t>;

analysis::DeadlockOptions distinct_parameters() {
  analysis::DeadlockOptions options;
  options.alias.params_may_alias = false;
  return options;
}

TEST(SimtDeadlock, G18_a_SpinLockIsFlaggedAndSafeBehindTheRelease) {
  const Analyzed kernel = analyze(kSpinLock, distinct_parameters());
  EXPECT_EQ(kernel.flagged(), Lines{1});
  EXPECT_EQ(kernel.writes(1), Lines{8});
  EXPECT_TRUE(kernel.loop(1).writes[0].reachable);
  EXPECT_FALSE(kernel.loop(1).writes[0].parallel);
  EXPECT_EQ(kernel.line(kernel.loop(1).writes[0].read), kBodyLine);
  EXPECT_EQ(kernel.line(kernel.loop(1).reconvergence.value()), kBodyLine + 3);
  EXPECT_EQ(kernel.safe(1), 9u);
  // Pointers that a kernel is given may be the same: the counter's store may then be the release as well.
  EXPECT_EQ(analyze(kSpinLock).writes(1), (Lines{6, 8}));
  EXPECT_EQ(analyze(kSpinLock).safe(1), 9u);
}

TEST(SimtDeadlock, G18_b_RetryLoopIsNotFlagged) {
  const Analyzed kernel = analyze(kRetry);
  EXPECT_EQ(kernel.flagged(), Lines{});
  EXPECT_FALSE(kernel.loop(2).shared_reads.empty());
}

TEST(SimtDeadlock, G18_c_LockLoopInABreakingLoopIsSafeBehindTheOuterOne) {
  const Analyzed kernel = analyze(kBreakWithLock, distinct_parameters());
  EXPECT_EQ(kernel.flagged(), Lines{3});
  EXPECT_EQ(kernel.loop(3).loop.blocks.count(), 1u);
  EXPECT_EQ(kernel.safe(3), 22u);
  unsigned outer = 0;
  for (const auto& finding : kernel.findings)
    if (finding.loop.blocks.count() > 1) {
      ++outer;
      EXPECT_FALSE(finding.flagged());
    }
  EXPECT_EQ(outer, 1u);
}

TEST(SimtDeadlock, G18_d_WaitingLoopInAnOuterLoopIsSafeBehindIt) {
  const Analyzed kernel = analyze(kWaitForParent);
  EXPECT_EQ(kernel.flagged(), Lines{6});
  EXPECT_EQ(kernel.writes(6), (Lines{13, 16}));
  EXPECT_EQ(kernel.safe(6), 20u);
}

TEST(SimtDeadlock, G18_e_SpinInAGridStrideLoopIsSafeBehindIt) {
  const Analyzed kernel = analyze(kSpinInGridStride, distinct_parameters());
  EXPECT_EQ(kernel.flagged(), Lines{3});
  // The compare-and-swap itself is reached again, too.
  EXPECT_EQ(kernel.writes(3), (Lines{3, 10}));
  EXPECT_EQ(kernel.safe(3), 14u);
}

TEST(SimtDeadlock, G18_f_RetryInAGridStrideLoopIsFlaggedFalsely) {
  const Analyzed kernel = analyze(kRetryInGridStride, distinct_parameters());
  EXPECT_EQ(kernel.flagged(), Lines{3});
  EXPECT_EQ(kernel.safe(3), 17u);
  analysis::DeadlockOptions options = distinct_parameters();
  options.writes_within_loop = false;  // [SSDE:A12]
  EXPECT_EQ(analyze(kRetryInGridStride, options).flagged(), Lines{});
  EXPECT_EQ(analyze(kSpinInGridStride, options).flagged(), Lines{3});
}

TEST(SimtDeadlock, G18_g_TwoLocksAreBothSafeBehindTheLastRelease) {
  const Analyzed kernel = analyze(kTwoLocks);
  EXPECT_EQ(kernel.flagged(), (Lines{2, 5}));
  EXPECT_EQ(kernel.safe(2), 14u);
  EXPECT_EQ(kernel.safe(5), 14u);
  // That the locks are two memories makes the inner one safe earlier.
  EXPECT_EQ(analyze(kTwoLocks, distinct_parameters()).safe(2), 14u);
  EXPECT_EQ(analyze(kTwoLocks, distinct_parameters()).safe(5), 13u);
}

TEST(SimtDeadlock, G18_h_HistogramIsFlaggedFalselyFourTimes) {
  const Analyzed kernel = analyze(kHistogram);
  EXPECT_EQ(kernel.flagged(), (Lines{6, 14, 22, 30}));
  EXPECT_EQ(kernel.safe(6), 41u);
}

TEST(SimtDeadlock, G18_i_LoopThatAllLanesLeaveTogetherIsFlaggedFalsely) {
  const Analyzed kernel = analyze(kAllLanesAgree);
  EXPECT_EQ(kernel.flagged(), Lines{3});
  EXPECT_EQ(kernel.writes(3), Lines{10});
  EXPECT_EQ(analyze(kAllLanesAgree, distinct_parameters()).flagged(), Lines{});
}

TEST(SimtDeadlock, G18_j_LockLaneByLaneIsFlaggedFalselyAndSafeBehindTheLanes) {
  const Analyzed kernel = analyze(kLaneByLane);
  EXPECT_EQ(kernel.flagged(), Lines{5});
  EXPECT_EQ(kernel.safe(5), 16u);
}

TEST(SimtDeadlock, TheOtherPatternsOfTheTable) {
  EXPECT_EQ(analyze(kPollForParent).flagged(), Lines{}) << "K6, polling";
  EXPECT_EQ(analyze(kNestedRetry).flagged(), Lines{}) << "K3";
  EXPECT_EQ(analyze(kRetryWithDelay).flagged(), Lines{}) << "K9";
  EXPECT_EQ(analyze(kUnstructured).flagged(), Lines{}) << "K13";
  const Analyzed delay = analyze(kLockWithDelay);
  EXPECT_EQ(delay.flagged(), Lines{3}) << "K7";
  EXPECT_EQ(delay.safe(3), 17u) << "K7";
  EXPECT_TRUE(delay.loop(7).depends_on_memory) << "K7: whether there is a delay at all";
  EXPECT_TRUE(delay.loop(7).shared_reads.empty()) << "K7";
  EXPECT_EQ(analyze(kMaximum).flagged(), Lines{5}) << "K8";
  EXPECT_EQ(analyze(kMaximum).safe(5), 14u) << "K8";
  EXPECT_EQ(analyze(kEarlyRelease).flagged(), Lines{2}) << "K10";
  EXPECT_EQ(analyze(kEarlyRelease).safe(2), 0u) << "K10: behind both returns";
  EXPECT_EQ(analyze(kTwoReleases).flagged(), (Lines{2, 5})) << "K10";
  EXPECT_EQ(analyze(kTwoReleases).safe(2), 20u) << "K10";
  EXPECT_EQ(analyze(kTwoReleases).safe(5), 20u) << "K10";
}

// --- what depends on what

TEST(SimtDeadlock, ExitsMayDependOnAReadThroughLocalMemory) {
  // As compilers write it without optimisation.
  const Analyzed kernel = analyze(R"(.local .align 8 .b8 frame[16];
SPIN: atom.global.cas.b32 %r2, [%rd1], 0, 1;
st.local.u32 [frame+4], %r2;
ld.local.u32 %r3, [frame+4];
setp.ne.u32 %p1, %r3, 0;
@%p1 bra SPIN;
atom.global.exch.b32 %r4, [%rd1], 0;
ret;
)");
  EXPECT_EQ(kernel.flagged(), Lines{2});
  // Another address in the frame is unrelated.
  EXPECT_EQ(analyze(R"(.local .align 8 .b8 frame[16];
mov.u32 %r5, 0;
SPIN: atom.global.cas.b32 %r2, [%rd1], 0, 1;
st.local.u32 [frame+4], %r2;
st.local.u32 [frame+8], %r5;
add.u32 %r5, %r5, 1;
ld.local.u32 %r3, [frame+8];
setp.ne.u32 %p1, %r3, 7;
@%p1 bra SPIN;
atom.global.exch.b32 %r4, [%rd1], 0;
ret;
)")
                .flagged(),
            Lines{});
}

TEST(SimtDeadlock, ExitsMayDependOnAReadByDecision) {
  // The loop's own test is of a register that only a decision about the read has set.
  EXPECT_EQ(analyze(R"(mov.u32 %r5, 0;
SPIN: ld.volatile.global.u32 %r2, [%rd1];
setp.eq.u32 %p1, %r2, 0;
@%p1 bra NOT;
mov.u32 %r5, 1;
NOT: setp.eq.u32 %p2, %r5, 0;
@%p2 bra SPIN;
st.volatile.global.u32 [%rd1], 1;
ret;
)")
                .flagged(),
            Lines{2});
  // The same with a guarded instruction.
  EXPECT_EQ(analyze(R"(mov.u32 %r5, 0;
SPIN: ld.volatile.global.u32 %r2, [%rd1];
setp.ne.u32 %p1, %r2, 0;
@%p1 mov.u32 %r5, 1;
setp.eq.u32 %p2, %r5, 0;
@%p2 bra SPIN;
mov.u32 %r6, 1;
st.volatile.global.u32 [%rd1], %r6;
ret;
)")
                .flagged(),
            Lines{2});
}

TEST(SimtDeadlock, AnExitWithinTheLoopDecidesWhetherItGoesOn) {
  // Lanes with %p2 leave, wait for the others, and are the ones to set what these wait for.
  EXPECT_EQ(analyze(R"(mov.u32 %r5, %tid.x;
setp.eq.u32 %p2, %r5, 0;
SPIN: ld.volatile.global.u32 %r2, [%rd1];
setp.ne.u32 %p1, %r2, 0;
@%p1 exit;
@%p2 bra OUT;
bra SPIN;
OUT: mov.u32 %r6, 1;
st.volatile.global.u32 [%rd1], %r6;
ret;
)")
                .flagged(),
            Lines{3});
}

TEST(SimtDeadlock, ABarrierEndsWhatIsReachable) {
  const char* const body = R"(SPIN: ld.volatile.global.u32 %r2, [%rd1];
setp.eq.u32 %p1, %r2, 0;
@%p1 bra SPIN;
BARRIER
mov.u32 %r6, 0;
st.volatile.global.u32 [%rd1], %r6;
ret;
)";
  const auto with = [&](const std::string& barrier) {
    std::string text = body;
    return analyze(text.replace(text.find("BARRIER"), 7, barrier)).flagged();
  };
  EXPECT_EQ(with("bar.sync 0;"), Lines{});
  EXPECT_EQ(with("barrier.cta.sync 0;"), Lines{});
  // Not every thread's barrier, or not waited for.
  EXPECT_EQ(with("bar.sync 1, 64;"), Lines{1});
  EXPECT_EQ(with("bar.arrive 0, 64;"), Lines{1});
  EXPECT_EQ(with("@%p2 bar.sync 0;"), Lines{1});
  EXPECT_EQ(with("membar.gl;"), Lines{1});
}

TEST(SimtDeadlock, AWriteOnTheOtherSideOfABranchIsParallel) {
  const Analyzed kernel = analyze(R"(mov.u32 %r5, %tid.x;
setp.ne.u32 %p2, %r5, 0;
@%p2 bra WAIT;
mov.u32 %r6, 1;
st.volatile.global.u32 [%rd1], %r6;
bra JOIN;
WAIT: ld.volatile.global.u32 %r2, [%rd1];
setp.eq.u32 %p1, %r2, 0;
@%p1 bra WAIT;
JOIN: mov.u32 %r7, 0;
ret;
)");
  EXPECT_EQ(kernel.flagged(), Lines{7});
  ASSERT_EQ(kernel.loop(7).writes.size(), 1u);
  EXPECT_TRUE(kernel.loop(7).writes[0].parallel);
  EXPECT_FALSE(kernel.loop(7).writes[0].reachable);
  EXPECT_EQ(kernel.safe(7), 10u);
  analysis::DeadlockOptions options;
  options.parallel_writes = false;
  EXPECT_EQ(analyze(kSpinLock, options).flagged(), Lines{1});
}

TEST(SimtDeadlock, ALoopAroundIsTakenAlongIfItMayBeBlocked) {
  // The outer loop's exit depends on memory, and the lock loop's SafePDOM is after it.
  const Analyzed kernel = analyze(R"(OUTER: mov.u32 %r9, 0;
SPIN: atom.global.cas.b32 %r2, [%rd1], 0, 1;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra SPIN;
ld.volatile.global.u32 %r3, [%rd2];
add.u32 %r4, %r3, 1;
st.volatile.global.u32 [%rd2], %r4;
membar.gl;
atom.global.exch.b32 %r5, [%rd1], 0;
setp.lt.u32 %p2, %r3, %r1;
@%p2 bra OUTER;
mov.u32 %r6, 0;
ret;
)",
                                  distinct_parameters());
  EXPECT_EQ(kernel.flagged(), (Lines{1, 2}));
  EXPECT_TRUE(kernel.loop(1).writes.empty());
  ASSERT_NE(kernel.loop(1).because_of, analysis::kNoOtherLoop);
  EXPECT_EQ(kernel.safe(1), 12u);
  EXPECT_EQ(kernel.safe(2), 12u);
}

// --- which accesses may be the same

Lines flagged_with(const std::string& read, const std::string& write, const std::string& before = "") {
  return analyze(before + "\nSPIN: ld.volatile" + read + ";\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra SPIN;\n" +
                     "mov.u32 %r6, 1;\nst.volatile" + write + ";\nret;\n",
                 {},
                 ".shared .align 4 .b32 s0; .shared .align 4 .b32 s1[8]; .global .align 4 .b32 g0; "
                 ".global .align 4 .b32 g1[8];")
      .flagged();
}

TEST(MayAlias, TellsSpacesVariablesAndOffsetsApart) {
  const Lines yes{2};
  const Lines no{};
  EXPECT_EQ(flagged_with(".shared.u32 %r2, [s0]", ".global.u32 [g0], %r6"), no);
  EXPECT_EQ(flagged_with(".shared.u32 %r2, [s0]", ".shared.u32 [s0], %r6"), yes);
  EXPECT_EQ(flagged_with(".shared.u32 %r2, [s0]", ".shared.u32 [s1], %r6"), no);
  EXPECT_EQ(flagged_with(".shared.u32 %r2, [s1]", ".shared.u32 [s1+4], %r6"), no);
  EXPECT_EQ(flagged_with(".shared.u32 %r2, [s1+2]", ".shared.u32 [s1+4], %r6"), yes);
  EXPECT_EQ(flagged_with(".global.u32 %r2, [g0]", ".global.u32 [g1], %r6"), no);
  EXPECT_EQ(flagged_with(".global.u32 %r2, [%rd1]", ".global.u32 [%rd1+4], %r6"), no);
  EXPECT_EQ(flagged_with(".global.u32 %r2, [%rd1]", ".global.u32 [%rd2+4], %r6"), yes);
  EXPECT_EQ(flagged_with(".global.u32 %r2, [%rd1]", ".global.u32 [g0], %r6"), yes);
  EXPECT_EQ(flagged_with(".global.u32 %r2, [%rd1]", ".shared.u32 [s0], %r6"), no);
  EXPECT_EQ(flagged_with(".u32 %r2, [%rd1]", ".shared.u32 [s0], %r6"), yes) << "generic";
}

TEST(MayAlias, FollowsWhatAddressesAreComputedFrom) {
  const Lines yes{2};
  const Lines no{};
  // One element of each array, whichever: %rd5 and %rd6 point into g0 and g1.
  const std::string both =
      "mov.u32 %r9, %tid.x; mul.wide.u32 %rd9, %r9, 4; mov.u64 %rd5, g0; add.s64 %rd5, %rd5, %rd9; mov.u64 "
      "%rd6, g1; add.s64 %rd6, %rd6, %rd9;";
  EXPECT_EQ(flagged_with(".global.u32 %r2, [%rd5]", ".global.u32 [%rd6], %r6", both), no);
  EXPECT_EQ(flagged_with(".global.u32 %r2, [%rd5]", ".global.u32 [%rd5+4], %r6", both), yes)
      << "another thread's element";
  // Elements of 8 bytes: the halves never meet.
  const std::string structs =
      "mov.u32 %r9, %tid.x; shl.b32 %r10, %r9, 3; cvt.u64.u32 %rd9, %r10; add.s64 %rd5, %rd1, %rd9;";
  EXPECT_EQ(flagged_with(".global.u32 %r2, [%rd5]", ".global.u32 [%rd5+4], %r6", structs), no);
  EXPECT_EQ(flagged_with(".global.u32 %r2, [%rd5+4]", ".global.u32 [%rd1+12], %r6", structs), yes);
  EXPECT_EQ(flagged_with(".global.u32 %r2, [%rd5+4]", ".global.u32 [%rd1+16], %r6", structs), no);
  EXPECT_EQ(flagged_with(".global.u32 %r2, [%rd5+6]", ".global.u32 [%rd1+8], %r6", structs), yes)
      << "over the edge";
  // A pointer that was loaded may be any.
  EXPECT_EQ(flagged_with(".global.u32 %r2, [%rd5]", ".global.u32 [g0], %r6", "ld.global.u64 %rd5, [%rd1];"),
            yes);
  // A generic address of a shared variable is one of shared memory.
  const std::string generic = "mov.u64 %rd5, s0; cvta.shared.u64 %rd6, %rd5;";
  EXPECT_EQ(flagged_with(".u32 %r2, [%rd6]", ".global.u32 [%rd1], %r6", generic), no);
  EXPECT_EQ(flagged_with(".u32 %r2, [%rd6]", ".shared.u32 [s0], %r6", generic), yes);
  EXPECT_EQ(flagged_with(".u32 %r2, [%rd6]", ".shared.u32 [s1], %r6", generic), no);
  // A pointer that walks through an array.
  EXPECT_EQ(
      flagged_with(".shared.u32 %r2, [%r11]", ".shared.u32 [s0], %r6",
                   "mov.u32 %r11, s1; W: add.u32 %r11, %r11, 4; setp.lt.u32 %p5, %r11, 40; @%p5 bra W;"),
      no);
}

TEST(SimtDeadlock, ACallMayReadAndWriteWhatItsFunctionDoes) {
  const std::string functions = R"(.func (.param .b32 got) try_lock(.param .b64 at)
{ .reg .b64 %a; .reg .b32 %v; ld.param.u64 %a, [at]; atom.global.cas.b32 %v, [%a], 0, 1; st.param.b32 [got], %v; ret; }
.func unlock(.param .b64 at)
{ .reg .b64 %a; .reg .b32 %v; ld.param.u64 %a, [at]; atom.global.exch.b32 %v, [%a], 0; ret; }
.func (.param .b32 got) pure(.param .b32 x)
{ .reg .b32 %v; ld.param.u32 %v, [x]; add.u32 %v, %v, 1; st.param.b32 [got], %v; ret; })";
  const std::string one_line = [&] {
    std::string text = functions;
    for (char& c : text)
      if (c == '\n') c = ' ';
    return text;
  }();
  EXPECT_EQ(analyze(R"({ .param .b64 a; .param .b32 r; st.param.b64 [a], %rd1;
SPIN: call.uni (r), try_lock, (a); ld.param.b32 %r2, [r];
setp.ne.u32 %p1, %r2, 0; @%p1 bra SPIN; }
{ .param .b64 b; st.param.b64 [b], %rd1; call.uni unlock, (b); }
ret;
)",
                    {}, one_line)
                .flagged(),
            Lines{2});
  EXPECT_EQ(analyze(R"({ .param .b32 a; .param .b32 r; st.param.b32 [a], %r1;
SPIN: call.uni (r), pure, (a); ld.param.b32 %r2, [r];
setp.ne.u32 %p1, %r2, 0; @%p1 bra SPIN; }
{ .param .b64 b; st.param.b64 [b], %rd1; call.uni unlock, (b); }
ret;
)",
                    {}, one_line)
                .flagged(),
            Lines{});
}

TEST(SimtDeadlock, AnIndirectBranchMayBeALoopsEnd) {
  const Analyzed kernel = analyze(R"(TABLE: .branchtargets SPIN, OUT;
SPIN: atom.global.cas.b32 %r2, [%rd1], 0, 1;
xor.b32 %r3, %r2, 1;
brx.idx %r3, TABLE;
OUT: atom.global.exch.b32 %r4, [%rd1], 0;
mov.u32 %r5, 0;
ret;
)");
  EXPECT_EQ(kernel.flagged(), Lines{2});
  EXPECT_EQ(kernel.safe(2), 6u);
}

TEST(SimtDeadlock, ACycleWithTwoEntriesHasLoopsToo) {
  const Analyzed kernel = analyze(R"(mov.u32 %r5, %tid.x;
setp.eq.u32 %p2, %r5, 0;
@%p2 bra MIDDLE;
TOP: mov.u32 %r6, 0;
MIDDLE: atom.global.cas.b32 %r2, [%rd1], 0, 1;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra TOP;
atom.global.exch.b32 %r4, [%rd1], 0;
mov.u32 %r7, 0;
ret;
)");
  ASSERT_EQ(kernel.flagged().size(), 1u);
  EXPECT_TRUE(kernel.loop(kernel.flagged()[0]).loop.several_entries);
  EXPECT_EQ(kernel.safe(kernel.flagged()[0]), 9u);
}

}  // namespace
}  // namespace heddle::ssde_test::detection_test
