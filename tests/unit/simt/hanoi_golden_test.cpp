// The worked examples [Hanoi:G1] to [Hanoi:G13], event by event, side by side with their tables.
#include <gtest/gtest.h>

#include "unit/simt/hanoi_rig.h"

namespace heddle::simt::hanoi_golden_test {
namespace {

class HanoiGoldens : public ::testing::TestWithParam<HanoiProfile> {};
std::string profile_name(HanoiProfile of) { return of == HanoiProfile::kP ? "P" : "X"; }
INSTANTIATE_TEST_SUITE_P(Profile, HanoiGoldens, ::testing::Values(HanoiProfile::kP, HanoiProfile::kX),
                         [](const auto& each) { return profile_name(each.param); });

HanoiConfig loose() {
  HanoiConfig config = profile(HanoiProfile::kP);
  config.checks_contract = false;
  return config;
}

// A: BSSY B0,F; BMOV R0,B0; BRA B (1100) else F. B: BSSY B0,E; BRA C (1000) else D. C, D: to E.
// E: BSYNC B0. F: BMOV B0,R0; BSYNC B0.
TEST_P(HanoiGoldens, G1NestingWithBmov) {
  HanoiRig rig(hanoi(profile(GetParam())));
  rig.start('A', "1111");
  rig.bssy(0, HanoiRig::behind('F', 2));
  rig.expect("A 1111", "F'", "0000");
  EXPECT_EQ(rig.b(0), "1111");
  EXPECT_EQ(rig.spill(0), "1111");
  rig.expect("A 1111", "F'", "0000");
  EXPECT_EQ(rig.b(0), "inv");
  rig.bra('B', "1100", 'F');
  rig.expect("F 0011 | B 1100", "F'", "0000");
  EXPECT_EQ(rig.b(0), "inv");
  rig.bssy(0, HanoiRig::behind('E'));
  rig.expect("F 0011 | B 1100", "F' | E'", "0000");
  EXPECT_EQ(rig.b(0), "1100");
  rig.bra('C', "1000", 'D');
  rig.expect("F 0011 | D 0100 | C 1000", "F' | E'", "0000");
  EXPECT_EQ(rig.b(0), "1100");
  rig.jump('E');
  rig.bsync(0);
  rig.expect("F 0011 | D 0100", "F' | E'", "1000");
  EXPECT_EQ(rig.b(0), "1100");
  rig.jump('E');
  rig.bsync(0);  // and the check
  rig.expect("F 0011 | E' 1100", "F'", "0000");
  EXPECT_EQ(rig.b(0), "inv");
  rig.jump('F');
  rig.restore(0, "1111");
  rig.expect("F 0011 | F 1100", "F'", "0000");
  EXPECT_EQ(rig.b(0), "1111");
  rig.bsync(0);
  rig.expect("F 0011", "F'", "1100");
  EXPECT_EQ(rig.b(0), "1111");
  rig.restore(0, "1111");
  rig.expect("F 0011", "F'", "1100");
  EXPECT_EQ(rig.b(0), "1111");
  rig.bsync(0);
  rig.expect("F' 1111", "-", "0000");
  EXPECT_EQ(rig.b(0), "inv");
}

/// Lanes wait at the outer point while an inner entry is on top.
TEST_P(HanoiGoldens, G2TheWaitingMaskNamesLanesAtEveryEntry) {
  HanoiRig rig(hanoi(profile(GetParam()), FirstSide::kNotTaken));
  rig.start('A', "1111");
  rig.bssy(0, HanoiRig::behind('F', 2));
  rig.spill(0);
  rig.bra('B', "1100", 'F');
  rig.expect("B 1100 | F 0011", "F'", "0000");
  rig.restore(0, "1111");
  EXPECT_EQ(rig.b(0), "1111");
  rig.bsync(0);
  rig.expect("B 1100", "F'", "0011");
  rig.bssy(0, HanoiRig::behind('E'));
  rig.expect("B 1100", "F' | E'", "0011");
  EXPECT_EQ(rig.b(0), "1100");
  rig.bra('C', "1000", 'D');
  rig.expect("C 1000 | D 0100", "F' | E'", "0011");
  rig.jump('E');
  rig.bsync(0);
  rig.expect("C 1000", "F' | E'", "0111");
  rig.jump('E');
  rig.bsync(0);
  rig.expect("E' 1100", "F'", "0011");
  EXPECT_EQ(rig.b(0), "inv");
  rig.jump('F');
  rig.restore(0, "1111");
  rig.bsync(0);
  rig.expect("F' 1111", "-", "0000");
}

/// With the mask of the top entry alone, as [Hanoi] §VII has it literally, the lanes that waited are lost
/// ([Hanoi:A2]).
TEST(HanoiGolden, G2ALiteralWaitingMaskDeadlocks) {
  HanoiConfig config = loose();
  config.waiting = HanoiWaiting::kTop;
  HanoiRig rig(hanoi(config, FirstSide::kNotTaken));
  rig.start('A', "1111");
  rig.bssy(0, HanoiRig::behind('F', 2));
  rig.spill(0);
  rig.bra('B', "1100", 'F');
  rig.restore(0, "1111");
  rig.bsync(0);
  rig.bssy(0, HanoiRig::behind('E'));
  EXPECT_EQ(rig.waiting(), "0000") << "0011 is forgotten";
  rig.bsync(0);
  rig.jump('F');
  rig.restore(0, "1111");
  rig.bsync(0);
  rig.expect("-", "F'", "1100");
}

// A: BSSY B1,D; BSSY B0,B; BRA B (1100) else C. C: @!P1 BREAK B0 (P1=1110); @P1 BRA B else D. B: BSYNC B0.
// D: BSYNC B1.
void begin_g3(HanoiRig& rig) {
  rig.start('A', "1111");
  rig.bssy(1, HanoiRig::behind('D'));
  rig.bssy(0, HanoiRig::behind('B'));
  rig.expect("A 1111", "D' | B'", "0000");
  rig.bra('B', "1100", 'C');
}

TEST_P(HanoiGoldens, G3EarlyReconvergence) {
  HanoiRig rig(hanoi(profile(GetParam())));
  begin_g3(rig);
  rig.expect("C 0011 | B 1100", "D' | B'", "0000");
  rig.bsync(0);
  rig.expect("C 0011", "D' | B'", "1100");
  rig.break_from(0, "0001");
  rig.expect("C 0011", "D' | B'", "1100");
  EXPECT_EQ(rig.b(0), "1110");
  EXPECT_EQ(rig.b(1), "1111");
  rig.bra('B', "0010", 'D');
  rig.expect("D 0001 | B 0010", "D' | B'", "1100");
  rig.bsync(0);
  rig.expect("D 0001 | B' 1110", "D'", "0000");
  EXPECT_EQ(rig.b(0), "inv");
  rig.jump('D');
  rig.bsync(1);
  rig.expect("D 0001", "D'", "1110");
  rig.bsync(1);
  rig.expect("D' 1111", "-", "0000");
  EXPECT_EQ(rig.b(1), "inv");
}

TEST_P(HanoiGoldens, G3NotTakenFirst) {
  HanoiRig rig(hanoi(profile(GetParam()), FirstSide::kNotTaken));
  begin_g3(rig);
  rig.break_from(0, "0001");
  rig.bra('B', "0010", 'D');
  rig.expect("B 1100 | B 0010 | D 0001", "D' | B'", "0000");
  rig.bsync(1);
  rig.expect("B 1100 | B 0010", "D' | B'", "0001");
  EXPECT_EQ(rig.b(0), "1110");
  rig.bsync(0);
  rig.expect("B 1100", "D' | B'", "0011");
  rig.bsync(0);
  rig.expect("B' 1110", "D'", "0001");
  rig.jump('D');
  rig.bsync(1);
  rig.expect("D' 1111", "-", "0000");
}

/// [Hanoi] §VI-B predicts a deadlock; by [Hanoi] §VII-C the lane goes the wrong way ([Hanoi:A19]).
TEST(HanoiGolden, G3WithoutBreakProfilePMisroutesALane) {
  HanoiRig rig(hanoi(loose(), FirstSide::kNotTaken));
  begin_g3(rig);
  rig.bra('B', "0010", 'D');
  rig.bsync(1);
  rig.bsync(0);
  rig.bsync(0);
  rig.expect("B' 1111", "D'", "0000");
}

TEST(HanoiGolden, G3WithoutBreakProfilePFindsTheBrokenContract) {
  HanoiRig rig(hanoi(profile(HanoiProfile::kP), FirstSide::kNotTaken));
  begin_g3(rig);
  rig.bra('B', "0010", 'D');
  rig.bsync(1);
  EXPECT_NE(rig.fault, "");
}

TEST(HanoiGolden, G3WithoutBreakProfileXBreaksTheStall) {
  HanoiRig rig(hanoi(profile(HanoiProfile::kX), FirstSide::kNotTaken));
  begin_g3(rig);
  rig.bra('B', "0010", 'D');
  rig.bsync(1);
  rig.bsync(0);
  rig.bsync(0);
  EXPECT_EQ(rig.ws(), "B' 1110");
  EXPECT_EQ(rig.waiting(), "0001");
  rig.jump('D');
  rig.bsync(1);
  rig.expect("D' 1111", "-", "0000");
}

// A: BSSY B0,E. B: YIELD. C: won or back to B. D: critical section. E: BSYNC B0. The highest lane wins.
class HanoiSpin : public ::testing::TestWithParam<std::tuple<HanoiProfile, HanoiYield>> {};
INSTANTIATE_TEST_SUITE_P(Policy, HanoiSpin,
                         ::testing::Combine(::testing::Values(HanoiProfile::kP, HanoiProfile::kX),
                                            ::testing::Values(HanoiYield::kSwap, HanoiYield::kExchange,
                                                              HanoiYield::kExchangeOfWarp,
                                                              HanoiYield::kRotate)));

TEST_P(HanoiSpin, G4SpinLock) {
  HanoiConfig config = profile(std::get<0>(GetParam()));
  config.yield = std::get<1>(GetParam());
  HanoiRig rig(hanoi(config, FirstSide::kTaken));
  const auto attempt = [&](const std::string& losers) {
    rig.step();  // to C
    rig.bra('B', losers, 'D');
  };
  rig.start('A', "1111");
  rig.bssy(0, HanoiRig::behind('E'));
  rig.jump('B');
  rig.yield();
  EXPECT_EQ(rig.ws(), "B 1111") << "alone";
  attempt("0111");
  // hanoi has the losers below; the majority's turn does not matter, for they yield at once.
  rig.expect("D 1000 | B 0111", "E'", "0000");
  rig.yield();
  rig.expect("B 0111 | D 1000", "E'", "0000");
  rig.jump('E');
  rig.bsync(0);
  rig.expect("B 0111", "E'", "1000");
  attempt("0011");
  rig.expect("D 0100 | B 0011", "E'", "1000");
  rig.yield();
  rig.expect("B 0011 | D 0100", "E'", "1000");
  rig.jump('E');
  rig.bsync(0);
  rig.expect("B 0011", "E'", "1100");
  attempt("0001");
  rig.yield();
  rig.jump('E');
  rig.bsync(0);
  rig.expect("B 0001", "E'", "1110");
  EXPECT_EQ(rig.b(0), "1111");
  attempt("0000");
  rig.jump('E');
  rig.bsync(0);
  rig.expect("E' 1111", "-", "0000");
  rig.quit("1111");
  EXPECT_EQ(rig.stats.count("unit.turns"), 3u);
  EXPECT_EQ(rig.stats.count("unit.yields"), 4u);
}

/// With BSYNC at the immediate post-dominator, the winner waits for those that wait for it.
TEST(HanoiGolden, G4BsyncInFrontOfTheReleaseDeadlocks) {
  HanoiRig rig(hanoi(profile(HanoiProfile::kP)));
  rig.start('A', "1111");
  rig.bssy(0, HanoiRig::behind('D'));
  rig.jump('B');
  rig.yield();
  rig.bra('B', "0111", 'D');
  rig.yield();
  rig.bsync(0);
  for (int i = 0; i < 100; ++i) {
    rig.yield();
    rig.bra('B', "0111", 'D');
    ASSERT_EQ(rig.waiting(), "1000");
    ASSERT_EQ(rig.ws(), "B 0111");
  }
}

// Lanes 0: ended, 3: waits in B1's region, 2: at 20 in it, 1: at 50.
TEST_P(HanoiGoldens, G5SnapshotOfFig6) {
  HanoiRig rig(hanoi(profile(GetParam())));
  rig.start('A', "1111");
  rig.bssy(0, HanoiRig::behind('F'));
  rig.quit("0001");
  rig.bra('B', "1100", 'E');
  rig.bssy(1, HanoiRig::behind('C'));
  rig.bra('C', "1000", 'D');
  rig.bsync(1);
  rig.expect("E 0010 | D 0100", "F' | C'", "1000");
  EXPECT_EQ(rig.b(0), "1110");
  EXPECT_EQ(rig.b(1), "1100");
  EXPECT_EQ(rig.finished(), "0001");
  rig.yield();
  rig.expect("E 0010 | D 0100", "F' | C'", "1000");
  EXPECT_EQ(rig.groups[kGroup].pc, pc('D', 1)) << "no sibling: a NOP";
  rig.jump('C');
  rig.bsync(1);
  rig.expect("E 0010 | C' 1100", "F'", "0000");
  EXPECT_EQ(rig.b(1), "inv");
  rig.yield();
  EXPECT_EQ(rig.ws(), "C 1100 | E 0010");
}

TEST_P(HanoiGoldens, G6PredicatedExit) {
  HanoiRig rig(hanoi(profile(GetParam())));
  rig.start('A', "1111");
  rig.bssy(0, HanoiRig::behind('J'));
  rig.bra('X', "1100", 'J');
  rig.quit("1000");
  rig.expect("J 0011 | X 0100", "J'", "0000");
  EXPECT_EQ(rig.b(0), "0111");
  EXPECT_EQ(rig.finished(), "1000");
  rig.jump('J');
  rig.bsync(0);
  rig.expect("J 0011", "J'", "0100");
  rig.bsync(0);
  rig.expect("J' 0111", "-", "0000");
}

TEST_P(HanoiGoldens, G6ARestoredRegisterLosesTheLanesThatHaveEnded) {
  HanoiRig rig(hanoi(profile(GetParam())));
  rig.start('A', "1111");
  rig.bssy(0, HanoiRig::behind('J'));
  EXPECT_EQ(rig.spill(0), "1111");
  rig.bra('X', "1100", 'J');
  rig.quit("1000");
  rig.restore(0, "1111");
  EXPECT_EQ(rig.b(0), "0111");
}

void begin_g7(HanoiRig& rig) {
  rig.start('A', "1111");
  rig.bssy(0, HanoiRig::behind('J'));
}

// 0011 waits at J; 1100 opens K and ends there.
TEST_P(HanoiGoldens, G7AllLanesOfTheInnerRegionEnd) {
  HanoiRig rig(hanoi(profile(GetParam()), FirstSide::kNotTaken));
  begin_g7(rig);
  rig.bra('X', "1100", 'J');
  rig.bsync(0);
  rig.bssy(1, HanoiRig::behind('K'));
  rig.expect("X 1100", "J' | K'", "0011");
  rig.quit("1000");
  rig.quit("0100");
  rig.expect("J' 0011", "-", "0000");
  EXPECT_EQ(rig.finished(), "1100");
}

TEST(HanoiGolden, G7WithoutTheEmptyPopItDeadlocks) {
  HanoiConfig config = profile(HanoiProfile::kP);
  config.pops_empty = false;
  HanoiRig rig(hanoi(config, FirstSide::kNotTaken));
  begin_g7(rig);
  rig.bra('X', "1100", 'J');
  rig.bsync(0);
  rig.bssy(1, HanoiRig::behind('K'));
  rig.quit("1100");
  rig.expect("-", "J' | K'", "0011");
  EXPECT_EQ(rig.b(0), "0011");
  EXPECT_EQ(rig.b(1), "0000");
}

/// The region's register is spilled and used again, and nobody is left to restore it.
TEST_P(HanoiGoldens, G8SpilledAndReusedRegister) {
  HanoiRig rig(hanoi(profile(GetParam()), FirstSide::kNotTaken));
  rig.start('A', "1111");
  rig.bssy(0, HanoiRig::behind('J', 2));
  const std::string r0 = rig.spill(0);
  rig.bra('X', "1100", 'J');
  rig.restore(0, r0);
  rig.bsync(0);
  rig.bssy(0, HanoiRig::behind('K'));
  rig.quit("1100");
  if (GetParam() == HanoiProfile::kP) {
    rig.expect("-", "J'", "0011");
    EXPECT_EQ(rig.b(0), "inv") << "stuck";
  } else {
    rig.expect("J' 0011", "-", "0000");
  }
}

TEST_P(HanoiGoldens, G9aWarpsyncOfTwoSubsets) {
  HanoiRig rig(hanoi(profile(GetParam())));
  rig.start('A', "1111");
  rig.bra('X', "1100", 'Y');
  rig.jump('W');
  rig.warpsync("1111");
  rig.expect("Y 0011", "W'", "1100");
  EXPECT_EQ(rig.b(7), "1111") << "a register that programs cannot name";
  rig.jump('W');
  rig.warpsync("1111");
  rig.expect("W' 1111", "-", "0000");
  EXPECT_EQ(rig.b(7), "inv");
}

// t0: W1(0011), then W2(0101); t1: W1; t2: W2. In the order t0, t2, t1.
TEST_P(HanoiGoldens, G9bOverlappingMasks) {
  HanoiConfig config = GetParam() == HanoiProfile::kP ? loose() : profile(GetParam());
  config.private_registers = 2;
  HanoiRig rig(hanoi(config));
  rig.start('A', "0111");
  rig.bra('X', "0110", 'V');
  rig.bra('T', "0100", 'U');
  // In the root region all paths are siblings: two turns bring t0 to the top.
  rig.yield();
  rig.expect("T 0100 | V 0001 | U 0010", "-", "0000");
  rig.yield();
  rig.expect("U 0010 | T 0100 | V 0001", "-", "0000");
  rig.jump('W');
  rig.warpsync("0011");
  rig.expect("U 0010 | T 0100", "W'", "0001");
  rig.jump('Z');
  rig.warpsync("0101");
  if (GetParam() == HanoiProfile::kP) {
    rig.expect("U 0010 | Z' 0101", "W'", "0000");
    return;
  }
  rig.expect("U 0010", "W' | Z'", "0101");
  rig.jump('W');
  rig.warpsync("0011");
  rig.expect("W' 0011", "W'+ | Z'", "0100");
  rig.bra('Z', "0001", 'Q');  // lane 0 goes on to W2
  rig.warpsync("0101");
  rig.expect("Q 0010 | Z' 0101", "-", "0000");
}

// f is called from both arms of region J: WARPSYNC 1111, RET.
TEST_P(HanoiGoldens, G10WarpsyncInAFunctionCalledFromBothArms) {
  HanoiRig rig(hanoi(profile(GetParam())));
  begin_g7(rig);
  rig.bra('X', "1100", 'Y');
  rig.jump('F');
  rig.warpsync("1111");
  rig.expect("Y 0011", "J' | F'", "1100");
  rig.jump('F');
  rig.warpsync("1111");
  rig.expect("F' 1111", "J'", "0000");
  const Pc r = pc('R'), s = pc('S');
  rig.ret({s, s, r, r});  // 0011 to S, behind Y's call; 1100 to R
  rig.expect("F' 1100 | S 0011", "J'", "0000");
  rig.jump('J');
  rig.bsync(0);
  rig.ret({s, s, r, r});
  rig.jump('J');
  rig.bsync(0);
  rig.expect("J' 1111", "-", "0000");
}

// As G10, and f opens region K on B1 around the WARPSYNC: X's 1100 in B1 is overwritten by Y's 0011.
TEST_P(HanoiGoldens, G11AFunctionOpensARegionAroundTheWarpsync) {
  HanoiRig rig(hanoi(GetParam() == HanoiProfile::kP ? loose() : profile(GetParam())));
  begin_g7(rig);
  rig.bra('X', "1100", 'Y');
  for (int arm = 0; arm < 2; ++arm) {
    rig.jump('F');
    rig.bssy(1, HanoiRig::behind('K'));
    rig.jump('G');
    rig.warpsync("1111");
    if (arm == 0) rig.expect("Y 0011", "J' | K' | G'", "1100");
  }
  if (GetParam() == HanoiProfile::kP) {
    rig.expect("K' 0011", "J' | K' | G'", "1100");
    return;
  }
  rig.expect("G' 1111", "J' | K' | G'+ | K'", "0000");
  EXPECT_EQ(rig.b(1), "0011");
  rig.jump('K');
  rig.bsync(1);
  rig.expect("K' 1111", "J' | K' | G'+", "0000");
  rig.jump('J');
  rig.bsync(0);
  rig.expect("J' 1111", "-", "0000");
  EXPECT_EQ(rig.stats.count("unit.stall_breaks"), 1u) << "for the stale entry of K ([Hanoi:S10])";
}

}  // namespace
}  // namespace heddle::simt::hanoi_golden_test
