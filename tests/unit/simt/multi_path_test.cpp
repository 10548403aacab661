// Multi-Path against [MultiPath] §7.2, [AWARE:G4], [AWARE:G7] and [MultiPath:G11]. Masks are written MSB..LSB
// (rightmost = lane 0).
#include <gtest/gtest.h>

#include "blocks/simt/rig.h"

namespace heddle::simt::multi_path_test {
namespace {

TEST(MultiPathGolden, MimdG4IfElse) {
  SimtRig rig(multi_path());
  rig.launch('A', mask("1111"));
  rig.branch(rig.at('A'), pc('C'), mask("1010"), pc('B'), pc('D'));
  EXPECT_EQ(rig.st(), "B D 0101 | C D 1010");
  EXPECT_EQ(rig.rt(), "D - 1111/1111");
  ASSERT_EQ(rig.groups.size(), 2u) << "both sides run";
  EXPECT_EQ(rig.at('B'), GroupId{0}) << "the side that comes first has the lower number";
  EXPECT_EQ(rig.groups[GroupId{0}].watch, pc('D'));
  rig.go(rig.at('B'), pc('D'));
  EXPECT_EQ(rig.st(), "C D 1010");
  EXPECT_EQ(rig.rt(), "D - 1111/1010");
  EXPECT_EQ(rig.groups.size(), 1u);
  rig.go(rig.at('C'), pc('D'));
  EXPECT_EQ(rig.st(), "D - 1111");
  EXPECT_EQ(rig.rt(), "");
}

TEST(MultiPathGolden, MimdG7DivergentBarrier) {
  SimtRig rig(multi_path());
  rig.launch('A', mask("1111"));
  rig.branch(rig.at('A'), pc('C'), mask("1010"), pc('B'), pc('D'));
  rig.barrier(rig.at('B'), pc('B', 1));
  EXPECT_TRUE(rig.groups[rig.at(pc('B', 1))].blocked);
  EXPECT_FALSE(rig.groups[rig.at('C')].blocked);
  rig.barrier(rig.at('C'), pc('C', 1));
  rig.release(mask("1111"));
  EXPECT_FALSE(rig.groups[rig.at(pc('B', 1))].blocked);
  EXPECT_FALSE(rig.groups[rig.at(pc('C', 1))].blocked);
  rig.go(rig.at(pc('B', 1)), pc('D'));
  rig.go(rig.at(pc('C', 1)), pc('D'));
  EXPECT_EQ(rig.st(), "D - 1111");
}

/// do { A; if (c1) { B; break; } else { C; } } while (c2); D. One lane pair is in A for the second time while
/// the other, two instructions into B, is on its way to D.
TEST(MultiPathGolden, MimdG11OpportunisticEarlyReconvergence) {
  ControlFlowConfig config = multi_path(32, true);
  config.first_side = FirstSide::kTaken;
  SimtRig rig(config);
  rig.launch('A', mask("1111"));
  rig.branch(rig.at('A'), pc('B'), mask("1010"), pc('C'), pc('D'));
  rig.branch(rig.at('C'), pc('A'), mask("0101"), pc('D'), pc('D'));
  EXPECT_EQ(rig.st(), "A D 0101 | B D 1010");
  EXPECT_EQ(rig.rt(), "D - 1111/1111");
  rig.go(rig.at('B'), pc('B', 2));  // B_R
  rig.branch(rig.at('A'), pc('B'), mask("0101"), pc('C'), pc('D'));
  EXPECT_EQ(rig.st(), "B B+2 0101");
  EXPECT_EQ(rig.rt(), "D - 1111/1111 | B+2 D 1111/0101");
  EXPECT_EQ(rig.groups.size(), 1u) << "the leading split waits";
  rig.go(rig.at('B'), pc('B', 2));
  EXPECT_EQ(rig.st(), "B+2 D 1111");
  EXPECT_EQ(rig.rt(), "D - 1111/1111");
}

TEST(MultiPath, ASplitThatMeetsAnotherAtTheStartOfTheBlockJoinsIt) {
  SimtRig rig(multi_path(32, true));
  rig.launch('A', mask("1111"));
  rig.branch(rig.at('A'), pc('B'), mask("1010"), pc('C'), pc('D'));
  rig.branch(rig.at('C'), pc('B'), mask("0101"), pc('E'), pc('D'));
  EXPECT_EQ(rig.st(), "B D 1111");
  EXPECT_EQ(rig.rt(), "D - 1111/1111");
  ASSERT_EQ(rig.groups.size(), 1u);
  EXPECT_EQ(rig.groups[rig.at('B')].mask, mask("1111"));
}

TEST(MultiPath, SplitsOfDifferentPointsDoNotMerge) {
  SimtRig rig(multi_path(32, true));
  rig.launch('A', mask("1111"));
  rig.branch(rig.at('A'), pc('B'), mask("1010"), pc('C'), pc('D'));
  rig.branch(rig.at('C'), pc('B'), mask("0001"), pc('E'), pc('F'));
  EXPECT_EQ(rig.st(), "B D 1010 | B F 0001 | E F 0100");
}

TEST(MultiPath, ASplitAtABarrierIsNotMergedWith) {
  SimtRig rig(multi_path(32, true));
  rig.launch('A', mask("1111"));
  rig.branch(rig.at('A'), pc('B'), mask("1010"), pc('C'), pc('D'));
  rig.barrier(rig.at('B'), pc('E'));
  rig.branch(rig.at('C'), pc('E'), mask("0101"), pc('F'), pc('D'));
  EXPECT_EQ(rig.st(), "E D 0101 | E D 1010");
}

TEST(MultiPath, WithoutOpportunisticReconvergenceSplitsMeetOnlyAtTheirPoint) {
  SimtRig rig(multi_path());
  rig.launch('A', mask("1111"));
  rig.branch(rig.at('A'), pc('B'), mask("1010"), pc('C'), pc('D'));
  rig.branch(rig.at('C'), pc('B'), mask("0101"), pc('E'), pc('D'));
  EXPECT_EQ(rig.st(), "B D 0101 | B D 1010");
  EXPECT_EQ(rig.groups.size(), 2u);
}

TEST(MultiPath, SplitsBeyondTheLimitWaitUntilOneEnds) {
  SimtRig rig(multi_path(2));
  EXPECT_EQ(rig.unit.traits().groups_per_warp, 2u);
  rig.launch('A', mask("1111"));
  rig.branch(rig.at('A'), pc('C'), mask("1100"), pc('B'), pc('D'));
  rig.branch(rig.at('B'), pc('F'), mask("0001"), pc('E'), pc('G'));
  EXPECT_EQ(rig.st(), "C D 1100 | E G 0010 | F G 0001");
  ASSERT_EQ(rig.groups.size(), 2u);
  EXPECT_EQ(rig.at('E'), GroupId{0});
  EXPECT_EQ(rig.at('C'), GroupId{1});
  const auto waiting = rig.suspended();
  ASSERT_EQ(waiting.size(), 1u);
  EXPECT_EQ(waiting[0].mask, mask("0001"));
  EXPECT_TRUE(waiting[0].why == Suspension::kNotStarted);
  rig.go(rig.at('C'), pc('D'));
  EXPECT_EQ(rig.at('F'), GroupId{1});
}

TEST(MultiPath, ASplitAtABarrierMakesRoomForOneThatCanRun) {
  const ControlFlowConfig config = multi_path(1);
  SimtRig rig(config);
  rig.launch('A', mask("1111"));
  rig.branch(rig.at('A'), pc('C'), mask("1100"), pc('B'), pc('D'));
  ASSERT_EQ(rig.runnable().size(), 1u) << "the other side waits until this one ends";
  EXPECT_EQ(rig.runnable()[0].mask, mask("0011"));
  rig.barrier(rig.at('B'), pc('B', 1));
  ASSERT_EQ(rig.runnable().size(), 1u);
  EXPECT_EQ(rig.runnable()[0].mask, mask("1100"));
  EXPECT_EQ(rig.at('C'), GroupId{0});
  rig.barrier(rig.at('C'), pc('C', 1));
  EXPECT_TRUE(rig.runnable().empty());
}

TEST(MultiPath, ASplitThatTakesABranchMakesRoomForOneThatWaits) {
  ControlFlowConfig config = multi_path(1);
  config.get<MultiPathConfig>().yield_on_taken_branch = true;
  SimtRig rig(config);
  rig.launch('A', mask("1111"));
  rig.branch(rig.at('A'), pc('C'), mask("1100"), pc('B'), pc('D'));
  EXPECT_EQ(rig.runnable().size(), 2u) << "both get their turn";
  rig.branch(rig.at('B'), pc('B'), mask("0011"), pc('D'), pc('D'));  // all iterate again
  EXPECT_EQ(rig.at('C'), GroupId{0});
  rig.branch(rig.at('C'), pc('C'), mask("1100"), pc('D'), pc('D'));
  EXPECT_EQ(rig.at('B'), GroupId{0});
}

TEST(MultiPath, OnePathRunsOneSplitAtATime) {
  SimtRig rig(multi_path(1));
  rig.launch('A', mask("1111"));
  rig.branch(rig.at('A'), pc('C'), mask("1100"), pc('B'), pc('D'));
  ASSERT_EQ(rig.groups.size(), 1u);
  rig.go(rig.at('B'), pc('D'));
  ASSERT_EQ(rig.groups.size(), 1u);
  rig.go(rig.at('C'), pc('D'));
  EXPECT_EQ(rig.groups[GroupId{0}].mask, mask("1111"));
}

// [MultiPath:S8]: at a branch one side keeps the path, the other waits in front of those that wait already.
TEST(MultiPath, WithOnePathInnerSidesRunBeforeOuterOnesAsOnAStack) {
  SimtRig rig(multi_path(1));
  rig.launch('A', mask("1111"));
  rig.branch(rig.at('A'), pc('C'), mask("1010"), pc('B'), pc('H'));
  rig.branch(rig.at('B'), pc('E'), mask("0001"), pc('D'), pc('F'));
  rig.go(rig.at('D'), pc('F'));
  rig.go(rig.at('E'), pc('F'));
  rig.go(rig.at('F'), pc('H'));
  EXPECT_EQ(rig.groups[rig.at('C')].mask, mask("1010")) << "last of all";
  rig.go(rig.at('C'), pc('H'));
  EXPECT_EQ(rig.st(), "H - 1111");
}

TEST(MultiPath, TimedOutLanesBecomeAGroup) {
  ControlFlowConfig config = multi_path();
  config.get<TimeoutConfig>().cycles = 100;
  SimtRig rig(config);
  rig.launch('A', mask("1111"));
  rig.branch(rig.at('A'), pc('A'), mask("0111"), pc('C'), pc('C'));
  ASSERT_EQ(rig.groups.size(), 1u);
  rig.tick(rig.due);
  ASSERT_EQ(rig.groups.size(), 2u);
  EXPECT_EQ(rig.groups[rig.at('C')].mask, mask("1000"));
  EXPECT_EQ(rig.rt(), "C - 0111/0111");
}

}  // namespace
}  // namespace heddle::simt::multi_path_test
