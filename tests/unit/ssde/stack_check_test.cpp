// What the check of SSDE's result finds, and the loops that it looks at (analysis/SOUNDNESS.md).
#include "analysis/stack_check.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "unit/ssde/kernels.h"

namespace heddle::ssde_test::stack_check_test {
namespace {

// if (t == 0) f = 1; else while (!f);
TEST(StackCheck, LanesOfOneSideMayWaitForTheOtherOne) {
  const Analyzed kernel = analyze(R"(mov.u32 %r5, %tid.x;
setp.eq.u32 %p2, %r5, 0;
@%p2 bra WRITE;
WAIT: ld.volatile.global.u32 %r2, [%rd1];
setp.eq.u32 %p1, %r2, 0;
@%p1 bra WAIT;
bra OUT;
WRITE: st.volatile.global.u32 [%rd1], 1;
OUT: ret;
)");
  const analysis::WaitingSets sets(*kernel.code, {});
  const std::vector<analysis::BlockedWrite> blocked = analysis::blocked_writes(*kernel.code, sets);
  ASSERT_EQ(blocked.size(), 1u);
  EXPECT_EQ(kernel.line(blocked[0].branch) - kBodyLine + 1, 3u);
  EXPECT_EQ(kernel.line(blocked[0].write) - kBodyLine + 1, 8u);
}

// do { if (t == 0) goto MIDDLE; do { TOP: ..; MIDDLE: .. } while (locked); release; } while (++n < 4);
TEST(EdgeLoops, ACycleWithTwoEntriesDoesNotSwallowTheLoopAroundIt) {
  const Analyzed kernel = analyze(R"(mov.u32 %r7, 0;
OUTER: mov.u32 %r5, %tid.x;
setp.eq.u32 %p2, %r5, 0;
@%p2 bra MIDDLE;
TOP: mov.u32 %r6, 0;
MIDDLE: atom.global.cas.b32 %r2, [%rd1], 0, 1;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra TOP;
atom.global.exch.b32 %r4, [%rd1], 0;
add.u32 %r7, %r7, 1;
setp.lt.u32 %p3, %r7, 4;
@%p3 bra OUTER;
ret;
)");
  const auto& loops = kernel.code->loops();
  ASSERT_EQ(loops.size(), 2u);
  const auto inner = std::ranges::find_if(loops, [](const auto& loop) { return loop.several_entries; });
  ASSERT_NE(inner, loops.end());
  EXPECT_EQ(inner->blocks.count(), 2u) << "TOP and MIDDLE";
  ASSERT_EQ(inner->exits.size(), 1u);
  EXPECT_EQ(kernel.line(kernel.code->cfg().block(inner->exits[0]).end - 1) - kBodyLine + 1, 8u);
}

}  // namespace
}  // namespace heddle::ssde_test::stack_check_test
