// Delayed reconvergence (Alg 5): the golden example, kernels with several loops, and nesting on random
// graphs.
#include <gtest/gtest.h>

#include <random>

#include "analysis/delayed_reconvergence.h"
#include "unit/analysis/code.h"
#include "unit/ssde/kernels.h"

namespace heddle::ssde_test::delayed_test {
namespace {

/// Line at which the branch of a line meets (lines of the body), 0: the end.
std::uint32_t meets(Analyzed& kernel, std::uint32_t body_line, analysis::DelayRules rules = {}) {
  for (const auto& point : analysis::delayed_reconvergence(*kernel.code, {}, rules))
    if (kernel.line(point.branch) == body_line + kBodyLine - 1)
      return point.rpc == base::kNoPc ? 0 : kernel.line(point.rpc.value()) - kBodyLine + 1;
  ADD_FAILURE() << "no branch at line " << body_line;
  return 0;
}

TEST(DelayedReconvergence, G8_TheSpinLocksLanesMeetBehindTheRelease) {
  Analyzed kernel = analyze(kSpinLock);
  EXPECT_EQ(meets(kernel, 3), 9u);
  isa::Kernel changed = *kernel.kernel;
  EXPECT_EQ(changed.code[analysis::delayed_reconvergence(*kernel.code).front().branch].rpc,
            kernel.loop(1).reconvergence);
  analysis::apply_reconvergence(changed, analysis::delayed_reconvergence(*kernel.code));
  EXPECT_EQ(changed.code[analysis::delayed_reconvergence(*kernel.code).front().branch].rpc,
            kernel.loop(1).safe);
}

TEST(DelayedReconvergence, KernelsWithoutFlagsKeepTheirPoints) {
  for (const char* body : {kRetry, kNestedRetry, kRetryWithDelay, kUnstructured, kPollForParent}) {
    Analyzed kernel = analyze(body);
    for (const auto& point : analysis::delayed_reconvergence(*kernel.code))
      EXPECT_EQ(point.rpc, kernel.kernel->code[point.branch].rpc) << body;
  }
}

TEST(DelayedReconvergence, BranchesAroundADelayedOneAreDelayedAsWell) {
  // The branch around the lock loop reconverges where the loop does, not before.
  Analyzed kernel = analyze(R"(mov.u32 %r6, %tid.x;
setp.eq.u32 %p2, %r6, 3;
@%p2 bra BEHIND;
SPIN: atom.global.cas.b32 %r2, [%rd1], 0, 1;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra SPIN;
BEHIND: mov.u32 %r5, 0;
membar.gl;
atom.global.exch.b32 %r4, [%rd1], 0;
mov.u32 %r7, 0;
ret;
)");
  EXPECT_EQ(meets(kernel, 6), 10u);
  EXPECT_EQ(meets(kernel, 3), 10u);
  EXPECT_EQ(kernel.kernel->code[kernel.loop(4).exit_branches[0]].rpc, kernel.loop(4).reconvergence);
  // [AWARE:A9]'s other reading looks at loops only.
  EXPECT_EQ(meets(kernel, 3, {.paths = analysis::DelayedPaths::kLoopExits}), 7u);
}

TEST(DelayedReconvergence, AParallelWriteDelaysNothing) {
  Analyzed kernel = analyze(R"(mov.u32 %r5, %tid.x;
setp.ne.u32 %p2, %r5, 0;
@%p2 bra WAIT;
mov.u32 %r6, 1;
st.volatile.global.u32 [%rd1], %r6;
bra JOIN;
WAIT: ld.volatile.global.u32 %r2, [%rd1];
setp.eq.u32 %p1, %r2, 0;
@%p1 bra WAIT;
mov.u32 %r8, 0;
JOIN: mov.u32 %r7, 0;
ret;
)");
  EXPECT_EQ(kernel.safe(7), 11u);
  EXPECT_EQ(meets(kernel, 9), 10u);
}

// --- nesting, as [AWARE] §5.4.2 promises

/// Blocks of a compare-and-swap or store and a conditional branch, with edges anywhere.
isa::Kernel random_kernel(std::mt19937& random) {
  using analysis::testing::exit, analysis::testing::jump, analysis::testing::plain;
  isa::Kernel kernel;
  kernel.registers.rows32 = 2;
  kernel.registers.predicates = 1;
  const unsigned blocks = 3 + random() % 12;
  for (unsigned b = 0; b < blocks; ++b) {
    isa::Instruction access;
    access.op = random() % 2 == 0 ? isa::Opcode::kAtomic : isa::Opcode::kStore;
    if (random() % 3 == 0) access.op = isa::Opcode::kLane;
    access.space = isa::StateSpace::kShared;
    access.type = isa::Type::kB32;
    access.memory.displacement = 4 * static_cast<std::int64_t>(random() % 3);
    if (access.op == isa::Opcode::kAtomic) {
      access.writes[0] = 0;
      access.write_count = 1;
    }
    kernel.code.push_back(access);
    isa::Instruction test = plain({2}, {static_cast<isa::RegId>(random() % 2)});
    kernel.code.push_back(test);
    isa::Instruction branch = analysis::testing::branch(3 * static_cast<std::uint32_t>(random() % blocks));
    branch.guard.reg = 2;
    branch.reads[0] = 2;
    branch.read_count = 1;
    if (random() % 6 == 0) branch = jump(3 * static_cast<std::uint32_t>(random() % blocks));
    kernel.code.push_back(branch);
  }
  kernel.code.push_back(exit());
  return kernel;
}

TEST(DelayedReconvergence, ABranchsPointPostDominatesThoseOfTheBranchesInBetween) {
  std::mt19937 random(20181);
  unsigned delayed = 0;
  unsigned pairs = 0;
  for (unsigned round = 0; round < 2000; ++round) {
    const isa::Kernel kernel = random_kernel(random);
    analysis::CodeAnalysis code(kernel);
    const auto points = analysis::delayed_reconvergence(code);
    const auto conditional = [&](std::uint32_t branch) {
      return code.cfg().block(code.cfg().block_of(branch)).successors.size() > 1;
    };
    for (const auto& point : points) {
      if (!conditional(point.branch)) continue;
      delayed += point.rpc != code.post_dominators().behind(point.branch) ? 1 : 0;
      const auto between =
          analysis::blocks_between(code.cfg(), code.cfg().block(code.cfg().block_of(point.branch)).successors,
                                   code.post_dominators().block_of(point.rpc));
      for (const auto& other : points) {
        if (!conditional(other.branch) || !between.test(code.cfg().block_of(other.branch))) continue;
        ++pairs;
        EXPECT_TRUE(code.post_dominators().post_dominates(point.rpc, other.rpc))
            << "round " << round << ": branch " << point.branch << " meets at " << point.rpc.value()
            << ", branch " << other.branch << " at " << other.rpc.value();
      }
    }
  }
  EXPECT_GT(delayed, 1000u) << "the random graphs delay too little to mean anything";
  EXPECT_GT(pairs, 5000u);
}

}  // namespace
}  // namespace heddle::ssde_test::delayed_test
