#include <gtest/gtest.h>

#include "unit/isa/warp.h"

namespace heddle::isa::test::cross_lane_test {
namespace {

constexpr std::uint64_t kClampAll = 0x1f;       // c of shfl.down, .bfly, .idx over the whole warp
constexpr std::uint64_t kSegmentsOf8 = 0x181f;  // segment mask 24: groups of eight lanes

Warp lane_numbers(std::uint64_t b, std::uint64_t c, std::uint32_t mask = 0xffff'ffffu) {
  Warp warp;
  for (unsigned i = 0; i < kWarp; ++i) warp.src[0][i] = 100 + i;
  warp.src[1].fill(b);
  warp.src[2].fill(c);
  warp.mask = mask;
  return warp;
}
Warp shuffle(LaneOp op, const Warp& warp) {
  const LaneSpec spec{.op = op, .type = Type::kB32};
  return run(find_lane_fn(spec), spec, warp);
}

TEST(Shuffle, DownReadsHigherLanesAndClampsAtTheEnd) {
  const Warp out = shuffle(LaneOp::kShflDown, lane_numbers(4, kClampAll));
  EXPECT_EQ(out.dst[0], 104u);
  EXPECT_EQ(out.dst[27], 131u);
  EXPECT_EQ(out.dst[28], 128u);  // out of range: own value
  EXPECT_EQ(out.dst_predicate[1], 0x0fff'ffffu);
}

TEST(Shuffle, UpReadsLowerLanes) {
  const Warp out = shuffle(LaneOp::kShflUp, lane_numbers(1, 0));
  EXPECT_EQ(out.dst[0], 100u);
  EXPECT_EQ(out.dst[1], 100u);
  EXPECT_EQ(out.dst[31], 130u);
  EXPECT_EQ(out.dst_predicate[1], 0xffff'fffeu);
}

TEST(Shuffle, ButterflyExchanges) {
  const Warp out = shuffle(LaneOp::kShflBfly, lane_numbers(16, kClampAll));
  for (unsigned i = 0; i < kWarp; ++i) EXPECT_EQ(out.dst[i], 100u + (i ^ 16u));
  EXPECT_EQ(out.dst_predicate[1], 0xffff'ffffu);
}

TEST(Shuffle, IndexBroadcastsWithinSegments) {
  const Warp out = shuffle(LaneOp::kShflIdx, lane_numbers(3, kSegmentsOf8));
  for (unsigned i = 0; i < kWarp; ++i) EXPECT_EQ(out.dst[i], 103u + (i & 24u));
}

TEST(Shuffle, SegmentsStopUpAndDown) {
  Warp out = shuffle(LaneOp::kShflUp, lane_numbers(1, 0x1800));
  EXPECT_EQ(out.dst[8], 108u);
  EXPECT_EQ(out.dst[9], 108u);
  EXPECT_EQ(out.dst_predicate[1], 0xfefe'fefeu);
  out = shuffle(LaneOp::kShflDown, lane_numbers(1, kSegmentsOf8));
  EXPECT_EQ(out.dst[7], 107u);
  EXPECT_EQ(out.dst_predicate[1], 0x7f7f'7f7fu);
}

TEST(Shuffle, InactiveSourceGivesOwnValueAndInactiveLanesKeepTheirs) {
  Warp warp = lane_numbers(1, kClampAll, 0x0000'0007u);
  warp.dst.fill(7);
  const Warp out = shuffle(LaneOp::kShflDown, warp);
  EXPECT_EQ(out.dst[1], 102u);
  EXPECT_EQ(out.dst[2], 102u);  // lane 3 is inactive
  EXPECT_EQ(out.dst[3], 7u);
  EXPECT_EQ(out.dst_predicate[1], 7u);
}

TEST(Shuffle, DestinationMayBeTheSourceRow) {
  const LaneSpec spec{.op = LaneOp::kShflDown, .type = Type::kB32};
  const Warp out = run(find_lane_fn(spec), spec, lane_numbers(1, kClampAll), 0);
  for (unsigned i = 0; i < 31; ++i) EXPECT_EQ(out.dst[i], 101u + i);
}

bool vote(LaneOp op, std::uint32_t predicate, std::uint32_t mask, bool negated = false) {
  const LaneSpec spec{.op = op, .type = Type::kPred};
  Warp warp;
  warp.predicate[0] = predicate;
  warp.mask = mask;
  warp.negated = negated ? 1 : 0;
  const std::uint32_t out = run(find_lane_fn(spec), spec, warp).dst_predicate[0];
  EXPECT_TRUE(out == 0 || out == mask) << "every active lane gets the result, no other";
  return out != 0;
}

TEST(Vote, OnlyActiveLanesTakePart) {
  EXPECT_TRUE(vote(LaneOp::kVoteAll, 0x0000'00f0u, 0x0000'0030u));
  EXPECT_FALSE(vote(LaneOp::kVoteAll, 0x0000'00f0u, 0x0000'0038u));
  EXPECT_TRUE(vote(LaneOp::kVoteAny, 0x0000'00f0u, 0x0000'0018u));
  EXPECT_FALSE(vote(LaneOp::kVoteAny, 0x0000'00f0u, 0x0000'0f0fu));
  EXPECT_TRUE(vote(LaneOp::kVoteUni, 0x0000'00f0u, 0x0000'0f0fu));
  EXPECT_TRUE(vote(LaneOp::kVoteUni, 0x0000'00f0u, 0x0000'00c0u));
  EXPECT_FALSE(vote(LaneOp::kVoteUni, 0x0000'00f0u, 0x0000'00c1u));
  EXPECT_FALSE(vote(LaneOp::kVoteAny, 0x0000'00f0u, 0x0000'0030u, true));
}

TEST(Vote, BallotAndActiveMask) {
  Warp warp;
  warp.predicate[0] = 0xff00'ff00u;
  warp.mask = 0x0ff0'0ff0u;
  warp.dst.fill(1);
  const LaneSpec ballot{.op = LaneOp::kBallot, .type = Type::kB32};
  EXPECT_EQ(run(find_lane_fn(ballot), ballot, warp).dst[5], 0x0f00'0f00u);
  EXPECT_EQ(run(find_lane_fn(ballot), ballot, warp).dst[0], 1u);
  const LaneSpec active{.op = LaneOp::kActiveMask, .type = Type::kB32};
  EXPECT_EQ(run(find_lane_fn(active), active, warp).dst[5], 0x0ff0'0ff0u);
}

TEST(Clock, LowWordAndWhole) {
  Warp warp;
  warp.cycle = 0x1'2345'6789u;
  const LaneSpec low{.op = LaneOp::kClock32, .type = Type::kU32};
  const LaneSpec whole{.op = LaneOp::kClock64, .type = Type::kU64};
  EXPECT_EQ(run(find_lane_fn(low), low, warp).dst[9], 0x2345'6789u);
  EXPECT_EQ(run(find_lane_fn(whole), whole, warp).dst[9], 0x1'2345'6789u);
}

}  // namespace
}  // namespace heddle::isa::test::cross_lane_test
