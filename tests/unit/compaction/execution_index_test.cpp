// Which of two points of execution a warp in lockstep passes first (compaction/execution_index.h), as the innermost region says that has
// both.
#include "compaction/execution_index.h"

#include <gtest/gtest.h>

namespace heddle::compaction::execution_index_test {
namespace {

using base::Pc;
using Region = ExecutionIndex::Region;

ExecutionIndex::Branch branch(std::uint32_t pc, std::uint32_t end, bool by_data = false) {
  return {Pc{pc}, Pc{end}, by_data};
}

TEST(ExecutionIndex, ThreadsThatDecideAlikeShareRegions) {
  ExecutionIndex index;
  const Region a = index.enter(ExecutionIndex::kKernel, branch(3, 9), 1);
  EXPECT_EQ(index.enter(ExecutionIndex::kKernel, branch(3, 9), 1), a);
  EXPECT_NE(index.enter(ExecutionIndex::kKernel, branch(3, 9), 0), a);
}

TEST(ExecutionIndex, RegionsEndTogether) {
  ExecutionIndex index;
  const Region outer = index.enter(ExecutionIndex::kKernel, branch(3, 9), 1);
  const Region inner = index.enter(outer, branch(5, 9), 0);
  EXPECT_EQ(index.at(inner, Pc{8}), inner);
  EXPECT_EQ(index.at(inner, Pc{9}), ExecutionIndex::kKernel);
}

// 3: branch to 6; 3..5 one side, 6..8 the other one, 9 behind both.
TEST(ExecutionIndex, ArmsHaveTheBranchInCommonAndWhatIsBehindHasNot) {
  ExecutionIndex index;
  const Region taken = index.enter(ExecutionIndex::kKernel, branch(3, 9), 1);
  const Region other = index.enter(ExecutionIndex::kKernel, branch(3, 9), 0);
  const auto arms = index.meet(taken, Pc{7}, other, Pc{4});
  EXPECT_EQ(arms.first, Pc{3});
  EXPECT_EQ(arms.second, Pc{3});
  const auto behind = index.meet(taken, Pc{7}, ExecutionIndex::kKernel, Pc{10});
  EXPECT_EQ(behind.first, Pc{3});
  EXPECT_EQ(behind.second, Pc{10});
}

// 2..6 a loop, 6 its branch: the third round lies within the second.
TEST(ExecutionIndex, RoundsOfALoopFollowEachOther) {
  ExecutionIndex index;
  const Region second = index.enter(ExecutionIndex::kKernel, branch(6, 7), 1);
  const Region third = index.enter(second, branch(6, 7), 1);
  const auto rounds = index.meet(second, Pc{4}, third, Pc{3});
  EXPECT_EQ(rounds.first, Pc{4});
  EXPECT_EQ(rounds.second, Pc{6});
  EXPECT_EQ(index.at(third, Pc{7}), ExecutionIndex::kKernel);
}

TEST(ExecutionIndex, SaysWhetherDataDecideInBetween) {
  ExecutionIndex index;
  const Region asked = index.enter(ExecutionIndex::kKernel, branch(3, 9, true), 1);
  const Region within = index.enter(asked, branch(5, 8), 1);
  EXPECT_TRUE(index.meet(within, Pc{6}, ExecutionIndex::kKernel, Pc{10}).by_data);
  EXPECT_FALSE(index.meet(within, Pc{6}, asked, Pc{4}).by_data) << "both are behind the question";
}

// A function's regions do not end at a PC that an outer call of it waits for.
TEST(ExecutionIndex, RecursionIsAFunctionOfItsOwn) {
  ExecutionIndex index;
  const Region outer = index.enter(ExecutionIndex::kKernel, branch(20, 25), 1);
  const Region called = index.enter_function(outer, Pc{22}, false);
  EXPECT_EQ(index.at(called, Pc{25}), called);
  const Region within = index.enter(called, branch(20, 25), 1);
  EXPECT_EQ(index.at(within, Pc{25}), called);
  EXPECT_EQ(index.leave_function(within), outer);
}

}  // namespace
}  // namespace heddle::compaction::execution_index_test
