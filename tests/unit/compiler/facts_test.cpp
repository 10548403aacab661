// Block starts, block order, post-dominators, uniform branches, likely convergence.
#include "compiler/facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/ptx/support.h"

namespace heddle::compiler::facts_test {
namespace {

using base::Pc;
using isa::Opcode;
using isa::ProgramFacts;

isa::Kernel program(const std::string& body, const std::string& functions = {}) {
  return *ptx::testing::kernel(body, ".param .u32 n", functions);
}

/// PC of the first instruction at or after `line` of the body.
Pc pc_of(const isa::Kernel& kernel, std::uint32_t line) {
  constexpr std::uint32_t kBodyLine = 6;
  for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc)
    if (kernel.code[pc].where.line >= kBodyLine + line - 1) return Pc(pc);
  throw std::out_of_range("no such line");
}

std::uint32_t order_of(const isa::Kernel& kernel, std::uint32_t line) {
  const ProgramFacts& facts = facts_of(kernel);
  return facts.order[facts.block[pc_of(kernel, line).value()]];
}

TEST(ProgramFacts, AreComputedWhenTheyAreAskedForAndOnce) {
  const isa::Kernel k = program("ret;");
  EXPECT_FALSE(k.facts.computed());
  const ProgramFacts* const first = &facts_of(k);
  EXPECT_EQ(&facts_of(k), first);
  const isa::Kernel changed = k;
  EXPECT_FALSE(changed.facts.computed()) << "a copy is about to be changed";
}

TEST(ProgramFacts, BlocksBeginAtTargetsAndBehindBranches) {
  const isa::Kernel k =
      program("@%p1 bra ELSE;\nmov.u32 %r1, 1;\nmov.u32 %r2, 1;\nbra END;\nELSE: mov.u32 %r1, 2;\nEND: ret;");
  const ProgramFacts facts = program_facts(k);
  std::vector<std::uint32_t> starts;
  for (std::uint32_t pc = 0; pc < k.code.size(); ++pc)
    if (facts.has(Pc(pc), ProgramFacts::kBlockStart)) starts.push_back(pc);
  EXPECT_THAT(starts, ::testing::ElementsAre(0, 1, 4, 5));
  EXPECT_THAT(facts.block, ::testing::ElementsAre(0, 1, 1, 1, 2, 3));
  EXPECT_THAT(facts.order, ::testing::ElementsAre(0, 1, 2, 3));
}

TEST(ProgramFacts, BlocksHaveSuccessorsAndFunctionsTheirFrames) {
  const isa::Kernel k = program(
      "{\n.param .b32 a;\nst.param.b32 [a], %r1;\ncall.uni far, (a);\n}\n@%p1 bra END;\nmov.u32 %r1, "
      "1;\nEND: ret;",
      ".func far(.param .b32 a) {\n.local .align 4 .b8 room[40];\n.reg .b32 %f<3>;\n.reg .b64 %fd;\nmov.u64 "
      "%fd, room;\n"
      "ld.param.u32 %f1, [a];\nst.local.u32 [%fd], %f1;\nret;\n}\n");
  const ProgramFacts facts = program_facts(k);
  ASSERT_GE(facts.successors.size(), 4u);
  EXPECT_THAT(facts.successors[0], ::testing::ElementsAre(1, 2)) << "a call is no edge";
  EXPECT_THAT(facts.successors[1], ::testing::ElementsAre(2));
  EXPECT_THAT(facts.successors[2], ::testing::ElementsAre(ProgramFacts::kNone));
  ASSERT_EQ(k.functions.size(), 1u);
  EXPECT_EQ(facts.frame_bytes[0], 0u);
  EXPECT_EQ(facts.frame_bytes[k.functions[0].first], k.functions[0].frame_bytes);
  EXPECT_GE(k.functions[0].frame_bytes, 40u);
}

TEST(ProgramFacts, PostDominatorsHaveIdsThatTheirBranchesName) {
  const isa::Kernel k = program(
      "@%p1 bra A;\n@%p2 bra B;\nmov.u32 %r1, 1;\nB: mov.u32 %r2, 1;\nA: mov.u32 %r3, 1;\n@%p3 bra C;\n"
      "mov.u32 %r1, 2;\nC: mov.u32 %r4, 1;\nret;");
  const ProgramFacts facts = program_facts(k);
  // %p1 reconverges at A (line 5), %p2 at B (line 4), %p3 at C (line 8): ids in code order.
  EXPECT_THAT(facts.post_dominators, ::testing::ElementsAre(pc_of(k, 4), pc_of(k, 5), pc_of(k, 8)));
  EXPECT_EQ(facts.post_dominator[pc_of(k, 1).value()], 1u);
  EXPECT_EQ(facts.post_dominator[pc_of(k, 2).value()], 0u);
  EXPECT_EQ(facts.post_dominator[pc_of(k, 6).value()], 2u);
  EXPECT_EQ(facts.post_dominator[pc_of(k, 3).value()], ProgramFacts::kNone);
  EXPECT_EQ(facts.is_post_dominator[pc_of(k, 5).value()], 1u);
  EXPECT_TRUE(facts.has(pc_of(k, 4), ProgramFacts::kPostDominator));
  EXPECT_FALSE(facts.has(pc_of(k, 3), ProgramFacts::kPostDominator));
}

TEST(ProgramFacts, ALoopIsCompleteBeforeWhatFollowsItHoweverItIsWritten) {
  // The loop's exit is the fall-through of its head: a plain reverse post-order would put it first.
  const isa::Kernel k = program(
      "HEAD: add.u32 %r1, %r1, 1;\n@%p1 bra BODY;\nmov.u32 %r2, 1;\nret;\nBODY: @%p2 bra SKIP;\n"
      "mov.u32 %r3, 1;\nSKIP: bra HEAD;");
  EXPECT_LT(order_of(k, 1), order_of(k, 5));
  EXPECT_LT(order_of(k, 5), order_of(k, 6));
  EXPECT_LT(order_of(k, 6), order_of(k, 7));
  EXPECT_LT(order_of(k, 7), order_of(k, 3)) << "behind the loop";
}

TEST(ProgramFacts, InnerLoopsAreCompleteBeforeTheRestOfTheOuterOnes) {
  const isa::Kernel k = program(
      "OUTER: mov.u32 %r1, 0;\nINNER: add.u32 %r1, %r1, 1;\n@%p1 bra INNER;\nadd.u32 %r2, %r2, 1;\n"
      "@%p2 bra OUTER;\nret;");
  EXPECT_LT(order_of(k, 1), order_of(k, 2));
  EXPECT_LT(order_of(k, 2), order_of(k, 4));
  EXPECT_LT(order_of(k, 4), order_of(k, 6));
}

bool uniform(const std::string& how_p1_comes_about, const std::string& branch = "@%p1 bra L;") {
  const isa::Kernel k = program(how_p1_comes_about + "\n" + branch + "\nmov.u32 %r9, 1;\nL: ret;");
  for (std::uint32_t pc = static_cast<std::uint32_t>(k.code.size()); pc-- > 0;)
    if (k.code[pc].op == Opcode::kBranch) return facts_of(k).has(Pc(pc), ProgramFacts::kUniformBranch);
  throw std::logic_error("no branch");
}

TEST(ProgramFacts, UniformBranchesAreThoseThatNoLaneDecidesOtherwise) {
  EXPECT_TRUE(uniform("", "bra L;"));
  EXPECT_TRUE(uniform("setp.eq.u32 %p1, %tid.x, 3;", "@%p1 bra.uni L;")) << "the program says so";
  EXPECT_TRUE(uniform("ld.param.u32 %r1, [n]; setp.lt.u32 %p1, %r1, 9;"));
  EXPECT_TRUE(uniform("mov.u32 %r1, %ctaid.x; mad.lo.u32 %r1, %r1, 3, 1; setp.lt.u32 %p1, %r1, 9;"));
  EXPECT_FALSE(uniform("setp.eq.u32 %p1, %tid.x, 3;"));
  EXPECT_FALSE(uniform("mov.u32 %r1, %laneid; and.b32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9;"));
  EXPECT_FALSE(uniform("ld.global.u32 %r1, [%rd1]; setp.lt.u32 %p1, %r1, 9;"));
  EXPECT_FALSE(uniform("vote.sync.any.pred %p1, %p2, -1;"));
  EXPECT_FALSE(uniform("mov.u32 %r1, %clock; setp.lt.u32 %p1, %r1, 9;"));
}

TEST(ProgramFacts, WhatLanesDoDifferentlyOftenDiffers) {
  // A counter of a loop that lanes leave at different times, and a value that some of them set.
  EXPECT_FALSE(
      uniform("mov.u32 %r1, 0; B: add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, %tid.x; @%p2 bra B; "
              "setp.lt.u32 %p1, %r1, 9;"));
  EXPECT_TRUE(
      uniform("mov.u32 %r1, 0; B: add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 9; @%p2 bra B; "
              "setp.lt.u32 %p1, %r1, 20;"));
  EXPECT_FALSE(
      uniform("setp.eq.u32 %p2, %tid.x, 3; mov.u32 %r1, 0; @%p2 mov.u32 %r1, 1; setp.eq.u32 %p1, %r1, 1;"));
  EXPECT_FALSE(
      uniform("setp.eq.u32 %p2, %tid.x, 3; mov.u32 %r1, 0; @%p2 bra M; mov.u32 %r1, 1; M: setp.eq.u32 "
              "%p1, %r1, 1;"));
}

TEST(ProgramFacts, LikelyConvergencePointsAreThoseOfTheKernel) {
  isa::Kernel k = program("mov.u32 %r1, 1; ret;");
  EXPECT_FALSE(facts_of(k).has(Pc(1), ProgramFacts::kLikelyConvergence));
  k.likely_convergence = {Pc(1)};
  k.facts.forget();
  EXPECT_TRUE(facts_of(k).has(Pc(1), ProgramFacts::kLikelyConvergence));
}

TEST(ProgramFacts, FunctionsAreRankedAndTheirBranchesNotUniform) {
  const isa::Kernel k =
      program("call f; ret;",
              ".func f { .reg .pred %p; .reg .b32 %r; mov.u32 %r, 1; setp.eq.u32 %p, %r, 1; "
              "@%p bra L; mov.u32 %r, 2; L: ret; }");
  const ProgramFacts facts = program_facts(k);
  for (std::uint32_t pc = k.functions[0].first; pc < k.functions[0].end; ++pc)
    if (k.code[pc].op == Opcode::kBranch) {
      EXPECT_FALSE(facts.has(Pc(pc), ProgramFacts::kUniformBranch));
    }
  for (const std::uint32_t rank : facts.order) EXPECT_LT(rank, facts.order.size());
}

}  // namespace
}  // namespace heddle::compiler::facts_test
