// The worked examples [TBC:G2] to [TBC:G6] for the block-wide stack, the thread compactor and likely-convergence points.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/compaction/block_rig.h"

namespace heddle::compaction::tbc_golden_test {
namespace {

using testing::ElementsAre;
using Warps = std::vector<std::string>;

// G2: B by 1 2 4 and 6 7, C by 3 and 5 8.
TEST(TbcGolden, G2NeedsSevenSlots) {
  Figure f(4);
  f.stack.launch(at('A'), f.first(8));
  std::size_t slots = f.activate().size();
  f.branch('B', {1, 2, 4}, 'C', {3}, 'D');
  f.branch('B', {6, 7}, 'C', {5, 8}, 'D');
  const Warps b = f.activate();
  EXPECT_THAT(b, ElementsAre("(1,2,7,4)", "(-,6,-,-)"));
  for (std::size_t i = 0; i < b.size(); ++i) f.stack.reconverge(at('D'));
  const Warps c = f.activate();
  EXPECT_THAT(c, ElementsAre("(5,-,3,8)"));
  f.stack.reconverge(at('D'));
  const Warps d = f.activate();
  EXPECT_THAT(d, ElementsAre("(1,2,3,4)", "(5,6,7,8)"));
  slots += b.size() + c.size() + d.size();
  EXPECT_EQ(slots, 7u);
}

// G3: `A: while (CAS(lock)); B` by two threads, of which the first has won. An example of the stack per warp (simt); the
// stack of a block does the same, for ever.
TEST(TbcGolden, G3TheSpinningSideStaysOnTop) {
  Figure f(2);
  f.stack.launch(at('A'), f.first(2));
  f.activate();
  for (unsigned i = 0; i < 100; ++i) {
    f.branch('A', {2}, 'B', i == 0 ? std::vector<unsigned>{1} : std::vector<unsigned>{}, 'B');
    ASSERT_THAT(f.activate(), ElementsAre("(-,2)"));
    ASSERT_EQ(f.shown(), "B/-/1 2 | A/B/2");
  }
}

TEST(TbcGolden, G4Overview) {
  Figure f(4);
  f.stack.launch(at('A'), f.first(8));
  EXPECT_THAT(f.activate(), ElementsAre("(1,2,3,4)", "(5,6,7,8)"));
  EXPECT_EQ(f.stack.pending(), 2u);
  EXPECT_EQ(f.shown(), "A/-/1 2 3 4 5 6 7 8");
  f.branch('C', {1}, 'B', {2, 3, 4}, 'D');
  EXPECT_FALSE(f.stack.complete());
  f.branch('C', {6, 7}, 'B', {5, 8}, 'D');
  EXPECT_TRUE(f.stack.complete());
  EXPECT_EQ(f.shown(), "D/-/1 2 3 4 5 6 7 8 | B/D/2 3 4 5 8 | C/D/1 6 7");
  EXPECT_THAT(f.activate(), ElementsAre("(1,6,7,-)"));
  EXPECT_EQ(f.stack.pending(), 1u);
  f.stack.reconverge(at('D'));
  EXPECT_THAT(f.activate(), ElementsAre("(5,2,3,4)", "(-,-,-,8)"));
  EXPECT_EQ(f.stack.pending(), 2u);
  f.stack.reconverge(at('D'));
  f.stack.reconverge(at('D'));
  EXPECT_THAT(f.activate(), ElementsAre("(1,2,3,4)", "(5,6,7,8)"));
  EXPECT_EQ(f.shown(), "D/-/1 2 3 4 5 6 7 8");
}

TEST(TbcGolden, G5IncrementalFillAndCompactor) {
  Figure f(4);
  f.stack.launch(at('A'), f.first(12));
  EXPECT_EQ(f.groups(f.stack.top().mask, 3), "111 111 111 111");
  f.activate();
  EXPECT_EQ(f.stack.pending(), 3u);
  const auto row = [&] {
    const auto entries = f.stack.entries();
    EXPECT_EQ(letter(entries.at(0).pc), "D");
    return fmt::format("{} | {} | {} | {}", f.stack.pending(), f.groups(entries.at(1).mask, 3),
                       f.groups(entries.at(2).mask, 3), f.compactor.warps(entries.at(2).mask));
  };
  f.branch('C', {5, 8}, 'B', {6, 7}, 'D');  // W2
  EXPECT_EQ(row(), "2 | 000 010 010 000 | 010 000 000 010 | 1");
  f.branch('C', {11}, 'B', {9, 10, 12}, 'D');  // W3
  EXPECT_EQ(row(), "1 | 001 011 010 001 | 010 000 001 010 | 1");
  f.branch('C', {2, 3, 4}, 'B', {1}, 'D');  // W1
  EXPECT_EQ(row(), "0 | 101 011 010 001 | 010 100 101 110 | 2");
  ASSERT_NE(f.stack.settle(), nullptr);
  f.stack.activate(f.compactor.warps(f.stack.top().mask));
  EXPECT_EQ(f.stack.pending(), 2u);
  f.compactor.load(f.stack.top().mask);
  EXPECT_EQ(f.tuple(f.compactor.next()), "(5,2,3,4)");
  EXPECT_EQ(f.groups(f.compactor.buffer(), 3), "000 000 001 010");
  EXPECT_EQ(f.groups(f.stack.top().mask, 3), "010 100 101 110");  // the stack's mask stays
  EXPECT_EQ(f.tuple(f.compactor.next()), "(-,-,11,8)");
  EXPECT_TRUE(f.compactor.empty());
  f.stack.reconverge(at('D'));
  f.stack.reconverge(at('D'));
  EXPECT_THAT(f.activate(), ElementsAre("(1,6,7,12)", "(9,10,-,-)"));
  EXPECT_EQ(f.stack.pending(), 2u);
  f.stack.reconverge(at('D'));
  f.stack.reconverge(at('D'));
  EXPECT_THAT(f.activate(), ElementsAre("(1,2,3,4)", "(5,6,7,8)", "(9,10,11,12)"));
  EXPECT_EQ(f.stack.pending(), 3u);
}

// Corrections 8: with the Disable bit C needs three warps.
TEST(TbcGolden, G5WithTheDisableBit) {
  Figure f(4);
  f.compactor = ThreadCompactor(false);
  f.stack.launch(at('A'), f.first(12));
  EXPECT_EQ(f.activate().size(), 3u);
  f.branch('C', {5, 8}, 'B', {6, 7}, 'D');
  f.branch('C', {11}, 'B', {9, 10, 12}, 'D');
  f.branch('C', {2, 3, 4}, 'B', {1}, 'D');
  EXPECT_THAT(f.activate(), ElementsAre("(-,2,3,4)", "(5,-,-,8)", "(-,-,11,-)"));
  EXPECT_EQ(f.stack.pending(), 3u);
}

// G6: one warp; A: X == 0? B : C; C: X == 1? D : E; B, C -> E -> A or F; D -> F. IPDOM(A) = IPDOM(C) = F, LPC = E.
TEST(TbcGolden, G6LikelyConvergence) {
  Figure f(4);
  f.stack.launch(at('A'), f.first(4));
  f.activate();
  f.branch('C', {2, 3, 4}, 'B', {1}, 'F', 'E');
  EXPECT_THAT(f.activate(), ElementsAre("(-,2,3,4)"));
  EXPECT_EQ(f.shown(true), "F/-/-/-/1 2 3 4 | E/F/-/-/ | B/F/E/1/1 | C/F/E/1/2 3 4");
  f.branch('E', {2}, 'D', {3, 4}, 'F', 'E');
  EXPECT_EQ(f.shown(true), "F/-/-/-/1 2 3 4 | E/F/-/-/ | B/F/E/1/1 | D/F/E/1/3 4 | E/F/E/1/2");
  // 2 is at E already: it waits in the entry for E.
  EXPECT_THAT(f.activate(), ElementsAre("(-,-,3,4)"));
  EXPECT_EQ(f.shown(true), "F/-/-/-/1 2 3 4 | E/F/-/-/2 | B/F/E/1/1 | D/F/E/1/3 4");
  f.stack.reconverge(at('F'));
  EXPECT_THAT(f.activate(), ElementsAre("(1,-,-,-)"));
  EXPECT_EQ(f.shown(true), "F/-/-/-/1 2 3 4 | E/F/-/-/2 | B/F/E/1/1");
  f.stack.reconverge(at('E'));
  EXPECT_THAT(f.activate(), ElementsAre("(1,2,-,-)"));
  EXPECT_EQ(f.shown(true), "F/-/-/-/1 2 3 4 | E/F/-/-/1 2");
  f.stack.reconverge(at('F'));
  EXPECT_THAT(f.activate(), ElementsAre("(1,2,3,4)"));
  EXPECT_EQ(f.shown(true), "F/-/-/-/1 2 3 4");
}

// Corrections 1: a potentially divergent loop of 50 iterations that nobody leaves, then in two halves.
TEST(BlockStack, BothRulesBoundIt) {
  Figure f(4);
  f.stack.launch(at('A'), f.first(8));
  f.activate();
  for (unsigned i = 0; i < 50; ++i) {
    f.branch('A', {1, 2, 3, 4}, 'F', {}, 'F');
    f.branch('A', {5, 6, 7, 8}, 'F', {}, 'F');
    ASSERT_EQ(f.activate().size(), 2u);
  }
  EXPECT_LE(f.stats.max_depth, 4u);
  f.branch('A', {1, 3}, 'F', {2, 4}, 'F');
  f.branch('A', {5, 7}, 'F', {6, 8}, 'F');
  EXPECT_THAT(f.activate(), ElementsAre("(1,-,3,-)", "(5,-,7,-)"));
  EXPECT_EQ(f.shown(), "F/-/1 2 3 4 5 6 7 8 | A/F/1 3 5 7");
}

// Corrections 4: threads that exit are in the live mask only; others do not wait for them.
TEST(BlockStack, ExitsLeaveTheLiveMask) {
  Figure f(4);
  f.stack.launch(at('A'), f.first(8));
  f.activate();
  f.branch('B', {1, 2}, 'C', {3, 4}, 'D');
  f.branch('B', {5, 6}, 'C', {7, 8}, 'D');
  EXPECT_THAT(f.activate(), ElementsAre("(1,2,-,-)", "(5,6,-,-)"));
  f.stack.exited(f.threads({1, 2}));
  f.stack.ended();  // the first warp is gone
  EXPECT_EQ(f.stack.pending(), 1u);
  f.stack.exited(f.threads({5}));
  f.stack.reconverge(at('D'));
  EXPECT_THAT(f.activate(), ElementsAre("(-,-,3,4)", "(-,-,7,8)"));
  f.stack.reconverge(at('D'));
  f.stack.reconverge(at('D'));
  EXPECT_THAT(f.activate(), ElementsAre("(-,6,3,4)", "(-,-,7,8)"));
  f.stack.exited(f.threads({3, 4, 6, 7, 8}));
  f.stack.ended();
  f.stack.ended();
  EXPECT_TRUE(f.activate().empty());
}

TEST(BlockStack, CallsAndReturnsMeetBehindTheCall) {
  Figure f(4);
  f.stack.launch(at('A'), f.first(8));
  f.activate();
  f.stack.call({{at('P'), f.threads({1, 2}), true}}, at('B'));
  f.stack.call({{at('Q'), f.threads({5, 6}), true}}, at('B'));
  EXPECT_THAT(f.activate(), ElementsAre("(5,6,-,-)"));
  EXPECT_EQ(f.shown(), "B/-/1 2 3 4 5 6 7 8 | P/-/1 2 | Q/-/5 6");
  // A branch without reconvergence point within the function: its sides meet when it returns.
  f.branch('R', {5}, 'S', {6}, '-');
  EXPECT_THAT(f.activate(), ElementsAre("(5,-,-,-)"));
  f.stack.leave(f.threads({5}), at('T'));
  EXPECT_THAT(f.activate(), ElementsAre("(-,6,-,-)"));
  f.stack.leave(f.threads({6}), at('T'));
  EXPECT_THAT(f.activate(), ElementsAre("(1,2,-,-)"));
  f.stack.leave(f.threads({2}), at('T'));  // 1 stays in the function
  EXPECT_THAT(f.activate(), ElementsAre("(1,-,-,-)"));
  f.stack.leave(f.threads({1}), at('U'));
  EXPECT_THAT(f.activate(), ElementsAre("(1,2,3,4)", "(5,6,7,8)"));
  EXPECT_EQ(f.shown(), "B/-/1 2 3 4 5 6 7 8");
}

TEST(BlockStack, TheSmallerSideMayBeOnTop) {
  Figure f(4, TopSide::kSmaller);
  f.stack.launch(at('A'), f.first(4));
  f.activate();
  f.branch('B', {1, 2, 3}, 'C', {4}, 'D');
  EXPECT_THAT(f.activate(), ElementsAre("(-,-,-,4)"));
}

// Blocks of 84, 175 and 208 threads ([TBC:S9]): the last warp is not full.
TEST(ThreadCompactor, CountsWarpsOfAnyMask) {
  const ThreadCompactor compactor;
  Figure f(32);
  EXPECT_EQ(compactor.warps(f.first(84)), 3u);
  EXPECT_EQ(compactor.warps(f.first(1024)), 32u);
  BlockMask one_lane;
  for (unsigned warp = 0; warp < 21; ++warp) one_lane[warp] = base::LaneMask(1u << 7);
  EXPECT_EQ(compactor.warps(one_lane), 21u);
  EXPECT_EQ(compactor.warps({}), 0u);
}

}  // namespace
}  // namespace heddle::compaction::tbc_golden_test
