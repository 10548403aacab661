// The worked examples [TBC:G2], [TBC:G2b] and [TBC:G4] on the mechanisms themselves: which warps issue in which
// order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compaction/block_priority.h"
#include "compaction/dwf.h"
#include "compaction/pc_priority.h"
#include "compaction/tbc.h"
#include "core/memory/coalescer.h"
#include "core/memory/memory_instruction.h"
#include "core/schedule/lrr.h"
#include "simt/simt_stack.h"
#include "unit/compaction/player.h"

namespace heddle::compaction::mechanisms_golden_test {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

class NoPorts final : public simt::ControlFlowPorts {
  base::Pc next_pc(base::GroupId) override { return {}; }
  bool start(simt::TableEntryTransfer&) override { return false; }
};

struct Made {
  explicit Made(const std::string& mechanism, bool warp_barrier = false)
      : config({tbc_mechanism(), dwf_mechanism(), simt::simt_stack_mechanism()}) {
    config.mechanism = mechanism;
    config.get<DwfConfig>().warp_barrier = warp_barrier;
    flow = config.factory()(4, ports, "unit", nullptr);
  }
  simt::ControlFlowConfig config;
  NoPorts ports;
  std::unique_ptr<simt::ControlFlow> flow;
};

// G2: A 1111, 1111; B W0 = 1101, W1 = 0110; C W0 = 0010, W1 = 1001.
const std::vector<std::string> kToC{"0010", "1001"};

TEST(MechanismGolden, G2OnTbcTakesSevenSlots) {
  Made tbc("tbc");
  Player player(*tbc.flow, core::lrr_policy(), 4, 4);
  EXPECT_EQ(player.run(kToC), "A A C B B D D");
  EXPECT_THAT(player.warps_of_d, UnorderedElementsAre("0:1111", "1:1111"));
}

// What the profile says of it: of B no warp is saved, of C one of two.
TEST(MechanismGolden, G2SavesAnIssueAtTheBranch) {
  Made tbc("tbc");
  Player player(*tbc.flow, core::lrr_policy(), 4, 4);
  player.run(kToC);
  std::vector<simt::PartedPaths> parted;
  simt::ControlFlowRequest look;
  look.parted = &parted;
  tbc.flow->inspect(look);
  ASSERT_EQ(parted.size(), Player::kA + 1u);
  EXPECT_EQ(parted[Player::kA].paths, 2u);
  EXPECT_EQ(parted[Player::kA].static_warps, 4u);
  EXPECT_EQ(parted[Player::kA].warps, 3u);
  EXPECT_EQ(parted[Player::kA].issues, 3u);
  EXPECT_EQ(parted[Player::kA].static_issues, 4u);
}

TEST(MechanismGolden, G2StarvationEddyOfMajorityScheduling) {
  Made dwf("dwf");
  Player player(*dwf.flow, majority_policy(), 4, 4);
  EXPECT_EQ(player.run(kToC), "A A B B D D C D");
}

TEST(MechanismGolden, G2OnDwfByLowestPc) {
  Made dwf("dwf");
  Player player(*dwf.flow, lowest_pc_policy(), 4, 4);
  EXPECT_EQ(player.run(kToC), "A A B B C D D");
}

TEST(MechanismGolden, G2OnDwfWithWarpBarriersHasStaticWarpsAtD) {
  Made dwf("dwf", true);
  Player player(*dwf.flow, majority_policy(), 4, 4);
  EXPECT_EQ(player.run(kToC), "A A B B C D D");
  EXPECT_THAT(player.warps_of_d, ElementsAre("0:1111", "1:1111"));
}

// G4: C by 1, 6, 7 of 8 threads.
TEST(MechanismGolden, G4OnTbcTakesSevenSlots) {
  Made tbc("tbc");
  Player player(*tbc.flow, core::lrr_policy(), 4, 4);
  EXPECT_EQ(player.run({"1000", "0110"}), "A A C B B D D");
  EXPECT_THAT(player.warps_of_d, UnorderedElementsAre("0:1111", "1:1111"));
}

// G2b: threads 1.. of W0 at 0x100-0x17F, of W1 at 0x180-0x1FF. WX = (1, 34, 3, 36 ...), WY = (33, 2, 35, 4 ...).
TEST(MechanismGolden, G2bMixedWarpsCoalesceWorse) {
  const auto accesses = [](const std::vector<unsigned>& warp_of_lane) {
    core::MemoryInstruction op;
    op.mask = base::LaneMask::all();
    for (unsigned lane = 0; lane < base::kLanes; ++lane)
      op.address[lane] = 0x100 + 0x80 * warp_of_lane[lane] + 4 * lane;
    core::coalesce(op, {core::Shape::kScattered, 0, 0}, op.mask, 128);
    return op.access_count;
  };
  std::vector<unsigned> w0(base::kLanes, 0), w1(base::kLanes, 1), wx, wy;
  for (unsigned lane = 0; lane < base::kLanes; ++lane) {
    wx.push_back(lane % 2);
    wy.push_back(1 - lane % 2);
  }
  EXPECT_EQ(accesses(w0) + accesses(w1), 2);
  EXPECT_EQ(accesses(wx) + accesses(wy), 4);
}

// Corrections 6: older warps are not retried, only conflicting lanes go to a new one, to which the LUT then points.
TEST(WarpPool, TheLutPointsToTheYoungestWarp) {
  WarpPool pool(32, 2);
  const auto enter = [&](unsigned warp, std::uint32_t lanes) {
    const simt::Slice threads{base::WarpId{warp}, base::LaneMask(lanes)};
    return pool.enter(base::Pc{7}, {&threads, 1});
  };
  const auto first = enter(0, 0b1011);
  const auto second = enter(1, 0b0110);
  EXPECT_EQ(second.joined, first.made);
  EXPECT_EQ(pool[first.made].lanes(), base::LaneMask(0b1111));
  EXPECT_EQ(pool[second.made].lanes(), base::LaneMask(0b0010));
  const auto third = enter(2, 0b0011);
  EXPECT_EQ(third.joined, second.made);
  EXPECT_EQ(pool[third.made].lanes(), base::LaneMask(0b0010));
  pool.remove(third.made);
  const auto fourth = enter(3, 0b1000);  // the second has room, but nobody remembers it
  EXPECT_EQ(fourth.joined, WarpLut::kNoWarp);
}

TEST(WarpLut, ReplacesTheLeastRecentlyUsedOfASet) {
  WarpLut lut(4, 2);
  bool replaced = false;
  for (const std::uint32_t pc : {0u, 2u}) lut.point(base::Pc{pc}, pc, base::LaneMask(1), replaced);
  EXPECT_FALSE(replaced);
  EXPECT_EQ(lut.request({base::Pc{0}, base::LaneMask(2)}).warp, 0u);
  lut.point(base::Pc{4}, 4, base::LaneMask(1), replaced);
  EXPECT_TRUE(replaced);
  EXPECT_EQ(lut.request({base::Pc{2}, base::LaneMask(2)}).warp, WarpLut::kNoWarp);
  EXPECT_EQ(lut.request({base::Pc{0}, base::LaneMask(4)}).warp, 0u);
}

std::vector<std::uint32_t> picks(const core::SchedulingPolicy& of, unsigned count) {
  const auto policy = of.make({}, 4);
  base::IndexSet candidates(4);
  for (std::uint32_t warp = 0; warp < 4; ++warp) {
    policy->belongs_to(base::WarpId{warp}, warp < 2 ? 7 : 5);  // the block of 2 and 3 is older
    policy->assign(base::WarpId{warp}, 0);
    candidates.insert(warp);
  }
  std::vector<std::uint32_t> picked;
  for (unsigned i = 0; i < count; ++i) {
    const auto warp = policy->pick(candidates, i);
    policy->issued(*warp, i);
    picked.push_back(warp->value());
    if (i == 3) candidates.erase(2), candidates.erase(3);
    if (i == 5) candidates.insert(2), candidates.insert(3);
  }
  return picked;
}

// [TBC] §3.6.2: AGE the oldest block, RRB another one every cycle, SRR the same one until none of its warps is
// ready.
TEST(BlockPriority, OldestRotatingSticky) {
  EXPECT_THAT(picks(age_policy(), 8), ElementsAre(2, 3, 2, 3, 0, 1, 2, 3));
  EXPECT_THAT(picks(rrb_policy(), 4), ElementsAre(2, 0, 3, 1));
  EXPECT_THAT(picks(srr_policy(), 8), ElementsAre(2, 3, 2, 3, 0, 1, 0, 1));
}

}  // namespace
}  // namespace heddle::compaction::mechanisms_golden_test
