// Policies step by step, where whole traces do not tell two of them apart.
#include <gtest/gtest.h>

#include "resync/lee.h"
#include "resync/min_key.h"
#include "resync/post_dominator.h"

namespace heddle::resync::policies_test {
namespace {

ThreadViews at(std::initializer_list<std::uint64_t> pcs) {
  ThreadViews views;
  views.threads = static_cast<unsigned>(pcs.size());
  views.live = first_threads(views.threads);
  unsigned t = 0;
  for (const std::uint64_t pc : pcs) views.pc[t++] = pc;
  return views;
}

// Threads that have branched back wait until all have; then they are the present ones.
TEST(Lee, TheListsChangePlacesWhenAllHaveBranchedBack) {
  const auto lee = make_lee(/*function_stack=*/false);
  lee->reset(2);
  lee->executed(at({2, 2}), {.pc = 10, .mask = 0b11, .branch = true});
  EXPECT_EQ(lee->select(at({2, 2})).mask, 0b11u);
  // Now one of them does so again: the other goes first although its PC is larger.
  lee->executed(at({1, 8}), {.pc = 4, .mask = 0b11, .branch = true});
  EXPECT_EQ(lee->select(at({1, 8})).mask, 0b10u);
}

/// Threads 0 and 1 have parted at branch 1, whose sides meet at PC 5; thread 2 has not been there.
std::unique_ptr<SelectionPolicy> parted(ThreadViews& views, const PostDominatorMarks& begin,
                                        const PostDominatorMarks& end) {
  auto policy = make_post_dominator(make_min_key(Key::kMinPc), {.match_activates_waiters = false});
  policy->reset(3);
  views = at({5, 3, 10});
  policy->executed(views, {.pc = 2, .mask = 0b011, .branch = true, .marks = &begin});
  views.marks[0] = &end;
  return policy;
}

TEST(PostDominator, AThreadWaitsWhereTheOthersMeetIt) {
  const PostDominatorMarks begin{1, {}}, end{PostDominatorMarks::kNone, {1}};
  ThreadViews views;
  const auto policy = parted(views, begin, end);
  views.pc[1] = 20;  // where it would have the smallest PC, it waits
  EXPECT_EQ(policy->select(views).mask, 0b100u);
}

TEST(PostDominator, AThreadDoesNotWaitForOneThatHasEnded) {
  const PostDominatorMarks begin{1, {}}, end{PostDominatorMarks::kNone, {1}};
  ThreadViews views;
  const auto policy = parted(views, begin, end);
  EXPECT_EQ(policy->select(views).mask, 0b010u);
  views.live = 0b101;
  views.finished = 0b010;
  policy->executed(views, {.pc = 3, .mask = 0b010});
  EXPECT_EQ(policy->select(views).mask, 0b001u);
}

// A loop whose exit test parts more threads than it did before has two entries of one branch.
TEST(DivergenceBuffer, AThreadArrivesAtTheTopmostEntryThatMissesIt) {
  DivergenceBuffer buffer;
  buffer.push(1, 0, 0b0011);
  buffer.push(1, 0, 0b0111);
  buffer.arrive(1, 0, 0);
  ASSERT_EQ(buffer.entries().size(), 2u);
  EXPECT_EQ(buffer.entries()[1].missing, 0b0110u);
  EXPECT_EQ(buffer.entries()[0].missing, 0b0011u);
  buffer.arrive(1, 0, 0);
  EXPECT_EQ(buffer.entries()[0].missing, 0b0010u);
}

}  // namespace
}  // namespace heddle::resync::policies_test
