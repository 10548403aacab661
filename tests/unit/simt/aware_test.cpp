// AWARE compared with the worked examples [AWARE:G4] to [AWARE:G9], table by table, and the cases of
// [AWARE] §5.1 to §5.4 that they do not cover. Masks are written MSB..LSB (rightmost = lane 0).
#include <gtest/gtest.h>

#include "blocks/simt/rig.h"

namespace heddle::simt::aware_test {
namespace {

TEST(AwareGolden, MimdG4IfElse) {
  SimtRig rig(aware());  // not taken first: B is the fall-through side
  rig.launch('A', mask("1111"));
  EXPECT_EQ(rig.st(), "A - 1111");
  EXPECT_EQ(rig.rt(), "");
  EXPECT_TRUE(rig.branch('C', "1010", 'B', 'D'));
  EXPECT_EQ(rig.st(), "B D 0101 | C D 1010");
  EXPECT_EQ(rig.rt(), "D - 1111/1111");
  EXPECT_EQ(rig.fifo(), "B0101 C1010");
  rig.go('D');  // B
  EXPECT_EQ(rig.st(), "C D 1010");
  EXPECT_EQ(rig.rt(), "D - 1111/1010");
  EXPECT_EQ(rig.groups[kGroup].pc, pc('C'));
  rig.go('D');  // C; the entry is complete and released
  EXPECT_EQ(rig.st(), "D - 1111");
  EXPECT_EQ(rig.rt(), "");
  EXPECT_EQ(rig.groups[kGroup].mask, mask("1111"));
}

TEST(AwareGolden, MimdG6Nested) {
  SimtRig rig(aware());
  rig.launch('A', mask("1111"));
  EXPECT_EQ(rig.fifo(), "A1111");
  rig.branch('B', "0101", 'C', 'G');
  EXPECT_EQ(rig.st(), "B G 0101 | C G 1010");
  EXPECT_EQ(rig.rt(), "G - 1111/1111");
  EXPECT_EQ(rig.fifo(), "C1010 B0101");
  rig.branch('D', "0010", 'E', 'F');
  EXPECT_EQ(rig.st(), "B G 0101 | D F 0010 | E F 1000");
  EXPECT_EQ(rig.rt(), "G - 1111/1111 | F G 1010/1010");
  EXPECT_EQ(rig.fifo(), "B0101 E1000 D0010");
  rig.go('G');  // B
  EXPECT_EQ(rig.st(), "D F 0010 | E F 1000");
  EXPECT_EQ(rig.rt(), "G - 1111/1010 | F G 1010/1010");
  EXPECT_EQ(rig.fifo(), "E1000 D0010");
  rig.go('F');  // E
  EXPECT_EQ(rig.st(), "D F 0010");
  EXPECT_EQ(rig.rt(), "G - 1111/1010 | F G 1010/0010");
  EXPECT_EQ(rig.fifo(), "D0010");
  rig.go('F');  // D, and F is released
  EXPECT_EQ(rig.st(), "F G 1010");
  EXPECT_EQ(rig.rt(), "G - 1111/1010");
  EXPECT_EQ(rig.fifo(), "F1010");
  rig.go('G');
  EXPECT_EQ(rig.st(), "G - 1111");
  EXPECT_EQ(rig.rt(), "");
  EXPECT_EQ(rig.fifo(), "G1111");
}

TEST(AwareGolden, MimdG7DivergentBarrier) {
  SimtRig rig(aware());
  rig.launch('A', mask("1111"));
  rig.branch('C', "1010", 'B', 'D');
  EXPECT_EQ(rig.fifo(), "B0101 C1010");
  rig.barrier(kGroup, pc('B', 1));
  EXPECT_EQ(rig.st(), "B+1 D 0101 | C D 1010");
  EXPECT_EQ(rig.fifo(), "C1010 B+10101*");
  EXPECT_EQ(rig.groups[kGroup].pc, pc('C'));
  rig.barrier(kGroup, pc('C', 1));
  EXPECT_EQ(rig.fifo(), "B+10101* C+11010*");
  EXPECT_TRUE(rig.groups[kGroup].blocked);
  EXPECT_TRUE(rig.groups[kGroup].cause == BlockCause::kBarrier);
  rig.release(mask("1111"));
  EXPECT_EQ(rig.fifo(), "B+10101 C+11010");
  EXPECT_FALSE(rig.groups[kGroup].blocked);
  EXPECT_EQ(rig.groups[kGroup].pc, pc('B', 1));
  rig.go('D');
  rig.go('D');
  EXPECT_EQ(rig.st(), "D - 1111");
}

// Barrier in divergent code (Fig 3.2): on the stack, each side would wait forever for the other.
TEST(AwareGolden, MimdG20BarrierOnBothSides) {
  SimtRig rig(aware());
  rig.launch('A', mask("1111"));
  rig.branch('B', "1100", 'C', 'D');
  rig.barrier(kGroup, pc('C', 2));
  EXPECT_EQ(rig.st(), "B D 1100 | C+2 D 0011");
  EXPECT_FALSE(rig.groups[kGroup].blocked) << "the other side gets its turn";
  rig.barrier(kGroup, pc('B', 2));
  rig.release(mask("1111"));
  EXPECT_EQ(rig.st(), "B+2 D 1100 | C+2 D 0011");
  rig.go('D');
  EXPECT_EQ(rig.rt(), "D - 1111/1100");
  rig.go('D');
  EXPECT_EQ(rig.st(), "D - 1111");
}

/// Spin lock: A; B is `while (CAS)`, C the critical section with the unlock, P the SafePDOM after it. One
/// thread wins per iteration, the highest lane first.
TEST(AwareGolden, MimdG8DelayedReconvergence) {
  ControlFlowConfig config = aware();
  config.first_side = FirstSide::kNotTaken;
  SimtRig rig(config);
  rig.launch('A', mask("1111"));
  EXPECT_EQ(rig.fifo(), "A1111");
  rig.go('B');
  rig.branch('B', "0111", 'C', 'P');
  EXPECT_EQ(rig.st(), "B P 0111 | C P 1000");
  EXPECT_EQ(rig.rt(), "P - 1111/1111");
  EXPECT_EQ(rig.fifo(), "C1000 B0111");
  rig.go('P');
  EXPECT_EQ(rig.st(), "B P 0111");
  EXPECT_EQ(rig.rt(), "P - 1111/0111");
  EXPECT_EQ(rig.fifo(), "B0111");
  rig.branch('B', "0011", 'C', 'P');
  EXPECT_EQ(rig.st(), "B P 0011 | C P 0100") << "the same RPC: the entry is reused";
  EXPECT_EQ(rig.rt(), "P - 1111/0111");
  EXPECT_EQ(rig.fifo(), "C0100 B0011");
  rig.go('P');
  EXPECT_EQ(rig.st(), "B P 0011");
  EXPECT_EQ(rig.rt(), "P - 1111/0011");
  EXPECT_EQ(rig.fifo(), "B0011");
  rig.branch('B', "0001", 'C', 'P');
  EXPECT_EQ(rig.st(), "B P 0001 | C P 0010");
  EXPECT_EQ(rig.rt(), "P - 1111/0011");
  EXPECT_EQ(rig.fifo(), "C0010 B0001");
  rig.go('P');
  EXPECT_EQ(rig.st(), "B P 0001");
  EXPECT_EQ(rig.rt(), "P - 1111/0001");
  EXPECT_EQ(rig.fifo(), "B0001");
  rig.branch('B', "0000", 'C', 'P');
  EXPECT_EQ(rig.st(), "C P 0001");
  EXPECT_EQ(rig.rt(), "P - 1111/0001");
  EXPECT_EQ(rig.fifo(), "C0001");
  rig.go('P');
  EXPECT_EQ(rig.st(), "P - 1111");
  EXPECT_EQ(rig.rt(), "");
  EXPECT_EQ(rig.fifo(), "P1111");
}

/// Time-out: the RPC is C itself.
TEST(AwareGolden, MimdG9TimedOutReconvergence) {
  ControlFlowConfig config = aware();
  config.get<TimeoutConfig>().cycles = 1000;
  SimtRig rig(config);
  rig.launch('A', mask("1111"));
  rig.go('B');
  rig.cycle = 10;
  rig.branch('B', "0111", 'C', 'C');
  EXPECT_EQ(rig.st(), "B C 0111");
  EXPECT_EQ(rig.rt(), "C - 1111/0111");
  EXPECT_EQ(rig.fifo(), "B0111");
  EXPECT_EQ(rig.due, 10u + 1001u) << "the counter exceeds the limit";
  for (rig.cycle = 20; rig.cycle < 1000; rig.cycle += 10) rig.branch('B', "0111", 'C', 'C');
  EXPECT_EQ(rig.st(), "B C 0111");
  rig.tick(1011);
  EXPECT_EQ(rig.st(), "B C 0111 | C - 1000");
  EXPECT_EQ(rig.rt(), "C - 0111/0111");
  EXPECT_EQ(rig.fifo(), "B0111 C1000");
  EXPECT_EQ(rig.due, kNever);
  EXPECT_TRUE(rig.answered.empty()) << "the spinning split goes on";
  rig.branch('B', "0111", 'C', 'C');  // the next taken branch rotates
  EXPECT_EQ(rig.fifo(), "C1000 B0111");
  EXPECT_EQ(rig.groups[kGroup].pc, pc('C'));
  EXPECT_EQ(rig.groups[kGroup].watch, kNoPc);
  rig.exit(kGroup, mask("1000"), pc('D'));
  // The next winner waits at C until the time-out.
  rig.branch('B', "0011", 'C', 'C');
  EXPECT_EQ(rig.rt(), "C - 0111/0011");
  rig.tick(rig.due);
  EXPECT_EQ(rig.st(), "B C 0011 | C - 0100");
  EXPECT_EQ(rig.rt(), "C - 0011/0011");
  rig.branch('B', "0011", 'C', 'C');
  rig.exit(kGroup, mask("0100"), pc('D'));
  rig.branch('B', "0001", 'C', 'C');
  rig.tick(rig.due);
  rig.branch('B', "0001", 'C', 'C');
  rig.exit(kGroup, mask("0010"), pc('D'));
  EXPECT_EQ(rig.rt(), "C - 0001/0001");
  rig.branch('B', "0000", 'C', 'C');  // the last one leaves without divergence
  EXPECT_EQ(rig.st(), "C - 0001");
  EXPECT_EQ(rig.rt(), "");
}

/// Without a time-out and with the IPDOM as RPC, the state after the first winner repeats forever.
TEST(AwareGolden, MimdG9PlainAwareSpinsForEver) {
  SimtRig rig(aware());
  rig.launch('A', mask("1111"));
  rig.go('B');
  rig.branch('B', "0111", 'C', 'C');
  const std::uint64_t before = rig.digest(mask("0111"));
  for (int spin = 0; spin < 100; ++spin) {
    rig.cycle += 1000;
    rig.branch('B', "0111", 'C', 'C');
    EXPECT_EQ(rig.st(), "B C 0111");
    EXPECT_EQ(rig.rt(), "C - 1111/0111");
    EXPECT_EQ(rig.digest(mask("0111")), before);
    EXPECT_EQ(rig.due, kNever);
  }
  const auto waiting = rig.suspended();
  ASSERT_EQ(waiting.size(), 1u);
  EXPECT_EQ(waiting[0].mask, mask("1000"));
  EXPECT_EQ(waiting[0].at, pc('C'));
  EXPECT_TRUE(waiting[0].why == Suspension::kReconverging);
}

TEST(Aware, EveryTakenBranchRotates) {
  SimtRig rig(aware());
  rig.launch('A', mask("1111"));
  rig.branch('C', "1010", 'B', 'D');
  rig.branch('E', "0101", 'F', 'G');
  EXPECT_EQ(rig.fifo(), "C1010 E0101");
  rig.branch('F', "0000", 'F', 'G');
  EXPECT_EQ(rig.fifo(), "F1010 E0101") << "a branch that nobody takes does not";
}

TEST(Aware, WithoutRotationOnlyDivergenceGivesOthersATurn) {
  ControlFlowConfig config = aware();
  config.get<AwareConfig>().rotate_on_taken_branch = false;
  SimtRig rig(config);
  rig.launch('A', mask("1111"));
  rig.branch('C', "1010", 'B', 'D');
  rig.branch('E', "0101", 'F', 'G');
  EXPECT_EQ(rig.fifo(), "E0101 C1010");
}

TEST(Aware, TheTakenOrTheSmallerSideRunsFirstIfConfiguredSo) {
  ControlFlowConfig taken = aware();
  taken.first_side = FirstSide::kTaken;
  ControlFlowConfig smaller = aware();
  smaller.first_side = FirstSide::kSmaller;
  SimtRig first(taken, 1, "taken");
  SimtRig second(smaller, 1, "smaller");
  for (SimtRig* rig : {&first, &second}) rig->launch('A', mask("1111"));
  first.branch('C', "1110", 'B', 'D');
  EXPECT_EQ(first.fifo(), "C1110 B0001");
  second.branch('C', "0001", 'B', 'D');
  EXPECT_EQ(second.fifo(), "C0001 B1110");
}

// [AWARE] §5.3, special case 3
TEST(Aware, ABranchThatMeetsWhereItsSplitDoesReusesTheEntry) {
  SimtRig rig(aware());
  rig.launch('A', mask("1111"));
  rig.branch('C', "1100", 'B', 'D');
  rig.branch('F', "0001", 'E', 'D');  // B
  EXPECT_EQ(rig.st(), "C D 1100 | E D 0010 | F D 0001");
  EXPECT_EQ(rig.rt(), "D - 1111/1111");
  rig.go('D');  // C
  rig.go('D');  // E
  EXPECT_EQ(rig.rt(), "D - 1111/0001");
  rig.go('D');
  EXPECT_EQ(rig.st(), "D - 1111");
}

TEST(Aware, ASideThatIsAtTheMeetingPointGetsNoEntry) {
  SimtRig rig(aware());
  rig.launch('A', mask("1111"));
  rig.branch('D', "0011", 'B', 'D');
  EXPECT_EQ(rig.st(), "B D 1100");
  EXPECT_EQ(rig.rt(), "D - 1111/1100");
  rig.branch('D', "0100", 'E', 'D');
  EXPECT_EQ(rig.st(), "E D 1000");
  EXPECT_EQ(rig.rt(), "D - 1111/1000");
  rig.branch('D', "1000", 'F', 'D');
  EXPECT_EQ(rig.st(), "D - 1111");
}

TEST(Aware, BothSidesAtOnePlaceDoNotDiverge) {
  SimtRig rig(aware());
  rig.launch('A', mask("1111"));
  EXPECT_FALSE(rig.branch('D', "0011", 'D', 'D'));
  EXPECT_EQ(rig.st(), "D - 1111");
  EXPECT_EQ(rig.rt(), "");
}

TEST(Aware, ThreadsThatEndAreNotWaitedFor) {
  SimtRig rig(aware());
  rig.launch('A', mask("1111"));
  rig.branch('C', "1100", 'B', 'D');
  rig.go('D');  // B
  EXPECT_EQ(rig.rt(), "D - 1111/1100");
  rig.exit(kGroup, mask("0100"), pc('C', 1));
  EXPECT_EQ(rig.st(), "C+1 D 1000");
  EXPECT_EQ(rig.rt(), "D - 1011/1000");
  rig.exit(kGroup, mask("1000"), pc('C', 2));
  EXPECT_EQ(rig.st(), "D - 0011") << "the last one that was missing ended";
  EXPECT_EQ(rig.rt(), "");
  rig.exit(kGroup, mask("0011"), pc('D', 1));
  EXPECT_EQ(rig.st(), "");
  EXPECT_TRUE(rig.groups.empty());
}

TEST(Aware, AThreadThatEndsLeavesEveryPointItWasExpectedAt) {
  SimtRig rig(aware());
  rig.launch('A', mask("1111"));
  rig.branch('C', "1000", 'B', 'G');
  rig.branch('E', "0001", 'D', 'F');  // B
  EXPECT_EQ(rig.rt(), "G - 1111/1111 | F G 0111/0111");
  rig.go('G');                                 // C
  rig.exit(kGroup, mask("0110"), pc('D', 1));  // D ends completely
  EXPECT_EQ(rig.rt(), "G - 1001/0001 | F G 0001/0001");
  rig.exit(kGroup, mask("0001"), pc('E', 1));
  EXPECT_EQ(rig.st(), "G - 1000");
  EXPECT_EQ(rig.rt(), "");
}

TEST(Aware, LanesThatReachTheirMeetingPointAtABarrierArriveAfterIt) {
  SimtRig rig(aware());
  rig.launch('A', mask("1111"));
  rig.branch('C', "1100", 'B', 'D');
  rig.barrier(kGroup, pc('D'));  // B's last instruction is the barrier
  EXPECT_EQ(rig.st(), "C D 1100 | D D 0011");
  rig.barrier(kGroup, pc('C', 1));
  rig.release(mask("1111"));
  EXPECT_EQ(rig.st(), "C+1 D 1100");
  EXPECT_EQ(rig.rt(), "D - 1111/1100");
}

TEST(Aware, ABarrierReleasesOnlyTheLanesItNames) {
  SimtRig rig(aware());
  rig.launch('A', mask("1111"));
  rig.branch('C', "1100", 'B', 'D');
  rig.barrier(kGroup, pc('B', 1));
  rig.barrier(kGroup, pc('C', 1));
  rig.release(mask("1100"));
  EXPECT_EQ(rig.fifo(), "C+11100 B+10011*");
  const auto waiting = rig.suspended();
  ASSERT_EQ(waiting.size(), 1u);
  EXPECT_TRUE(waiting[0].why == Suspension::kBarrier);
  ASSERT_EQ(rig.runnable().size(), 1u);
  EXPECT_EQ(rig.runnable()[0].mask, mask("1100"));
}

TEST(Aware, BranchesThatMeetOnlyAtTheEndGoOnAlone) {
  SimtRig rig(aware());
  rig.launch('A', mask("1111"));
  rig.branch('B', "0001", 'C', '-');
  EXPECT_EQ(rig.st(), "B - 0001 | C - 1110");
  EXPECT_EQ(rig.rt(), "");
}

TEST(Aware, AnIndirectBranchHasASidePerTarget) {
  SimtRig rig(aware());
  rig.launch('A', mask("1111"));
  EXPECT_TRUE(rig.indirect(Transfer::kJump, kGroup, {pc('C'), pc('B'), pc('C'), pc('D')}, mask("1111"),
                           pc('E'), pc('D'))
                  .diverged);
  EXPECT_EQ(rig.fifo(), "C0101 B0010");
  EXPECT_EQ(rig.rt(), "D - 1111/0111");
}

TEST(Aware, TheTimerStartsAnewWhenAnotherLaneArrives) {
  ControlFlowConfig config = aware();
  config.get<TimeoutConfig>() = {100, 1};
  SimtRig rig(config);
  rig.launch('A', mask("1111"));
  rig.branch('C', "0001", 'B', 'D');
  EXPECT_EQ(rig.due, kNever) << "nobody waits yet";
  rig.cycle = 50;
  rig.branch('D', "0010", 'E', 'D');  // B: one of its lanes is already there
  EXPECT_EQ(rig.due, 151u);
  rig.cycle = 120;
  rig.branch('D', "0001", 'F', 'D');  // C, its turn: the last of its lanes
  EXPECT_EQ(rig.due, 221u);
  rig.tick(221);
  EXPECT_EQ(rig.rt(), "D - 1100/1100");
  EXPECT_EQ(rig.fifo(), "E1100 D0011");
}

TEST(Aware, TimersAreComparedEveryResolutionCycles) {
  ControlFlowConfig config = aware();
  config.get<TimeoutConfig>() = {100, 64};
  SimtRig rig(config);
  rig.launch('A', mask("1111"));
  rig.cycle = 10;
  rig.branch('D', "0001", 'B', 'D');
  EXPECT_EQ(rig.due, 128u);  // beyond 110, a multiple of 64
}

TEST(Aware, LanesThatTimeOutMayMeetOthersAtAnOuterPoint) {
  ControlFlowConfig config = aware();
  config.get<TimeoutConfig>().cycles = 100;
  SimtRig rig(config);
  rig.launch('A', mask("1111"));
  rig.branch('C', "1000", 'B', 'G');
  rig.branch('C', "1000", 'C', 'G');  // rotates: B's turn
  rig.branch('F', "0001", 'D', 'F');
  EXPECT_EQ(rig.rt(), "G - 1111/1111 | F G 0111/0110");
  rig.tick(rig.due);
  EXPECT_EQ(rig.st(), "C G 1000 | D F 0110 | F G 0001");
  EXPECT_EQ(rig.rt(), "G - 1111/1111 | F G 0110/0110");
}

TEST(Aware, ARunningTimerMakesEveryVisitDifferent) {
  ControlFlowConfig config = aware();
  config.get<TimeoutConfig>().cycles = 1000;
  SimtRig rig(config);
  rig.launch('A', mask("1111"));
  rig.branch('B', "0111", 'C', 'C');
  const std::uint64_t before = rig.digest(mask("0111"));
  rig.branch('B', "0111", 'C', 'C');
  EXPECT_NE(rig.digest(mask("0111")), before);
}

TEST(Aware, WhatOtherSplitsDoIsNotPartOfTheDigest) {
  SimtRig rig(aware());
  rig.launch('A', mask("1111"));
  rig.branch('C', "1100", 'B', 'D');
  rig.branch('B', "0011", 'E', 'D');  // spins
  const std::uint64_t before = rig.digest(mask("0011"));
  rig.branch('H', "1100", 'E', 'D');  // the other one goes elsewhere
  EXPECT_EQ(rig.digest(mask("0011")), before);
  rig.branch('B', "0011", 'E', 'D');
  rig.branch('D', "1100", 'E', 'D');  // the other one arrives
  EXPECT_NE(rig.digest(mask("0011")), before);
}

}  // namespace
}  // namespace heddle::simt::aware_test
