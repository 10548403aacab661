// Lanes of a warp: convergence barriers, votes, shuffles, reductions.
#include <gtest/gtest.h>

#include "one_instruction.h"
#include "oracle/sass/cta.h"
#include "oracle/sass/warp.h"

namespace heddle::oracle::machine_code {
namespace {

using State = Group::State;

Warp warp_of(std::uint32_t live) {
  Warp warp;
  warp.live = live;
  return warp;
}

void wait_at(Warp& warp, std::uint32_t lanes, std::uint64_t pc, unsigned barrier) {
  warp.groups.push_back({lanes, pc, State::kAtConvergence, static_cast<std::uint8_t>(barrier), 0});
}

const Group* group_of(const Warp& warp, unsigned lane) {
  for (const Group& group : warp.groups)
    if ((group.lanes >> lane & 1) != 0) return &group;
  return nullptr;
}

TEST(MachineCodeConvergence, LanesOfARegionLeaveItsEndTogether) {
  Warp warp = warp_of(0xf);
  begin_region(warp, 2, 0xf);
  wait_at(warp, 0x3, 0x100, 2);
  EXPECT_FALSE(release_complete(warp));
  wait_at(warp, 0xc, 0x100, 2);
  EXPECT_TRUE(release_complete(warp));
  ASSERT_EQ(warp.groups.size(), 1u);
  EXPECT_EQ(warp.groups[0].lanes, 0xfu);
  EXPECT_EQ(warp.groups[0].pc, 0x110u);
  EXPECT_EQ(warp.groups[0].state, State::kReady);
}

TEST(MachineCodeConvergence, ExitedLanesAndThoseThatBreakAreNotAwaited) {
  Warp warp = warp_of(0xf);
  begin_region(warp, 0, 0xf);
  leave_region(warp, 0, 0x4);
  wait_at(warp, 0x3, 0x40, 0);
  EXPECT_FALSE(release_complete(warp));
  warp.live = 0x7;
  EXPECT_TRUE(release_complete(warp));
  EXPECT_EQ(warp.groups[0].lanes, 0x3u);
}

TEST(MachineCodeConvergence, ABreakConcernsItsOwnRegionOnly) {
  Warp warp = warp_of(0xf);
  begin_region(warp, 0, 0x3);
  begin_region(warp, 0, 0xc);
  leave_region(warp, 0, 0x1);
  EXPECT_EQ(warp.lanes[1].convergence[0], 0x2u);
  EXPECT_EQ(warp.lanes[3].convergence[0], 0xcu);
}

TEST(MachineCodeConvergence, AYieldEndsTheWaitForItsLanes) {
  Warp warp = warp_of(0x7);
  begin_region(warp, 1, 0x7);
  wait_at(warp, 0x1, 0x80, 1);  // the holder of a lock, behind the loop
  stop_waiting_for(warp, 0x6);  // those that spin
  EXPECT_TRUE(release_complete(warp));
  EXPECT_EQ(group_of(warp, 0)->state, State::kReady);
  // The two others wait for each other only.
  warp.groups.clear();
  wait_at(warp, 0x2, 0x80, 1);
  EXPECT_FALSE(release_complete(warp));
  wait_at(warp, 0x4, 0x80, 1);
  EXPECT_TRUE(release_complete(warp));
  EXPECT_EQ(group_of(warp, 1)->lanes, 0x6u);
}

TEST(MachineCodeConvergence, LateLanesDoNotWaitForThoseThatHaveGoneOn) {
  Warp warp = warp_of(0x7);
  begin_region(warp, 1, 0x7);
  wait_at(warp, 0x1, 0x80, 1);
  stop_waiting_for(warp, 0x4);  // lane 0 waits for lane 1 only, lane 1 for all
  wait_at(warp, 0x2, 0x80, 1);
  EXPECT_TRUE(release_complete(warp));
  EXPECT_EQ(group_of(warp, 0)->state, State::kReady);
  EXPECT_EQ(group_of(warp, 1)->state, State::kAtConvergence);
  EXPECT_EQ(warp.lanes[1].convergence[1], 0x6u);
}

TEST(MachineCodeConvergence, ACallersRegionStillWaitsForLanesThatLeaveAFunctions) {
  Warp warp = warp_of(0x7);
  begin_region(warp, 1, 0x7);
  begin_region(warp, 1, 0x3);  // in a function, which has saved the caller's value
  wait_at(warp, 0x3, 0x80, 1);
  EXPECT_TRUE(release_complete(warp));
  EXPECT_EQ(warp.lanes[2].convergence[1], 0x7u);
}

TEST(MachineCodeConvergence, LanesInARecursionHaveNotArrivedForTheirCaller) {
  Warp warp = warp_of(0x7);
  begin_region(warp, 1, 0x7);
  wait_at(warp, 0x1, 0x80, 1);
  begin_region(warp, 1, 0x6);
  wait_at(warp, 0x2, 0x80, 1);
  begin_region(warp, 1, 0x4);
  wait_at(warp, 0x4, 0x80, 1);
  EXPECT_TRUE(release_complete(warp));
  EXPECT_EQ(group_of(warp, 2)->state, State::kReady);
  EXPECT_EQ(group_of(warp, 1)->state, State::kAtConvergence);
  EXPECT_EQ(group_of(warp, 0)->state, State::kAtConvergence);
}

TEST(MachineCodeConvergence, AWarpsyncJoinsTheLanesOfItsMaskAtOnePlace) {
  Warp warp = warp_of(0xf);
  for (Lane& lane : warp.lanes) lane.members = 0x7;
  warp.groups = {{0x1, 0x20, State::kAtWarpsync, 0, 0},
                 {0x2, 0x20, State::kAtWarpsync, 0, 0},
                 {0x8, 0x20, State::kReady, 0, 0}};
  EXPECT_FALSE(release_complete(warp));
  warp.groups.push_back({0x4, 0x60, State::kAtWarpsync, 0, 0});
  EXPECT_TRUE(release_complete(warp));
  EXPECT_EQ(group_of(warp, 0)->lanes, 0x3u);
  EXPECT_EQ(group_of(warp, 0)->pc, 0x30u);
  EXPECT_EQ(group_of(warp, 2)->pc, 0x70u);
}

TEST(MachineCodeConvergence, WhenNothingElseCanGoOnRegionsEnd) {
  Warp warp = warp_of(0x3);
  begin_region(warp, 0, 0x3);
  wait_at(warp, 0x1, 0x40, 0);
  EXPECT_FALSE(release_complete(warp));
  EXPECT_TRUE(release_all_regions(warp));
  EXPECT_EQ(group_of(warp, 0)->pc, 0x50u);
}

class Across : public ::testing::Test {
 protected:
  static Op op(const std::string& text, unsigned at = 0, unsigned width = 0, std::uint64_t value = 0) {
    sass::Word word = word_with(Arch::kSm90, text);
    word.set(at, width, value);
    return op_of(word, Arch::kSm90);
  }
  Warp warp = warp_of(~0u);
  Banks banks;
};

TEST_F(Across, VotesCountTheLanesThatExecute) {
  for (unsigned i = 0; i < 32; ++i) warp.lanes[i].predicates[0] = i % 2 == 0;
  vote(op("VOTE.ALL P0, P0", 84, 0, 0), warp, ~0u, 0x55, banks);
  EXPECT_TRUE(warp.lanes[0].predicates[0]);
  const Op ballot = op("VOTE.ANY R2, PT, PT", 87, 4, 0);
  vote(ballot, warp, ~0u, 0xff, banks);
  EXPECT_EQ(warp.lanes[3].registers[2], 0x55u);
  EXPECT_EQ(warp.lanes[8].registers[2], 0u) << "does not take part";
  const Op uniform = op("VOTEU.ANY UR5, UPT, PT", 87, 4, 0);
  vote(uniform, warp, 0xffff, 0x0f, banks);
  EXPECT_EQ(warp.lanes[15].uniform[5], 0x5u) << "a uniform register is the whole group's";
  EXPECT_EQ(warp.lanes[16].uniform[5], 0u);
}

// Lanes 0 to 3 wait for themselves; the others wait for all.
TEST_F(Across, WarpsyncsOfOtherMasksDoNotComplete) {
  warp.live = 0xff;
  warp.groups = {{0xf0, 0x100, State::kAtWarpsync, 0, 0}, {0x0f, 0x200, State::kAtWarpsync, 0, 0}};
  for (unsigned i = 0; i < 8; ++i) warp.lanes[i].members = i < 4 ? 0x0f : ~0u;
  EXPECT_TRUE(release_complete(warp));
  ASSERT_EQ(warp.groups.size(), 2u);
  EXPECT_EQ(warp.groups[0].lanes, 0xf0u);
  EXPECT_EQ(warp.groups[0].state, State::kAtWarpsync);
  EXPECT_EQ(warp.groups[1].lanes, 0x0fu);
  EXPECT_EQ(warp.groups[1].state, State::kReady);
  EXPECT_FALSE(release_complete(warp));
  warp.groups[1].state = State::kAtWarpsync;
  for (unsigned i = 0; i < 4; ++i) warp.lanes[i].members = 0xff;  // the same lanes as ~0, of those that live
  EXPECT_TRUE(release_complete(warp));
  EXPECT_EQ(warp.groups[0].state, State::kReady);
}

TEST_F(Across, MatchesCompareValues) {
  for (unsigned i = 0; i < 32; ++i) warp.lanes[i].registers[5] = i / 2;
  match(op("MATCH.ANY R5, R5"), warp, 0x7, banks);
  EXPECT_EQ(warp.lanes[0].registers[5], 0x3u);
  EXPECT_EQ(warp.lanes[2].registers[5], 0x4u);
  for (Lane& lane : warp.lanes) lane.registers[6] = 9;
  match(op("MATCH.ALL P2, R6, R6"), warp, 0xff, banks);
  EXPECT_EQ(warp.lanes[7].registers[6], 0xffu);
  EXPECT_TRUE(warp.lanes[7].predicates[2]);
  match(op("MATCH.ALL P2, R6, R6"), warp, 0x1ff, banks);
  EXPECT_EQ(warp.lanes[7].registers[6], 0u);
  EXPECT_FALSE(warp.lanes[7].predicates[2]);
}

TEST_F(Across, ShufflesByMode) {
  const auto values = [&] {
    for (unsigned i = 0; i < 32; ++i) {
      warp.lanes[i].registers[0] = warp.lanes[i].registers[2] = warp.lanes[i].registers[34] = 100 + i;
    }
  };
  values();
  shuffle(op("SHFL.UP P2, R3, R0, 0x1, RZ"), warp, ~0u, banks);
  EXPECT_EQ(warp.lanes[5].registers[3], 104u);
  EXPECT_TRUE(warp.lanes[5].predicates[2]);
  EXPECT_EQ(warp.lanes[0].registers[3], 100u);
  EXPECT_FALSE(warp.lanes[0].predicates[2]);
  shuffle(op("SHFL.BFLY PT, R5, R2, 0x4, 0x1f"), warp, ~0u, banks);
  EXPECT_EQ(warp.lanes[9].registers[5], 113u);
  // Segments of 8 lanes: the mask of c is 0x18.
  shuffle(op("SHFL.DOWN PT, R13, R0, 0x2, 0x181f"), warp, ~0u, banks);
  EXPECT_EQ(warp.lanes[13].registers[13], 115u);
  EXPECT_EQ(warp.lanes[14].registers[13], 114u) << "beyond its segment";
  for (unsigned i = 0; i < 32; ++i) warp.lanes[i].registers[29] = 31 - i;
  shuffle(op("SHFL.IDX PT, R24, R34, R29, 0x1f"), warp, 0xffff, banks);
  EXPECT_EQ(warp.lanes[2].registers[24], 102u) << "lane 29 does not take part: its own value";
  shuffle(op("SHFL.IDX PT, R24, R34, R29, 0x1f"), warp, ~0u, banks);
  EXPECT_EQ(warp.lanes[2].registers[24], 129u);
}

TEST_F(Across, ReductionsGoToUniformRegisters) {
  for (unsigned i = 0; i < 32; ++i) {
    warp.lanes[i].registers[4] = i;
    warp.lanes[i].registers[0] = i - 3;
    warp.lanes[i].registers[7] = 1u << i;
  }
  reduce(op("REDUX.SUM UR5, R4"), warp, ~0u, 0xf0, banks);
  EXPECT_EQ(warp.lanes[31].uniform[5], 4u + 5 + 6 + 7);
  reduce(op("REDUX.MIN.S32 UR9, R0"), warp, ~0u, ~0u, banks);
  EXPECT_EQ(warp.lanes[0].uniform[9], 0xffff'fffdu);
  reduce(op("REDUX.MAX.S32 UR8, R0"), warp, ~0u, ~0u, banks);
  EXPECT_EQ(warp.lanes[0].uniform[8], 28u);
  reduce(op("REDUX.MAX.S32 UR8, R0", 73, 1, 0), warp, ~0u, ~0u, banks);
  EXPECT_EQ(warp.lanes[0].uniform[8], 0xffff'ffffu);
  reduce(op("REDUX.OR UR8, R7"), warp, ~0u, 0x11, banks);
  EXPECT_EQ(warp.lanes[0].uniform[8], 0x11u);
  reduce(op("REDUX.OR UR8, R7", 78, 3, 2), warp, ~0u, 0x13, banks);
  EXPECT_EQ(warp.lanes[0].uniform[8], 0x13u);
  reduce(op("REDUX.OR UR8, R7", 78, 3, 0), warp, ~0u, 0x3, banks);
  EXPECT_EQ(warp.lanes[0].uniform[8], 0u);
}

TEST(MachineCodeBarrier, CountsWarpsWithTheirExitedLanes) {
  std::vector<Warp> warps(2);
  warps[0].live = ~0u;
  warps[1].live = 0xffff;  // the CTA has 48 threads
  CtaBarrier barrier;
  EXPECT_FALSE(barrier.complete(warps)) << "nobody is there";
  EXPECT_EQ(barrier.arrive(0, ~0u, 0, 1, 2), "");
  EXPECT_EQ(barrier.arrive(1, 0x00ff, 0, 2, 2), "");
  EXPECT_FALSE(barrier.complete(warps));
  EXPECT_NE(barrier.arrive(0, 1, 0, 0, 2), "") << "twice";
  EXPECT_NE(barrier.arrive(1, 0x100, 32, 0, 2), "") << "for another number of threads";
  EXPECT_EQ(barrier.arrive(1, 0xff00, 0, 0, 2), "");
  EXPECT_TRUE(barrier.complete(warps));
  EXPECT_EQ(barrier.result(CtaBarrier::Reduction::kPopc), 2u);
  EXPECT_EQ(barrier.result(CtaBarrier::Reduction::kAnd), 0u);
  EXPECT_EQ(barrier.result(CtaBarrier::Reduction::kOr), 1u);
  CtaBarrier other;
  EXPECT_NE(other.arrive(0, 1, 33, 0, 2), "") << "no multiple of a warp";
}

}  // namespace
}  // namespace heddle::oracle::machine_code
