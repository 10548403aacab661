// Which branches get a likely-convergence point, and where ([TBC] §3.4).
#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>
#include <vector>

#include "compiler/likely_convergence.h"
#include "unit/ptx/support.h"

namespace heddle::compiler::likely_test {
namespace {

using Lines = std::vector<std::pair<unsigned, unsigned>>;

/// {line of the branch, line of its point}, of the body. (Behind the loops is more than an exit: for one that only exits nobody
/// waits, and the sides of a branch to it meet in the loop.)
Lines likely(const std::string& body) {
  const isa::Kernel kernel = *ptx::testing::kernel(body, ".param .u32 n", "");
  constexpr unsigned kBodyLine = 6;
  const auto line = [&](base::Pc pc) { return kernel.code[pc.value()].where.line - kBodyLine + 1; };
  Lines lines;
  for (const isa::LikelyPoint& point : likely_points(kernel))
    lines.emplace_back(line(point.branch), line(point.point));
  return lines;
}

TEST(LikelyPoints, ABranchThatMayLeaveTheLoopMeetsBeforeTheBackwardBranch) {
  EXPECT_EQ(likely("HEAD: @%p1 bra OUT;\n@%p2 bra ELSE;\nmov.u32 %r1, 1;\nbra JOIN;\nELSE: mov.u32 %r1, 2;\n"
                   "JOIN: add.u32 %r2, %r2, 1;\n@%p3 bra HEAD;\nOUT: mov.u32 %r9, 1;\nret;"),
            (Lines{{1, 6}}));
}

TEST(LikelyPoints, ABranchWhoseSidesMeetWithinTheLoopHasNone) {
  EXPECT_EQ(
      likely("HEAD: @%p1 bra OUT;\n@%p2 bra MID;\nmov.u32 %r1, 1;\nMID: mov.u32 %r2, 1;\n@%p3 bra JOIN;\n"
             "mov.u32 %r3, 1;\nJOIN: add.u32 %r4, %r4, 1;\n@%p4 bra HEAD;\nOUT: mov.u32 %r9, 1;\nret;"),
      (Lines{{1, 7}}));
}

TEST(LikelyPoints, OfLoopsAroundABranchTheInnermostCounts) {
  EXPECT_EQ(likely("OUTER: @%p1 bra OUT;\nINNER: @%p2 bra OUT;\n@%p3 bra NEAR;\nmov.u32 %r1, 1;\n"
                   "NEAR: add.u32 %r2, %r2, 1;\n@%p4 bra INNER;\n@%p5 bra FAR;\nmov.u32 %r3, 1;\n"
                   "FAR: add.u32 %r4, %r4, 1;\n@%p6 bra OUTER;\nOUT: mov.u32 %r9, 1;\nret;"),
            (Lines{{1, 9}, {2, 5}}));
}

TEST(LikelyPoints, OfBackwardBranchesTheLastCounts) {
  EXPECT_EQ(
      likely("HEAD: @%p1 bra OUT;\n@%p2 bra FIRST;\nmov.u32 %r1, 1;\nFIRST: add.u32 %r2, %r2, 1;\n"
             "@%p3 bra HEAD;\n@%p4 bra LAST;\nmov.u32 %r3, 1;\nLAST: add.u32 %r4, %r4, 1;\n@%p5 bra HEAD;\n"
             "OUT: mov.u32 %r9, 1;\nret;"),
      (Lines{{1, 8}, {5, 8}}));
}

}  // namespace
}  // namespace heddle::compiler::likely_test
