// Hanoi: its size, [Hanoi:G12], [Hanoi:G13] and [Hanoi:G13b], what a YIELD does, limits, faults, time, and
// what it shows.
#include <gtest/gtest.h>

#include "unit/simt/hanoi_rig.h"

namespace heddle::simt::hanoi_test {
namespace {

HanoiConfig with_yield(HanoiProfile of, HanoiYield yield) {
  HanoiConfig config = profile(of);
  config.yield = yield;
  return config;
}

TEST(HanoiSize, BitsPerWarpAreThePublishedOnes) {
  EXPECT_EQ(hanoi_table_bits(profile(HanoiProfile::kP)), 3461u) << "[Hanoi] §IX-A: 432 bytes";
  EXPECT_EQ(hanoi_table_bits(profile(HanoiProfile::kX)), 3652u);
  HanoiConfig p16 = profile(HanoiProfile::kP);
  p16.barrier_registers = 16;
  EXPECT_EQ(hanoi_table_bits(p16), 3756u);
  HanoiConfig x20 = profile(HanoiProfile::kX);
  x20.barrier_registers = 20;
  EXPECT_EQ(hanoi_table_bits(x20), 4110u);
  HanoiConfig counts = profile(HanoiProfile::kP);
  counts.yield = HanoiYield::kExchange;
  EXPECT_EQ(hanoi_table_bits(counts), 3461u + 32 * 5) << "[Hanoi:S1]";
}

/// A chain of 31 `if (tid == i) ... else next level`, a region per level, all on B0 by way of BMOV.
void chain(HanoiRig& rig) {
  rig.launch('A', LaneMask::all());
  std::vector<std::string> saved;
  std::uint32_t rest = 0xffffffffu;
  for (unsigned level = 0; level < 31; ++level) {
    rig.bssy(0, HanoiRig::behind('Z', level));
    saved.push_back(rig.spill(0));
    const std::uint32_t one = 1u << level;
    rest &= ~one;
    rig.bra('X', LaneMask(one).to_string(), 'A');
    if (rig.groups[kGroup].mask.bits() == rest) continue;
    rig.jump('Y');  // the peeled lane restores the register and waits
    rig.restore(0, saved.back());
    rig.groups[kGroup].pc = HanoiRig::behind('Z', level - 1);
    rig.bsync(0);
  }
}

TEST(HanoiGolden, G12TheMajorityFirstFillsTheWsStack) {
  HanoiRig rig(hanoi(profile(HanoiProfile::kP), FirstSide::kAuto), 32);
  chain(rig);
  EXPECT_EQ(rig.stats.count("unit.max_paths"), 32u);
  EXPECT_EQ(rig.stats.count("unit.max_reconvergence_entries"), 31u);
}

TEST(HanoiGolden, G12ThePeeledLaneFirstNeedsTwoPaths) {
  HanoiRig rig(hanoi(profile(HanoiProfile::kP), FirstSide::kSmaller), 32);
  chain(rig);
  EXPECT_EQ(rig.stats.count("unit.max_paths"), 2u);
  EXPECT_EQ(rig.stats.count("unit.max_reconvergence_entries"), 31u);
}

TEST(HanoiGolden, G12ALoopLeftByOneLaneAtATimeHasOneEntry) {
  HanoiRig rig(hanoi(profile(HanoiProfile::kP), FirstSide::kAuto), 32);
  rig.launch('A', LaneMask::all());
  rig.bssy(0, HanoiRig::behind('E'));
  for (unsigned lane = 0; lane < 31; ++lane) rig.bra('E', LaneMask(1u << lane).to_string(), 'A');
  EXPECT_EQ(rig.stats.count("unit.max_paths"), 32u);
  EXPECT_EQ(rig.stats.count("unit.max_reconvergence_entries"), 1u);
  for (unsigned lane = 0; lane < 32; ++lane) {
    rig.jump('E');
    rig.bsync(0);
  }
  EXPECT_EQ(rig.groups[kGroup].mask, LaneMask::all());
}

// ---- Three siblings: the releaser H at the bottom, S and T spin with YIELD in one region.

struct Siblings {
  explicit Siblings(HanoiRig& of) : rig(of) {
    rig.start('A', "0111");
    rig.bssy(0, HanoiRig::behind('E'));
    rig.bra('S', "0110", 'H');
    rig.bra('T', "0100", 'S');
    EXPECT_EQ(rig.ws(), "H 0001 | S 0010 | T 0100");
  }
  /// How many YIELDs pass before H runs; `most`: it does not.
  int yields_until_h(int most) {
    for (int i = 0; i < most; ++i) {
      if (rig.groups[kGroup].mask == mask("0001")) return i;
      rig.yield();
    }
    return most;
  }
  HanoiRig& rig;
};

class HanoiProfiles : public ::testing::TestWithParam<HanoiProfile> {};
INSTANTIATE_TEST_SUITE_P(Profile, HanoiProfiles, ::testing::Values(HanoiProfile::kP, HanoiProfile::kX),
                         [](const auto& each) { return each.param == HanoiProfile::kP ? "P" : "X"; });

TEST_P(HanoiProfiles, G13TheSwapStarvesAThirdSibling) {
  HanoiRig rig(hanoi(with_yield(GetParam(), HanoiYield::kSwap)));
  EXPECT_EQ(Siblings(rig).yields_until_h(1000), 1000);
}
TEST_P(HanoiProfiles, G13TheExchangeEndsAfterTwoYields) {
  HanoiRig rig(hanoi(with_yield(GetParam(), HanoiYield::kExchange)));
  EXPECT_EQ(Siblings(rig).yields_until_h(1000), 2);
}
TEST_P(HanoiProfiles, G13TheRotationEndsAfterTwoYields) {
  HanoiRig rig(hanoi(with_yield(GetParam(), HanoiYield::kRotate)));
  EXPECT_EQ(Siblings(rig).yields_until_h(1000), 2);
}

// G13b: region J, WS S 00011 | H 00100 | T 11000; an iteration of S and of T is: BSSY, one lane
// jumps, the other yields, both BSYNC, YIELD.
int turns_until_h(HanoiRig& rig, int most) {
  rig.start('A', "11111");
  rig.bssy(0, HanoiRig::behind('J'));
  rig.bra('T', "11100", 'S');
  rig.bra('T', "11000", 'H');
  EXPECT_EQ(rig.ws(), "S 00011 | H 00100 | T 11000");
  for (int turn = 0; turn < most; ++turn) {
    const LaneMask runs = rig.groups[kGroup].mask;
    if (runs == mask("00100")) return turn;
    const std::uint32_t b = runs == mask("00011") ? 1 : 2;
    const char block = b == 1 ? 'S' : 'T';
    const LaneMask one(1u << runs.lowest());
    rig.bssy(b, HanoiRig::behind(block, 50));
    rig.bra('W', one.to_string(), block);  // one lane to W, which yields; the other goes on to the BSYNC
    rig.yield();
    for (int lane = 0; lane < 2; ++lane) {
      rig.groups[kGroup].pc = HanoiRig::behind(block, 49);
      rig.bsync(b);
    }
    EXPECT_EQ(rig.groups[kGroup].mask, runs);
    rig.yield();
  }
  return most;
}

TEST_P(HanoiProfiles, G13bACounterOfTheWarpStarvesAThirdSibling) {
  HanoiRig rig(hanoi(with_yield(GetParam(), HanoiYield::kExchangeOfWarp), FirstSide::kTaken), 5);
  EXPECT_EQ(turns_until_h(rig, 500), 500);
}
TEST_P(HanoiProfiles, G13bACounterOfEachEntryDoesNot) {
  HanoiRig rig(hanoi(with_yield(GetParam(), HanoiYield::kExchange), FirstSide::kTaken), 5);
  EXPECT_EQ(turns_until_h(rig, 500), 1);
  EXPECT_EQ(rig.stats.count("unit.turns"), 2u) << "the inner YIELD's, and T's";
}
TEST_P(HanoiProfiles, G13bTheRotationDoesNot) {
  HanoiRig rig(hanoi(with_yield(GetParam(), HanoiYield::kRotate), FirstSide::kTaken), 5);
  EXPECT_EQ(turns_until_h(rig, 500), 1);
  EXPECT_EQ(rig.stats.count("unit.turns"), 2u);
}

// ---- Branches

TEST_P(HanoiProfiles, TheMajorityRunsFirstAndTheTakenSideOfATie) {
  HanoiRig rig(hanoi(profile(GetParam()), FirstSide::kAuto));
  rig.start('A', "1111");
  rig.bra('B', "0001", 'C');
  EXPECT_EQ(rig.ws(), "B 0001 | C 1110");
  rig.quit("0010");
  rig.bra('D', "1000", 'E');
  EXPECT_EQ(rig.ws(), "B 0001 | E 0100 | D 1000");
}

TEST_P(HanoiProfiles, AnIndirectBranchIsExecutedAgainByWhoGoesElsewhere) {
  HanoiRig rig(hanoi(profile(GetParam()), FirstSide::kTaken));
  rig.start('A', "1111");
  rig.ret({pc('C'), pc('B'), pc('C'), pc('D')});
  EXPECT_EQ(rig.ws(), "A 1010 | C 0101");
  rig.jump('E');
  rig.quit("0101");
  EXPECT_EQ(rig.groups[kGroup].pc, pc('A')) << "the same instruction";
  rig.ret({pc('C'), pc('B'), pc('C'), pc('D')});
  EXPECT_EQ(rig.ws(), "A 1000 | B 0010");
}

// ---- WARPSYNC

TEST_P(HanoiProfiles, LanesWithAnotherMaskExecuteWarpsyncAgain) {
  HanoiConfig config = profile(GetParam());
  config.private_registers = 2;
  HanoiRig rig(hanoi(config));
  rig.start('A', "1111");
  rig.warpsync("0011", "0011", "1100");  // complete at once
  EXPECT_EQ(rig.ws(), "A' 0011 | A 1100");
  rig.warpsync("1100");
  EXPECT_EQ(rig.ws(), "A' 0011 | A' 1100");
}

TEST_P(HanoiProfiles, ALaneThatEndsIsNotWaitedForAtWarpsync) {
  HanoiRig rig(hanoi(profile(GetParam())));
  rig.start('A', "1111");
  rig.bra('X', "1100", 'Y');
  rig.warpsync("1111");
  rig.quit("0001");
  EXPECT_EQ(rig.ws(), "Y 0010");
  rig.quit("0010");
  EXPECT_EQ(rig.ws(), "X' 1100");
}

TEST(Hanoi, OneMaskAtSeveralPlacesMeetsInX) {
  HanoiRig rig(hanoi(profile(HanoiProfile::kX)));
  rig.start('A', "1111");
  rig.bra('X', "1100", 'Y');
  rig.warpsync("1111");
  rig.warpsync("1111");
  EXPECT_EQ(rig.ws(), "Y' 0011 | X' 1100") << "who came first runs first";
  EXPECT_EQ(rig.rec(), "-");
}

// ---- Limits and faults

TEST(Hanoi, AFullStackIsAnErrorInP) {
  HanoiConfig config = profile(HanoiProfile::kP);
  config.reconvergence_entries = 2;
  HanoiRig rig(hanoi(config));
  rig.start('A', "1111");
  for (std::uint32_t b = 0; b < 2; ++b) rig.bssy(b, HanoiRig::behind('E', b));
  EXPECT_EQ(rig.fault, "");
  rig.bssy(2, HanoiRig::behind('E', 2));
  EXPECT_EQ(rig.fault, "the warp's REC stack is full");
}

TEST(Hanoi, AFullStackDropsTheRegionInX) {
  HanoiConfig config = profile(HanoiProfile::kX);
  config.reconvergence_entries = 1;
  HanoiRig rig(hanoi(config));
  rig.start('A', "1111");
  rig.bssy(0, HanoiRig::behind('E'));
  rig.bssy(1, HanoiRig::behind('F'));
  EXPECT_EQ(rig.fault, "");
  rig.jump('F');
  rig.bsync(1);
  EXPECT_EQ(rig.ws(), "F' 1111") << "nothing is waited for";
  EXPECT_EQ(rig.stats.count("unit.dropped_regions"), 1u);
  rig.bra('X', "1100", 'Y');
  rig.jump('W');
  rig.warpsync("1111");  // in place of the region that nobody waits at
  rig.jump('W');
  rig.warpsync("1111");
  EXPECT_EQ(rig.ws(), "W' 1111");
}

TEST_P(HanoiProfiles, RegistersForWarpsyncCannotBeNamed) {
  HanoiRig rig(hanoi(profile(GetParam())));
  rig.start('A', "1111");
  rig.bssy(7, HanoiRig::behind('E'));
  EXPECT_EQ(rig.fault, "there is no such barrier register for programs");
}

TEST(Hanoi, OnePrivateRegisterServesOneMask) {
  HanoiRig rig(hanoi(profile(HanoiProfile::kP)));
  rig.start('A', "1111");
  rig.bra('X', "0001", 'Y');
  rig.warpsync("0011");
  EXPECT_EQ(rig.fault, "");
  rig.bra('Z', "0100", 'Y');
  rig.warpsync("1100");
  EXPECT_NE(rig.fault, "");
}

TEST_P(HanoiProfiles, ALaneMustBeInItsOwnMask) {
  HanoiRig rig(hanoi(profile(GetParam())));
  rig.start('A', "1111");
  rig.warpsync("0111");
  EXPECT_EQ(rig.fault, "a lane is not in the mask that it names");
}

// ---- Profile X

/// A spin loop whose lock's holder waits at the BSYNC behind it ([Hanoi:A18]).
TEST(Hanoi, EveryNthYieldLetsWaitingLanesGoOn) {
  HanoiConfig config = profile(HanoiProfile::kX);
  config.yield_releases = 4;
  HanoiRig rig(hanoi(config));
  rig.start('A', "1111");
  rig.bssy(0, HanoiRig::behind('D'));
  rig.bra('B', "0111", 'D');
  rig.yield();
  rig.bsync(0);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(rig.ws(), "B 0111");
    rig.yield();
  }
  rig.yield();
  EXPECT_EQ(rig.ws(), "B 0111 | D' 1000");
  EXPECT_EQ(rig.stats.count("unit.yield_releases"), 1u);
}

TEST(Hanoi, EveryNthBsyncIsPassed) {
  HanoiConfig config = profile(HanoiProfile::kX);
  config.bsync_skip = 2;
  HanoiRig rig(hanoi(config));
  rig.start('A', "1111");
  rig.bssy(0, HanoiRig::behind('D'));
  rig.bra('D', "0001", 'C');
  rig.bsync(0);
  rig.jump('D');
  rig.bra('D', "1000", 'C');
  rig.bsync(0);
  EXPECT_EQ(rig.waiting(), "0001");
  EXPECT_EQ(rig.ws(), "C 0110 | D' 1000");
}

// ---- Barriers of the CTA

TEST_P(HanoiProfiles, PathsAtABarrierLeaveTheirTurnToOthers) {
  HanoiRig rig(hanoi(profile(GetParam())));
  rig.start('A', "1111");
  rig.bssy(0, HanoiRig::behind('J'));
  rig.bra('X', "1100", 'Y');
  rig.barrier(kGroup, pc('X', 1));
  EXPECT_EQ(rig.ws(), "Y 0011");
  rig.barrier(kGroup, pc('Y', 1));
  EXPECT_EQ(rig.ws(), "-");
  EXPECT_TRUE(rig.groups[kGroup].blocked);
  EXPECT_EQ(rig.groups[kGroup].cause, BlockCause::kBarrier);
  rig.release(mask("1111"));
  EXPECT_EQ(rig.ws(), "Y 0011 | X 1100") << "who came first runs first";
}

// A .sync instruction parts lanes that wait for others from those that need not ([Hanoi:S8]).
TEST_P(HanoiProfiles, LanesThatWaitAtASyncInstructionLeaveTheOthersAndComeBackOneByOne) {
  HanoiRig rig(hanoi(profile(GetParam())));
  rig.start('A', "1111");
  rig.barrier_of("0110", pc('B'));
  EXPECT_EQ(rig.ws(), "B 1001");
  EXPECT_EQ(rig.groups[kGroup].pc, pc('B'));
  EXPECT_EQ(rig.groups[kGroup].mask, mask("1001"));
  rig.release(mask("0100"));
  EXPECT_EQ(rig.ws(), "B 0100 | B 1001") << "below, so that it takes no turn away";
  rig.quit("1001");
  EXPECT_EQ(rig.groups[kGroup].mask, mask("0100"));
  rig.quit("0100");
  EXPECT_TRUE(rig.groups[kGroup].blocked) << "one lane still waits";
  rig.release(mask("0010"));
  EXPECT_EQ(rig.ws(), "B 0010");
}

// Below the paths of its region and above those of outer ones, of which it would be no sibling.
TEST_P(HanoiProfiles, WhoComesBackFromABarrierIsWithItsRegion) {
  HanoiRig rig(hanoi(profile(GetParam())));
  rig.start('A', "1111");
  rig.bssy(0, HanoiRig::behind('J'));
  rig.bra('X', "1110", 'Y');
  rig.bssy(1, HanoiRig::behind('K'));
  rig.bra('U', "1100", 'V');
  EXPECT_EQ(rig.ws(), "Y 0001 | V 0010 | U 1100");
  rig.barrier_of("0100", pc('W'));
  EXPECT_EQ(rig.ws(), "Y 0001 | V 0010 | W 1000");
  rig.release(mask("0100"));
  EXPECT_EQ(rig.ws(), "Y 0001 | W 0100 | V 0010 | W 1000");
  rig.yield();
  rig.yield();
  rig.yield();
  EXPECT_EQ(rig.groups[kGroup].mask, mask("1000")) << "each sibling has had its turn";
}

// All of the inner region waited, an outer path runs meanwhile and yields.
TEST_P(HanoiProfiles, AnOuterPathYieldsToAnInnerOneThatComesBack) {
  HanoiRig rig(hanoi(profile(GetParam())));
  rig.start('A', "1111");
  rig.bssy(0, HanoiRig::behind('J'));
  rig.bra('X', "1100", 'Y');
  rig.bssy(1, HanoiRig::behind('K'));
  rig.barrier_of("1100", pc('W'));
  EXPECT_EQ(rig.ws(), "Y 0011");
  rig.yield();
  EXPECT_EQ(rig.groups[kGroup].mask, mask("0011"));
  rig.release(mask("1100"));
  EXPECT_EQ(rig.groups[kGroup].mask, mask("0011")) << "goes on until it yields";
  rig.yield();
  EXPECT_EQ(rig.groups[kGroup].mask, mask("1100"));
}

// ---- Time

TEST(HanoiContract, APopTakesACycle) {
  HanoiConfig config = profile(HanoiProfile::kP);
  config.timing = HanoiTiming::kContract;
  HanoiRig rig(hanoi(config, FirstSide::kNotTaken));
  rig.cycle = 10;
  rig.start('A', "1111");
  rig.bssy(0, HanoiRig::behind('J'));
  rig.bra('X', "1100", 'J');
  rig.bsync(0);
  rig.bssy(1, HanoiRig::behind('K'));
  rig.quit("1100");  // K is empty, J complete: two pops
  EXPECT_TRUE(rig.groups[kGroup].blocked);
  EXPECT_EQ(rig.groups[kGroup].cause, BlockCause::kTables);
  EXPECT_EQ(rig.due, 12u);
  rig.tick(12);
  EXPECT_FALSE(rig.groups[kGroup].blocked);
  EXPECT_EQ(rig.groups[kGroup].pc, HanoiRig::behind('J'));
  EXPECT_EQ(rig.stats.count("unit.busy_cycles"), 2u);
}

TEST(HanoiContract, NoWarpIsBusyForMoreThan32Cycles) {
  HanoiConfig config = profile(HanoiProfile::kP);
  config.timing = HanoiTiming::kContract;
  config.barrier_registers = 32;
  HanoiRig rig(hanoi(config, FirstSide::kNotTaken), 32);
  rig.launch('A', LaneMask::all());
  rig.bssy(30, HanoiRig::behind('J'));
  rig.bra('X', "11110000000000000000000000000000", 'J');
  rig.bsync(30);
  for (std::uint32_t b = 0; b < 30; ++b) rig.bssy(b, HanoiRig::behind('K', b));
  rig.quit("11110000000000000000000000000000");
  EXPECT_EQ(rig.due, 31u) << "all entries at once";
}

// ---- What it shows

TEST_P(HanoiProfiles, SuspendedLanesNameTheRegisterAndWhoIsMissing) {
  HanoiRig rig(hanoi(profile(GetParam())));
  rig.start('A', "1111");
  rig.bssy(0, HanoiRig::behind('J'));
  rig.bra('J', "1100", 'Y');
  rig.bsync(0);
  const std::vector<SuspendedLanes> lanes = rig.suspended();
  ASSERT_EQ(lanes.size(), 1u);
  EXPECT_EQ(lanes[0].mask, mask("1100"));
  EXPECT_EQ(lanes[0].barrier, 0u);
  EXPECT_EQ(lanes[0].missing, mask("0011"));
  EXPECT_EQ(lanes[0].at, pc('J')) << "at the BSYNC";
  ASSERT_EQ(rig.runnable().size(), 1u);
  EXPECT_EQ(rig.runnable()[0].mask, mask("0011"));
}

TEST_P(HanoiProfiles, TheDigestChangesWithWhoIsWaitedFor) {
  HanoiRig rig(hanoi(profile(GetParam())));
  rig.start('A', "1111");
  rig.bssy(0, HanoiRig::behind('J'));
  const std::uint64_t before = rig.digest(mask("1111"));
  EXPECT_EQ(rig.digest(mask("1111")), before);
  rig.break_from(0, "0001");
  EXPECT_NE(rig.digest(mask("1111")), before);
}

}  // namespace
}  // namespace heddle::simt::hanoi_test
