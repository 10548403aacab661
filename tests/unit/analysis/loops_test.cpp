#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/loops.h"
#include "unit/analysis/code.h"

namespace heddle::analysis::testing::loops_test {
namespace {

using ::testing::ElementsAre;

std::vector<Loop> loops_of(const Code& code) {
  const ControlFlowGraph cfg(code);
  return natural_loops(cfg, DominatorTree::dominators(cfg));
}

TEST(NaturalLoops, a_single_block_loop) {
  const auto loops = loops_of({plain(), branch(0), exit()});
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_EQ(loops[0].header, 0u);
  EXPECT_THAT(loops[0].latches, ElementsAre(0));
  EXPECT_THAT(loops[0].blocks, ElementsAre(0));
  EXPECT_EQ(loops[0].depth, 1u);
  EXPECT_EQ(loops[0].parent, kNoLoop);
}

TEST(NaturalLoops, nest) {
  // blocks: 0 = {0} outer head, 1 = {1,2} inner, 2 = {3} outer latch, 3 = {4}
  const auto loops = loops_of({plain(), plain(), branch(1), branch(0), exit()});
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_THAT(loops[0].blocks, ElementsAre(0, 1, 2));
  EXPECT_THAT(loops[1].blocks, ElementsAre(1));
  EXPECT_EQ(loops[1].parent, 0u);
  EXPECT_EQ(loops[1].depth, 2u);
}

TEST(NaturalLoops, back_edges_to_one_header_are_one_loop) {
  // 0: head   1: @p bra 0 (continue)   2: @q bra 0   3: exit
  const auto loops = loops_of({branch(3), branch(0), branch(0), exit()});
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_THAT(loops[0].latches, ElementsAre(1, 2));
  EXPECT_THAT(loops[0].blocks, ElementsAre(0, 1, 2));
}

TEST(NaturalLoops, loops_one_after_the_other_are_separate) {
  const auto loops = loops_of({plain(), branch(0), plain(), branch(2), exit()});
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_EQ(loops[0].parent, kNoLoop);
  EXPECT_EQ(loops[1].parent, kNoLoop);
}

TEST(NaturalLoops, a_cycle_with_two_entries_is_none) {
  // 0: @p bra 2   1: plain   2: @q bra 1   3: exit: entered at 1 and at 2
  EXPECT_TRUE(loops_of({branch(2), plain(), branch(1), exit()}).empty());
}

TEST(NaturalLoops, unreachable_code_that_jumps_into_a_loop_is_not_part_of_it) {
  // 0: bra 2   1: (unreachable, falls into 2)   2: body   3: @p bra 2   4: exit
  const auto loops = loops_of({jump(2), plain(), plain(), branch(2), exit()});
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_THAT(loops[0].blocks, ElementsAre(2));
}

}  // namespace
}  // namespace heddle::analysis::testing::loops_test
