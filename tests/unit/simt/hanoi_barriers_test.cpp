// Profile barriers: what an H100 was seen to do, rule by rule (models/simt/hanoi/README.md).
#include <gtest/gtest.h>

#include "unit/simt/hanoi_rig.h"

namespace heddle::simt::hanoi_barriers_test {
namespace {

class HanoiBarriers : public ::testing::Test {
 protected:
  HanoiRig rig{hanoi(profile(HanoiProfile::kBarriers), FirstSide::kAuto)};
};

TEST_F(HanoiBarriers, TheSmallerSideRunsFirst) {
  rig.start('A', "1111");
  rig.bra('B', "0001", 'C');
  EXPECT_EQ(rig.ws(), "C 1110 | B 0001");
}

TEST_F(HanoiBarriers, OfEqualSidesTheOneThatFallsThroughRunsFirst) {
  rig.start('A', "1111");
  rig.bra('B', "0011", 'C');
  EXPECT_EQ(rig.ws(), "B 0011 | C 1100");
}

TEST_F(HanoiBarriers, PathsAtOnePcJoinWhenOneOfThemHasTheTurn) {
  rig.start('A', "1111");
  rig.bssy(0, HanoiRig::behind('J'));
  rig.bra('L', "0001", 'C');
  rig.jump('J');  // lane 0 waits
  rig.bsync(0);
  EXPECT_EQ(rig.ws(), "C 1110");
  rig.bra('L', "1100", 'D');
  EXPECT_EQ(rig.ws(), "L 1100 | D 0010");
  rig.jump('L');
  EXPECT_EQ(rig.ws(), "L 1100 | L 0010") << "not while it runs";
  rig.yield();
  EXPECT_EQ(rig.ws(), "L 0010 | L 1100") << "YIELD is behind it";
  rig.jump('J');
  rig.jump('L');
  rig.quit("1000");
  EXPECT_EQ(rig.stats.count("unit.joins"), 0u);
}

TEST_F(HanoiBarriers, PathsThatGoToOnePlaceOneByOneRunOnThereTogether) {
  rig.start('A', "1111");
  rig.bra('L', "0111", 'B');
  rig.bra('L', "1000", 'B');  // all of the running path
  rig.jump('M');
  rig.quit("1000");
  EXPECT_EQ(rig.ws(), "L 0111");
  rig.bra('K', "0110", 'N');
  rig.bra('K', "0001", 'N');
  EXPECT_EQ(rig.ws(), "K 0110 | K 0001");
  rig.jump('N');
  rig.quit("0001");
  EXPECT_EQ(rig.ws(), "K 0110");
}

// `facts`: of a program with a BSYNC at J. Two paths are at `place` when the running one ends.
std::string where_two_are(HanoiRig& rig, const isa::ProgramFacts& facts, char place) {
  ControlFlowRequest launch = rig.event(ControlFlowEvent::kBeginLaunch, kGroup, pc('A'));
  launch.facts = &facts;
  rig.send(launch);
  rig.start('A', "1111");
  rig.bra(place, "0011", 'C');
  rig.bra(place, "0100", 'D');
  rig.quit("1000");
  return rig.ws();
}
TEST(HanoiBarriersAtBsyncs, PathsThatHaveNotYieldedJoin) {
  HanoiConfig config = profile(HanoiProfile::kBarriers);
  config.joins = HanoiJoins::kBsync;
  HanoiRig rig(hanoi(config, FirstSide::kAuto));
  isa::ProgramFacts facts;
  facts.convergence = {pc('J')};
  EXPECT_EQ(where_two_are(rig, facts, 'L'), "L 0011 | L 0100");
  EXPECT_EQ(where_two_are(rig, facts, 'J'), "J 0111");
}

TEST_F(HanoiBarriers, AnIndirectBranchGoesToAllItsPlacesAtOnceTheLowestLanesFirst) {
  rig.start('A', "1111");
  rig.ret({pc('B'), pc('C'), pc('B'), pc('D')});
  EXPECT_EQ(rig.ws(), "D 1000 | C 0010 | B 0101");
}

TEST(HanoiBarriersAtBsyncs, WhoIsCompleteGoesOnBeforeThoseThatPass) {
  HanoiConfig config = profile(HanoiProfile::kBarriers);
  config.joins = HanoiJoins::kBsync;
  HanoiRig rig(hanoi(config, FirstSide::kAuto));
  rig.start('A', "1111");
  rig.bssy(0, HanoiRig::behind('J'));
  rig.break_from(0, "1100");
  rig.bra('J', "0001", 'C');
  rig.bsync(0);
  rig.jump('J');
  rig.bsync(0);
  EXPECT_EQ(rig.ws(), "J' 1100 | J' 0011");
}

TEST_F(HanoiBarriers, ABreakLetsNobodyGoOnBeforeThePathStops) {
  rig.start('A', "1111");
  rig.bssy(1, HanoiRig::behind('K'));
  rig.bssy(0, HanoiRig::behind('J'));
  rig.bra('J', "0001", 'B');
  rig.bsync(0);
  rig.break_from(0, "1110");
  EXPECT_EQ(rig.ws(), "B 1110");
  EXPECT_EQ(rig.waiting(), "0001");
  rig.jump('K');
  rig.bsync(1);
  EXPECT_EQ(rig.ws(), "J' 0001");
  EXPECT_EQ(rig.waiting(), "1110");
}

TEST_F(HanoiBarriers, WhoIsNotInTheRegisterPassesItsBsync) {
  rig.start('A', "1111");
  rig.bra('B', "0011", 'C');
  rig.bssy(0, HanoiRig::behind('J'));
  rig.yield();
  EXPECT_EQ(rig.ws(), "C 1100 | B 0011");
  rig.bsync(0);
  EXPECT_EQ(rig.ws(), "C 1100 | B 0011");
  EXPECT_EQ(rig.waiting(), "0000");
}

TEST_F(HanoiBarriers, ABsyncDoesNotWaitForWhoHasYielded) {
  rig.start('A', "1111");
  rig.bssy(0, HanoiRig::behind('J'));
  rig.bra('L', "0001", 'J');
  rig.yield();
  EXPECT_EQ(rig.ws(), "L 0001 | J 1110");
  rig.bsync(0);
  EXPECT_EQ(rig.ws(), "L 0001 | J' 1110");
  rig.quit("1110");
  EXPECT_EQ(rig.ws(), "L 0001");
  rig.jump('J');
  rig.bsync(0);
  EXPECT_EQ(rig.waiting(), "0000") << "it has left the region";
}

TEST_F(HanoiBarriers, WhoWaitsGoesOnWhenTheOthersHaveYieldedSince) {
  rig.start('A', "1111");
  rig.bssy(0, HanoiRig::behind('J'));
  rig.bra('J', "1000", 'L');
  rig.bsync(0);
  EXPECT_EQ(rig.ws(), "L 0111");
  rig.bra('M', "0100", 'N');
  EXPECT_EQ(rig.waiting(), "1000");
  rig.yield();
  EXPECT_EQ(rig.ws(), "M 0100 | N 0011");
  rig.yield();
  EXPECT_EQ(rig.ws(), "N 0011 | J' 1000 | M 0100") << "behind the path whose turn it is";
}

TEST_F(HanoiBarriers, AYieldThatIsAloneLetsWhoWaitsGoFirst) {
  rig.start('A', "1111");
  rig.bssy(0, HanoiRig::behind('J'));
  rig.bra('J', "1000", 'L');
  rig.bsync(0);
  rig.yield();
  EXPECT_EQ(rig.ws(), "L 0111 | J' 1000");
}

TEST_F(HanoiBarriers, PathsThatHaveNotYieldedHaveTheirTurnBeforeThoseThatHave) {
  rig.start('A', "1111");
  rig.bra('B', "0001", 'C');
  rig.yield();
  rig.bra('D', "0010", 'E');
  EXPECT_EQ(rig.ws(), "B 0001 | E 1100 | D 0010");
  rig.yield();
  EXPECT_EQ(rig.ws(), "D 0010 | B 0001 | E 1100");
  rig.yield();
  EXPECT_EQ(rig.ws(), "E 1100 | D 0010 | B 0001");
}

TEST_F(HanoiBarriers, PathsThatYieldAtOnePlaceAreOne) {
  rig.start('A', "1111");
  rig.bra('B', "0001", 'C');
  rig.yield();
  rig.jump('B');
  rig.yield();
  EXPECT_EQ(rig.ws(), "B 1111");
  EXPECT_EQ(rig.stats.count("unit.joins"), 1u);
}

TEST_F(HanoiBarriers, ARegionThatIsOpenedAgainKeepsWhoWaitsInIt) {
  rig.start('A', "1111");
  rig.bssy(0, HanoiRig::behind('J'));
  rig.bra('J', "0001", 'B');
  rig.bsync(0);
  rig.bssy(0, HanoiRig::behind('J'));
  EXPECT_EQ(rig.b(0), "1111");
  rig.jump('J');
  rig.bsync(0);
  EXPECT_EQ(rig.ws(), "J' 1111");
}

TEST_F(HanoiBarriers, WhoWaitsAtARegisterThatIsSavedGoesOnWhenItIsWrittenBack) {
  rig.start('A', "1111");
  rig.bssy(0, HanoiRig::behind('J'));
  rig.bra('J', "0001", 'F');
  rig.bsync(0);
  const std::string saved = rig.spill(0);
  EXPECT_EQ(saved, "1111");
  rig.bssy(0, HanoiRig::behind('K'));
  EXPECT_EQ(rig.b(0), "1110");
  rig.bra('K', "0010", 'G');
  rig.bsync(0);
  rig.jump('K');
  rig.bsync(0);
  EXPECT_EQ(rig.ws(), "K' 1110") << "not lane 0, which waits for 1111";
  rig.restore(0, saved);
  rig.jump('J');
  rig.bsync(0);
  EXPECT_EQ(rig.ws(), "J' 1111");
}

TEST_F(HanoiBarriers, NobodyWaitsForEver) {
  rig.start('A', "1111");
  rig.bssy(0, HanoiRig::behind('J'));
  rig.bra('J', "0001", 'F');
  rig.bsync(0);
  (void)rig.spill(0);
  for (int i = 0; i < 1024; ++i) rig.yield();
  EXPECT_EQ(rig.waiting(), "0000");
}

TEST_F(HanoiBarriers, LanesOfOneRegisterGoOnEachBehindItsOwnBsync) {
  rig.start('A', "1111");
  rig.bssy(0, HanoiRig::behind('J'));
  rig.bra('J', "0001", 'K');
  rig.bsync(0);
  rig.bsync(0);
  EXPECT_EQ(rig.ws(), "K 1110 | J' 0001");
}

TEST_F(HanoiBarriers, WarpsyncWaitsForWhoHasYielded) {
  rig.start('A', "1111");
  rig.bra('B', "0001", 'C');
  rig.yield();
  rig.warpsync("1111");
  EXPECT_EQ(rig.ws(), "B 0001");
  EXPECT_EQ(rig.waiting(), "1110");
  rig.yield();
  EXPECT_EQ(rig.waiting(), "1110");
  rig.warpsync("1111");
  EXPECT_EQ(rig.waiting(), "0000");
}

// "A' 0001 | A' 0010" and a third path, which ends.
std::string where_masks_meet(HanoiRig& rig, isa::WarpSyncKind kind) {
  rig.start('A', "1111");
  rig.warpsync("0001", "0001", "1110", kind);
  rig.warpsync("0010", "0010", "1100", kind);
  rig.warpsync("1100", "", "", kind);
  EXPECT_EQ(rig.ws(), "A' 0001 | A' 0010 | A' 1100");
  rig.quit("1100");
  return rig.ws();
}
TEST_F(HanoiBarriers, LanesOfAnExclusiveWarpsyncRunByThemselves) {
  EXPECT_EQ(where_masks_meet(rig, isa::WarpSyncKind::kPlain), "A' 0011");
  EXPECT_EQ(where_masks_meet(rig, isa::WarpSyncKind::kExclusive), "A' 0001 | A' 0010");
  rig.bra('J', "0010", 'K');
  rig.quit("0010");
  EXPECT_EQ(rig.ws(), "A' 0001");
}

/// They may be of several calls, each of which counts on the register that it has saved.
TEST_F(HanoiBarriers, PathsOfCodeThatHasSavedLanesDoNotJoin) {
  rig.start('A', "1111");
  rig.bssy(1, HanoiRig::behind('J'));
  EXPECT_EQ(rig.spill(1), "1111");
  rig.warpsync("0001", "0001", "1110");
  rig.warpsync("0010", "0010", "1100");
  rig.warpsync("1100");
  rig.quit("1100");
  EXPECT_EQ(rig.ws(), "A' 0001 | A' 0010");
  rig.yield();
  EXPECT_EQ(rig.ws(), "A 0010 | A' 0001") << "0010 has yielded, an instruction further";
}

TEST_F(HanoiBarriers, IfNothingCanRunLanesGoOnWhoseMissingOnesHavePassed) {
  rig.start('A', "1111");
  rig.bssy(2, HanoiRig::behind('K'));
  rig.bra('X', "1100", 'Y');
  rig.restore(1, "1100");  // of a call
  rig.jump('J');
  rig.bsync(1);
  EXPECT_EQ(rig.ws(), "X 1100 | J 0011");
  rig.jump('K');
  rig.bsync(2);
  rig.restore(1, "1111");
  rig.jump('J');
  rig.bsync(1);
  EXPECT_EQ(rig.ws(), "J 1100");
  rig.jump('K');
  rig.bsync(2);
  EXPECT_EQ(rig.ws(), "K' 1111");
}

TEST_F(HanoiBarriers, LanesThatWaitedAtAnExclusiveWarpsyncRunByThemselvesOnce) {
  rig.start('A', "1111");
  rig.bra('B', "0011", 'C');  // C runs first
  rig.warpsync("0110", "0100", "", isa::WarpSyncKind::kExclusive);
  rig.quit("1000");
  EXPECT_EQ(rig.ws(), "B 0011");
  rig.warpsync("0110", "0010", "", isa::WarpSyncKind::kExclusive);
  rig.quit("0001");
  EXPECT_EQ(rig.ws(), "C' 0100 | B' 0010") << "each behind its own";
  rig.jump(HanoiRig::behind('C'));
  rig.yield();
  EXPECT_EQ(rig.ws(), "C 0010 | C' 0100");
  rig.yield();
  EXPECT_EQ(rig.ws(), "C 0110") << "as any other paths from then on";
}

class CollectiveWarpsync : public ::testing::TestWithParam<HanoiProfile> {};
TEST_P(CollectiveWarpsync, OnePlaceGoesOnForAll) {
  HanoiRig rig(hanoi(profile(GetParam()), FirstSide::kNotTaken));
  rig.start('A', "1111");
  rig.bra('B', "0011", 'C');
  rig.warpsync("1111", "", "", isa::WarpSyncKind::kCollective);
  EXPECT_EQ(rig.ws(), "B 0011");
  rig.warpsync("1111", "", "", isa::WarpSyncKind::kCollective);
  EXPECT_EQ(rig.ws(), "C' 1111");
  EXPECT_EQ(rig.fault, "");
}
INSTANTIATE_TEST_SUITE_P(All, CollectiveWarpsync,
                         ::testing::Values(HanoiProfile::kP, HanoiProfile::kX, HanoiProfile::kBarriers));

TEST_F(HanoiBarriers, WhereNothingCanRunTheLanesOfABsyncGoOn) {
  rig.start('A', "1111");
  rig.bssy(0, HanoiRig::behind('J'));
  rig.bssy(1, HanoiRig::behind('K'));
  rig.bra('J', "0011", 'K');
  rig.bsync(1);
  rig.bsync(0);
  EXPECT_EQ(rig.ws(), "J' 0011");
  EXPECT_EQ(rig.waiting(), "1100");
  EXPECT_EQ(rig.stats.count("unit.stall_breaks"), 1u);
}

TEST(HanoiBarriersSize, IsThatOfItsTables) {
  HanoiConfig config = profile(HanoiProfile::kBarriers);
  config.barrier_registers = 16;
  EXPECT_EQ(hanoi_table_bits(config), 32u * (32 + 32) + 16 * 33 + 64 + 32 * (4 + 32 + 1 + 16) + 1);
}

}  // namespace
}  // namespace heddle::simt::hanoi_barriers_test
