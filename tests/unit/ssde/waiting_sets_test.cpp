// Cycles in which threads wait for others, and the writes that these need first (analysis/SOUNDNESS.md).
#include "analysis/waiting_sets.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/ssde/kernels.h"

namespace heddle::ssde_test::waiting_sets_test {
namespace {

using Lines = std::vector<std::uint32_t>;

struct Needs {
  Lines own;
  Lines all;
};

Lines lines_of(const Analyzed& kernel, const std::vector<std::uint32_t>& instructions) {
  Lines lines;
  for (const std::uint32_t i : instructions) lines.push_back(kernel.line(i) - kBodyLine + 1);
  return lines;
}

/// By the line (from the body's first, 1) at which it begins: what the threads in a cycle wait for.
Needs needs_at(const Analyzed& kernel, const analysis::WaitingSets& sets, std::uint32_t body_line) {
  for (const analysis::WaitingSet& set : sets.all()) {
    const auto first = static_cast<analysis::BlockId>(set.blocks.find_first());
    if (kernel.line(kernel.code->cfg().block(first).first) == body_line + kBodyLine - 1)
      return {lines_of(kernel, set.needs), lines_of(kernel, set.all_needs)};
  }
  ADD_FAILURE() << "no cycle begins at line " << body_line;
  return {};
}

// if (t == 0) while (!f1); else if (t == 1) { while (!f2); f1 = 1; } else if (t == 2) { while (!f3); f2 = 1; } else f3 = 1;
std::string chain(const std::string& in_the_second = "mov.u32 %r4, 0;") {
  return R"(mov.u32 %r6, %tid.x;
setp.ne.u32 %p1, %r6, 0;
@%p1 bra SECOND;
WAIT1: ld.volatile.global.u32 %r2, [%rd1+4];
setp.eq.u32 %p2, %r2, 0;
@%p2 bra WAIT1;
bra END;
SECOND: setp.ne.u32 %p1, %r6, 1;
@%p1 bra THIRD;
WAIT2: ld.volatile.global.u32 %r2, [%rd1+8];
)" + in_the_second +
         R"(
setp.eq.u32 %p2, %r2, 0;
@%p2 bra WAIT2;
st.volatile.global.u32 [%rd1+4], 1;
bra END;
THIRD: setp.ne.u32 %p1, %r6, 2;
@%p1 bra LAST;
WAIT3: ld.volatile.global.u32 %r2, [%rd1+12];
setp.eq.u32 %p2, %r2, 0;
@%p2 bra WAIT3;
st.volatile.global.u32 [%rd1+8], 1;
bra END;
LAST: st.volatile.global.u32 [%rd1+12], 1;
END: ret;
)";
}

TEST(WaitingSets, WhoWaitsNeedsWhatThoseNeedThatItWaitsFor) {
  const Analyzed kernel = analyze(chain());
  const analysis::WaitingSets sets(*kernel.code, {});
  const Needs first = needs_at(kernel, sets, 4);
  EXPECT_EQ(first.own, Lines{14});
  EXPECT_EQ(first.all, (Lines{14, 21, 23})) << "through the second loop also what the third one needs";
  EXPECT_EQ(needs_at(kernel, sets, 10).own, Lines{21});
  EXPECT_EQ(needs_at(kernel, sets, 10).all, (Lines{21, 23}));
  EXPECT_EQ(needs_at(kernel, sets, 18).all, Lines{23});
}

TEST(WaitingSets, AsPublishedEachNeedsWhatItReads) {
  const Analyzed kernel = analyze(chain());
  analysis::DeadlockOptions options;
  options.closure = false;
  const analysis::WaitingSets sets(*kernel.code, options);
  EXPECT_EQ(needs_at(kernel, sets, 4).all, Lines{14});
  EXPECT_EQ(needs_at(kernel, sets, 10).all, Lines{21});
}

// There threads wait for all of the CTA in every round, unless barriers may be in diverged code.
TEST(WaitingSets, ALoopWithABarrierIsDependedOnWhereLanesArriveOneByOne) {
  const Analyzed kernel = analyze(chain("bar.sync 0;"));
  const analysis::WaitingSets apart(*kernel.code, {}, /*of_barriers=*/true);
  EXPECT_EQ(needs_at(kernel, apart, 4).all, (Lines{14, 21, 23}));
  const analysis::WaitingSets whole(*kernel.code, {}, /*of_barriers=*/false);
  EXPECT_EQ(needs_at(kernel, whole, 4).all, Lines{14});
  EXPECT_EQ(needs_at(kernel, whole, 10).all, (Lines{21, 23})) << "it depends on others itself";
}

}  // namespace
}  // namespace heddle::ssde_test::waiting_sets_test
