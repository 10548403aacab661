// The clocked scoreboard through its socket, as model, as RTL and as both, which compares pins and sets in every clock: the
// contract, request by request.
#include "clocked_scoreboard_rig.h"

namespace heddle::clocked_scoreboard_bench {
namespace {

class ClockedScoreboardBench : public ::testing::TestWithParam<Implementation> {
 protected:
  static ScoreboardConfig of(ScoreboardKind kind) { return configured(kind, GetParam()); }
  static constexpr auto kPerWarp = ScoreboardKind::kPerWarp;
  static constexpr auto kMasks = ScoreboardKind::kPerThreadMask;
};

TEST_P(ClockedScoreboardBench, LooksOneHeadUpInACycle) {
  Rig rig("rig", of(kPerWarp));
  const auto i = instruction({1}, {2});
  for (const std::uint32_t group : {4u, 0u, 2u, 1u}) EXPECT_EQ(rig.head(group, i), Hazard::kLooking);
  EXPECT_FALSE(rig.sleeps());
  EXPECT_THAT(rig.step(), ::testing::ElementsAre(GroupId{0}, GroupId{1})) << "one of each scheduler";
  EXPECT_EQ(rig.head(0, i), Hazard::kNone);
  EXPECT_EQ(rig.head(2, i), Hazard::kLooking);
  EXPECT_THAT(rig.step(), ::testing::ElementsAre(GroupId{2}));
  EXPECT_THAT(rig.step(), ::testing::ElementsAre(GroupId{4}));
  rig.step(2);  // in which a late block would have shown itself
  EXPECT_TRUE(rig.sleeps());
}

TEST_P(ClockedScoreboardBench, TheHeadBehindAnInstructionThatIssuesIsLookedUpWithIt) {
  Rig rig("rig", of(kPerWarp));
  const auto first = instruction({1}, {2}), needs = instruction({2}, {3}), other = instruction({1}, {4});
  rig.head(0, first);
  rig.step();
  rig.issue(0, first);
  EXPECT_EQ(rig.head(0, needs), Hazard::kLooking);
  rig.step();
  EXPECT_EQ(rig.head(0, needs), Hazard::kAlu) << "it sees what is reserved in the same cycle";
  rig.head(2, first);
  rig.step();
  rig.issue(2, first);
  rig.head(2, other);
  rig.step();
  EXPECT_EQ(rig.head(2, other), Hazard::kNone) << "back to back";
}

TEST_P(ClockedScoreboardBench, AWriteBackWakesInTheCycleBehindIt) {
  Rig rig("rig", of(kPerWarp));
  const auto load = instruction({1}, {2}, Opcode::kLoad), needs = instruction({2}, {3});
  rig.head(0, load);
  rig.step();
  rig.issue(0, load);
  rig.head(0, needs);
  rig.step();
  EXPECT_EQ(rig.head(0, needs), Hazard::kMemory);
  rig.step(100);
  rig.write(Op::kRelease, 0, load);
  EXPECT_EQ(rig.head(0, needs), Hazard::kMemory) << "in its own cycle";
  EXPECT_THAT(rig.step(), ::testing::ElementsAre(GroupId{0}));
  EXPECT_EQ(rig.head(0, needs), Hazard::kNone);
  EXPECT_EQ(rig.pending(0), "");
}

TEST_P(ClockedScoreboardBench, ReleasesTakeTurnsAndABacklogKeepsTheSchedulerFromIssuing) {
  Rig rig("rig", of(kPerWarp));
  const auto lane = instruction({}, {1}), load = instruction({}, {2}, Opcode::kLoad);
  const std::vector<std::uint32_t> warps{0, 2, 4, 6};
  for (const std::uint32_t warp : warps) {
    rig.issue(warp, lane), rig.step();
    rig.issue(warp, load), rig.step();
  }
  for (const std::uint32_t warp : warps)
    rig.write(Op::kRelease, warp, lane), rig.write(Op::kRelease, warp, load);
  EXPECT_EQ(rig.pending(0), "R1 R2");
  std::vector<std::string> left;
  for (unsigned i = 0; i < 8; ++i) {
    rig.step();
    left.push_back(rig.pending(0) + "/" + rig.pending(2));
    EXPECT_EQ(rig.busy, i == 0 ? 1u : 0u) << "while four write-backs of a kind wait; cycle " << i;
  }
  EXPECT_THAT(left, ::testing::ElementsAre("R2/R1 R2", "/R1 R2", "/R2", "/", "/", "/", "/", "/"));
  rig.step(2);  // in which a late block would have shown itself
  EXPECT_TRUE(rig.sleeps());
}

TEST_P(ClockedScoreboardBench, MoreRegistersThanPortsTakeMoreCycles) {
  Rig rig("rig", of(kPerWarp));
  const auto wide = instruction({21, 22, 23, 24, 25, 26, 27, 28}, {1, 2, 3, 4}, Opcode::kLoad);
  const auto next = instruction({4}, {});
  rig.head(0, wide);
  rig.step();
  EXPECT_EQ(rig.head(0, wide), Hazard::kLooking) << "two parts";
  rig.step();
  EXPECT_EQ(rig.head(0, wide), Hazard::kNone);
  rig.issue(0, wide);
  EXPECT_EQ(rig.head(0, next), Hazard::kLooking);
  rig.step();
  EXPECT_EQ(rig.busy, 1u) << "the fourth destination";
  EXPECT_EQ(rig.head(0, next), Hazard::kLooking);
  EXPECT_EQ(rig.pending(0), "R1 R2 R3 R4");
  rig.step();
  EXPECT_EQ(rig.busy, 0u);
  rig.step();
  EXPECT_EQ(rig.head(0, next), Hazard::kMemory) << "looked up behind the last part";
  rig.write(Op::kRelease, 0, wide);
  rig.step();
  EXPECT_EQ(rig.pending(0), "R4");
  rig.step();
  EXPECT_EQ(rig.head(0, next), Hazard::kNone);
}

TEST_P(ClockedScoreboardBench, AHeadWaitsForRoom) {
  Rig rig("rig", of(kPerWarp));
  const auto fill = instruction({}, {1, 2, 3}), more = instruction({}, {4, 5, 6}),
             last = instruction({}, {7, 8, 9});
  rig.issue(0, fill), rig.step();
  rig.issue(0, more);
  rig.head(0, last);
  rig.step();
  EXPECT_EQ(rig.head(0, last), Hazard::kFull);
  rig.write(Op::kRelease, 0, fill);
  rig.step();
  EXPECT_EQ(rig.head(0, last), Hazard::kNone);
}

TEST_P(ClockedScoreboardBench, AnotherHeadIsLookedUpAnew) {
  Rig rig("rig", of(kPerWarp));
  const auto a = instruction({1}, {}), b = instruction({2}, {});
  rig.issue(0, instruction({}, {2})), rig.step();
  rig.head(0, a), rig.step();
  EXPECT_EQ(rig.head(0, a), Hazard::kNone);
  EXPECT_EQ(rig.head(0, b), Hazard::kLooking);
  rig.step(), rig.step();
  EXPECT_EQ(rig.head(0, b), Hazard::kAlu);
  rig.gone(0);
  EXPECT_EQ(rig.head(0, a), Hazard::kLooking);
  rig.call({.op = Op::kClear, .warp = WarpId{0}});
  rig.step(), rig.step();
  EXPECT_EQ(rig.head(0, a), Hazard::kNone);
  EXPECT_EQ(rig.pending(0), "");
}

TEST_P(ClockedScoreboardBench, WhatAWarpLeavesInLatchesDoesNotReachTheNextInItsSlot) {
  Rig rig("rig", of(kPerWarp));
  const auto wide = instruction({}, {1, 2, 3, 4}), next = instruction({}, {4}), other = instruction({}, {9});
  rig.issue(0, wide), rig.step(), rig.step();
  rig.issue(2, other), rig.step();
  // Both in latches, that of warp 0 in two parts behind the other.
  rig.write(Op::kRelease, 2, other);
  rig.write(Op::kRelease, 0, wide);
  rig.call({.op = Op::kClear, .warp = WarpId{0}});
  rig.step();
  EXPECT_EQ(rig.pending(0), "");
  EXPECT_EQ(rig.pending(2), "") << "the other warp's is released";
  rig.issue(0, next);
  for (unsigned i = 0; i < 4; ++i) {
    rig.step();
    EXPECT_EQ(rig.pending(0), "R4") << i;
  }
  rig.write(Op::kRelease, 0, next);
  rig.step();
  EXPECT_EQ(rig.pending(0), "") << "its own release is served at once";
}

TEST_P(ClockedScoreboardBench, ReservationsThatWaitGoWithTheirWarp) {
  Rig rig("rig", of(kPerWarp));
  rig.issue(0, instruction({}, {1, 2, 3, 4}));
  rig.call({.op = Op::kClear, .warp = WarpId{0}});
  rig.step();
  EXPECT_EQ(rig.busy, 0u);
  rig.step();
  EXPECT_EQ(rig.pending(0), "");
}

TEST_P(ClockedScoreboardBench, AHeadOfSeveralPartsBeginsAgainWhenItsWarpIsNew) {
  Rig rig("rig", of(kPerWarp));
  const auto wide = instruction({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}, {});
  rig.issue(0, instruction({}, {1})), rig.step();
  rig.head(0, wide), rig.step();
  rig.call({.op = Op::kClear, .warp = WarpId{0}});
  for (unsigned i = 0; i < 3; ++i) {
    rig.step();
    EXPECT_EQ(rig.head(0, wide), Hazard::kLooking) << i;
  }
  rig.step();
  EXPECT_EQ(rig.head(0, wide), Hazard::kNone);
}

// Instructions of the launch before are gone then, as their module may be.
TEST_P(ClockedScoreboardBench, ALaunchBeginsWithNothingThatWaits) {
  Rig rig("rig", of(kPerWarp));
  const auto again = instruction({}, {8});
  {
    const auto wide = std::make_unique<isa::Instruction>(instruction({5, 6, 7}, {1, 2, 3, 4}));
    rig.issue(0, *wide), rig.step(), rig.step();
    for (const std::uint32_t group : {0u, 2u, 4u}) rig.head(group, *wide);
    for (unsigned i = 0; i < 4; ++i) rig.write(Op::kRelease, 0, *wide);
  }
  rig.call({.op = Op::kBegin});
  rig.step();
  EXPECT_EQ(rig.busy, 0u);
  for (const std::uint32_t group : {0u, 2u, 4u}) EXPECT_EQ(rig.head(group, again), Hazard::kLooking);
  rig.step(3);
  rig.step();
  EXPECT_EQ(rig.head(4, again), Hazard::kNone);
  EXPECT_TRUE(rig.sleeps());
}

// One of several parts that is replaced while it is looked up: the lockstep of pins fails if its look-up begins too early.
TEST_P(ClockedScoreboardBench, AHeadIsLookedUpFromTheCycleBehindItsArrivalOn) {
  Rig rig("rig", of(kPerWarp));
  const auto wide = instruction({21, 22, 23, 24, 25, 26, 27}, {}),
             other = instruction({1, 2, 3, 4, 5, 6, 7}, {});
  rig.issue(0, instruction({}, {1})), rig.step();
  rig.head(0, wide);
  rig.step();
  EXPECT_EQ(rig.head(0, other), Hazard::kLooking);
  rig.step(), rig.step();
  EXPECT_EQ(rig.head(0, other), Hazard::kLooking) << "one of its parts";
  rig.step();
  EXPECT_EQ(rig.head(0, other), Hazard::kAlu) << "register 1, of the first part";
}

// Groups of a warp: one waits for its own lanes only, and a release that leaves lanes has the heads looked up again.
TEST_P(ClockedScoreboardBench, WithMasksASplitWaitsForItsOwnLanes) {
  Rig rig("rig", of(kMasks), 16, 4);
  const LaneMask low(0xffff), high(0xffff0000);
  const auto write = instruction({}, {1}), read = instruction({1}, {});
  rig.issue(0, write, low), rig.step();
  rig.issue(1, write, high);
  rig.head(0, read, low);
  rig.step(), rig.step();
  EXPECT_EQ(rig.head(0, read, low), Hazard::kAlu);
  rig.write(Op::kRelease, 0, write, low);
  rig.step();
  EXPECT_EQ(rig.head(0, read, low), Hazard::kLooking) << "the entry stays, for other lanes";
  rig.step();
  EXPECT_EQ(rig.head(0, read, low), Hazard::kNone);
}

TEST_P(ClockedScoreboardBench, WithoutMasksASplitThatReservesHasTheOthersLookedUpAgain) {
  Rig rig("rig", of(kPerWarp), 16, 4);
  const auto write = instruction({}, {1}), read = instruction({1}, {});
  rig.head(1, read), rig.step();
  EXPECT_EQ(rig.head(1, read), Hazard::kNone);
  rig.issue(0, write);
  rig.step();
  EXPECT_EQ(rig.head(1, read), Hazard::kLooking);
  rig.step();
  EXPECT_EQ(rig.head(1, read), Hazard::kAlu);
}

INSTANTIATE_TEST_SUITE_P(As, ClockedScoreboardBench, cosim::every_implementation(),
                         cosim::name_implementation);
// ---- Shapes

template <class Fn>
std::string input_error_of(Fn&& fn) {
  try {
    fn();
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ClockedScoreboard, WhatWasNotBuiltIsRefused) {
  ScoreboardConfig config = configured(ScoreboardKind::kPerWarp, Implementation::kRtl);
  EXPECT_THAT(input_error_of([&] { Rig rig("rig", config, 80); }),
              HasSubstr("built for 32 warps of a scheduler, this core has 40"));
  EXPECT_THAT(input_error_of([&] { Rig rig("rig", config, 80, 2); }),
              HasSubstr("has 64 slots, a scheduler of this core 40 warps with 2 issue groups"));
  EXPECT_THAT(input_error_of([&] { Rig rig("rig", config, 16, 2); }),
              HasSubstr("built for 1 and 4 issue groups of a warp"));
  config.entries_per_warp = 16;
  EXPECT_THAT(input_error_of([&] { Rig rig("rig", config); }),
              HasSubstr("built for 8 entries of a warp, this core has 16"));
  config.entries_per_warp = 8;
  config.read_ports = 4;
  EXPECT_THAT(input_error_of([&] { Rig rig("rig", config); }),
              HasSubstr("built with 6 read ports, this core has 4"));
}

}  // namespace
}  // namespace heddle::clocked_scoreboard_bench
