// When Hanoi lets lanes go on: CHECK before every issue, lanes outside of a region that yield, lanes that would go on at a place
// that is not theirs, and who has a turn without somebody's YIELD.
#include <gtest/gtest.h>

#include "unit/simt/hanoi_rig.h"

namespace heddle::simt::hanoi_check_test {
namespace {

class HanoiChecks : public ::testing::TestWithParam<HanoiProfile> {};
INSTANTIATE_TEST_SUITE_P(Profile, HanoiChecks, ::testing::Values(HanoiProfile::kP, HanoiProfile::kX),
                         [](const auto& each) { return each.param == HanoiProfile::kP ? "P" : "X"; });

// ---- YIELD outside of the innermost region

/// A: BSSY B1,J; BRA L (0011). L: BREAK B1; YIELD. The others, 1100, are in the region.
void leave(HanoiRig& rig) {
  rig.start('A', "1111");
  rig.bssy(1, HanoiRig::behind('J'));
  rig.bra('L', "0011", 'X');
  rig.break_from(1, "0011");
  rig.expect("X 1100 | L 0011", "J'", "0000");
}

/// [Hanoi] §VII-C: the union of the two top masks is no subset of Bx.
TEST_P(HanoiChecks, ALeaversYieldIsANop) {
  HanoiRig rig(hanoi(profile(GetParam())));
  leave(rig);
  rig.yield();
  rig.expect("X 1100 | L 0011", "J'", "0000");
  EXPECT_EQ(rig.groups[kGroup].pc, pc('L', 2)) << "it goes on behind the YIELD";
  EXPECT_EQ(rig.stats.count("unit.turns"), 0u);
}

TEST_P(HanoiChecks, AYieldTowardsALeaverIsANop) {
  HanoiRig rig(hanoi(profile(GetParam()), FirstSide::kNotTaken));
  rig.start('A', "1111");
  rig.bssy(1, HanoiRig::behind('J'));
  rig.bra('L', "0011", 'X');
  rig.expect("L 0011 | X 1100", "J'", "0000");
  rig.yield();  // a sibling still
  rig.expect("X 1100 | L 0011", "J'", "0000");
  rig.break_from(1, "0011");
  rig.yield();
  rig.expect("X 1100 | L 0011", "J'", "0000");
  rig.quit("0011");
  rig.yield();
  rig.expect("X 1100", "J'", "0000");
}

/// The exception: nothing else would let a path go on that has come back from a barrier below one from outside.
TEST_P(HanoiChecks, ALeaverYieldsToWhoComesBackFromABarrier) {
  HanoiRig rig(hanoi(profile(GetParam()), FirstSide::kNotTaken));
  rig.start('A', "1111");
  rig.bssy(1, HanoiRig::behind('J'));
  rig.bra('L', "0011", 'X');
  rig.barrier(kGroup, pc('X', 1));
  rig.break_from(1, "0011");
  rig.yield();
  rig.expect("L 0011", "J'", "0000");
  rig.release(mask("1100"));
  rig.expect("X 1100 | L 0011", "J'", "0000");
  rig.yield();
  rig.expect("L 0011 | X 1100", "J'", "0000");
  // It has had its turn: a leaver's YIELD is a NOP again.
  rig.bra('X', "1000", 'Y');
  rig.yield();
  rig.yield();
  EXPECT_EQ(rig.groups[kGroup].mask & mask("0011"), LaneMask{}) << "no sibling of theirs";
}

// ---- CHECK before every issue, at most one release each ([Hanoi:S6])

/// 0011 waits for B1, whose other lanes leave it inside of B2's region: then both entries are complete at once.
TEST_P(HanoiChecks, TheSecondOfTwoCompleteEntriesIsReleasedBeforeTheNextIssue) {
  HanoiRig rig(hanoi(profile(GetParam())));
  rig.start('A', "1111");
  rig.bssy(1, HanoiRig::behind('J'));
  rig.bra('J', "0011", 'X');
  rig.bsync(1);
  rig.bssy(2, HanoiRig::behind('K'));
  rig.break_from(1, "1100");
  rig.expect("X 1100", "J' | K'", "0011");
  rig.jump('K');
  rig.bsync(2);
  rig.expect("K' 1100", "J'", "0011");
  rig.step();
  EXPECT_EQ(rig.ws(), "K 1100 | J' 0011") << "behind one instruction";
  EXPECT_EQ(rig.rec(), "-");
  rig.step();
  EXPECT_EQ(rig.ws(), "K 1100 | J 0011") << "and no more";
}

/// Three of them: one before each issue.
TEST_P(HanoiChecks, EachOfThreeCompleteEntriesWaitsForOneIssue) {
  HanoiRig rig(hanoi(profile(GetParam())));
  rig.start('A', "1111");
  rig.bssy(0, HanoiRig::behind('I'));
  rig.bra('I', "0001", 'X');
  rig.bsync(0);
  rig.bssy(1, HanoiRig::behind('J'));
  rig.bra('J', "0010", 'Y');
  rig.bsync(1);
  rig.bssy(2, HanoiRig::behind('K'));
  rig.break_from(0, "1100");
  rig.expect("Y 1100", "I' | J' | K'", "0011");
  rig.break_from(1, "1100");
  EXPECT_EQ(rig.waiting(), "0011") << "K is on top";
  rig.jump('K');
  rig.bsync(2);
  EXPECT_EQ(rig.waiting(), "0011");
  rig.step();
  EXPECT_EQ(rig.waiting(), "0001");
  EXPECT_EQ(rig.rec(), "I'");
  // 0010 is in B0 still: it has to leave it first.
  rig.step();
  EXPECT_EQ(rig.waiting(), "0001");
  rig.break_from(0, "0010");
  EXPECT_EQ(rig.waiting(), "0000");
}

// ---- Misrouting

/// G9b: t0 waits at W1, and is in the mask of W2 as well.
void overlapping_masks(HanoiRig& rig) {
  rig.start('A', "0111");
  rig.bra('X', "0110", 'V');
  rig.bra('T', "0100", 'U');
  rig.yield();
  rig.yield();
  rig.jump('W');
  rig.warpsync("0011");
  EXPECT_EQ(rig.fault, "");
  rig.jump('Z');
  rig.warpsync("0101");
}

TEST(HanoiCheck, APWarpsyncThatMisroutesLanesIsAnError) {
  HanoiConfig config = profile(HanoiProfile::kP);
  config.private_registers = 2;
  HanoiRig rig(hanoi(config));
  overlapping_masks(rig);
  EXPECT_NE(rig.fault.find("wait elsewhere"), std::string::npos) << rig.fault;
  EXPECT_EQ(rig.stats.count("unit.misrouted"), 1u);
}

TEST(HanoiCheck, WithoutChecksItMisroutesThem) {
  HanoiConfig config = profile(HanoiProfile::kP);
  config.private_registers = 2;
  config.checks_contract = false;
  HanoiRig rig(hanoi(config));
  overlapping_masks(rig);
  EXPECT_EQ(rig.fault, "");
  EXPECT_EQ(rig.stats.count("unit.misrouted"), 1u);
}

/// t0 waits at W1 for t1, the mask of W2 names t0 and t2, and t2 does not come there but ends: who is left would go on at W2.
TEST(HanoiCheck, AnExitThatMisroutesLanesIsAnErrorAsWell) {
  HanoiConfig config = profile(HanoiProfile::kP);
  config.private_registers = 2;
  HanoiRig rig(hanoi(config));
  rig.start('A', "1111");
  rig.bra('X', "1110", 'V');
  rig.bra('T', "1100", 'U');
  rig.yield();
  rig.yield();
  rig.jump('W');
  rig.warpsync("0011");
  rig.bra('Z', "1000", 'Y');
  rig.warpsync("1101");
  EXPECT_EQ(rig.fault, "");
  rig.quit("0100");
  EXPECT_NE(rig.fault, "") << "1001 wait, of which 0001 does so at W1";
}

// ---- WARPSYNC of several masks

class HanoiMasks : public ::testing::TestWithParam<HanoiProfile> {};
INSTANTIATE_TEST_SUITE_P(Profile, HanoiMasks,
                         ::testing::Values(HanoiProfile::kP, HanoiProfile::kX, HanoiProfile::kBarriers));

// ptxas puts an operation of all lanes behind a WARPSYNC at which each half names itself.
TEST_P(HanoiMasks, LanesOfSeveralMasksThatHaveMetGoOnTogether) {
  HanoiConfig config = profile(GetParam());
  config.private_registers = 2;
  HanoiRig rig(hanoi(config));
  const std::vector<std::string> halves{"0011", "0011", "1100", "1100"};
  rig.start('A', "1111");
  rig.warpsync_each(halves);
  EXPECT_EQ(rig.ws(), "A' 1111");
  rig.bra('X', "0101", 'Y');
  rig.jump('W');
  rig.warpsync_each(halves);
  EXPECT_EQ(rig.ws(), "Y 1010");
  rig.jump('W');
  rig.warpsync_each(halves);
  EXPECT_EQ(rig.ws(), "W' 1111");
  EXPECT_EQ(rig.fault, "");
}

TEST_P(HanoiMasks, OnlyLanesWhoseMaskHasMetGoOn) {
  HanoiRig rig(hanoi(profile(GetParam())));
  rig.start('A', "1111");
  rig.bra('X', "0111", 'Y');
  rig.warpsync_each({"0011", "0011", "1100"});
  EXPECT_EQ(rig.ws(), "Y 1000 | X' 0011");
  rig.quit("0011");
  rig.quit("1000");
  EXPECT_EQ(rig.ws(), "X' 0100");
}

// ---- Spilled regions

class HanoiSpills : public ::testing::TestWithParam<HanoiProfile> {};
INSTANTIATE_TEST_SUITE_P(Profile, HanoiSpills, ::testing::Values(HanoiProfile::kX, HanoiProfile::kBarriers));

/// nvcc's code, when a BSSY's register is needed elsewhere: its lanes meet at the BSYNC of another one.
TEST_P(HanoiSpills, LanesMeetWhereTheirMaskHasBeenMovedTo) {
  HanoiRig rig(hanoi(profile(GetParam())));
  rig.start('A', "1111");
  rig.bssy(1, HanoiRig::behind('J'));
  const std::string mask = rig.spill(1);
  rig.bra('X', "1100", 'Y');
  for (int path = 0; path < 2; ++path) {
    rig.bssy(1, HanoiRig::behind('E'));  // a region inside
    rig.jump('E');
    rig.bsync(1);
    rig.jump('I');
    EXPECT_EQ(rig.spill(2), path == 0 ? "0000" : "1111") << "of who waits already";
    rig.restore(2, mask);
    rig.jump('J');
    rig.bsync(2);
    EXPECT_EQ(rig.ws(), path == 0 ? "Y 0011" : "J' 1111");
  }
}

// ---- Who has a turn

std::vector<LaneMask> suspended_until(HanoiRig& rig, Pc at) {
  std::vector<LaneMask> lanes;
  for (const SuspendedLanes& each : rig.suspended())
    if (std::find(each.until.begin(), each.until.end(), at) != each.until.end()) lanes.push_back(each.mask);
  return lanes;
}

/// Only siblings wait for a YIELD of the running path; others wait for what changes who is one.
TEST_P(HanoiChecks, OnlySiblingsWaitForAYield) {
  HanoiRig rig(hanoi(profile(GetParam())));
  isa::ProgramFacts facts;
  facts.convergence = {pc('J')};
  facts.yields = {pc('Y')};
  ControlFlowRequest begin;
  begin.event = ControlFlowEvent::kBeginLaunch;
  begin.facts = &facts;
  rig.send(begin);
  rig.start('A', "1111");
  rig.bra('X', "0111", 'O');
  rig.bssy(1, HanoiRig::behind('J'));
  rig.bra('L', "0011", 'M');
  EXPECT_EQ(rig.ws(), "O 1000 | M 0100 | L 0011");
  EXPECT_EQ(suspended_until(rig, pc('Y')), std::vector{mask("0100")});
  EXPECT_EQ(suspended_until(rig, pc('J')), (std::vector{mask("1000"), mask("0100")}));
  const std::vector<RunnableSplit> runnable = rig.runnable();
  ASSERT_EQ(runnable.size(), 2u);
  EXPECT_TRUE(runnable[0].if_yielded_to);
  EXPECT_EQ(runnable[1].mask, mask("0011"));
  EXPECT_FALSE(runnable[1].if_yielded_to);
}

}  // namespace
}  // namespace heddle::simt::hanoi_check_test
