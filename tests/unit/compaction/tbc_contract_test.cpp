// What thread block compaction does in which clock (core.control_flow.tbc.timing=contract): one arrival a clock goes into the block
// stacks of a core, and the thread compactor takes a clock for the mask and one for each warp ([TBC:S13]).
#include "unit/compaction/contract_rig.h"

namespace heddle::compaction::tbc_contract_test {
namespace {

class TbcContract : public ContractRig {
 protected:
  void make(Timing timing) {
    ContractRig::make("tbc",
                      [&](simt::ControlFlowConfig& config) { config.get<TbcConfig>().timing = timing; });
  }
};

TEST_F(TbcContract, TheCompactorTakesAClockForTheMaskAndOneForEachWarp) {
  make(Timing::kContract);
  EXPECT_EQ(launch(0, 0, 2), "");
  EXPECT_EQ(due_, 1u);
  EXPECT_EQ(tick(1), "") << "the mask";
  EXPECT_EQ(due_, 2u);
  EXPECT_EQ(tick(2), "g0 moved 0 1111");
  EXPECT_EQ(due_, 3u);
  EXPECT_EQ(tick(3), "g1 moved 0 1111");
  EXPECT_EQ(due_, kNever);
}

// G2's masks: of C one warp is made, of B two.
TEST_F(TbcContract, OneArrivalAClock) {
  make(Timing::kContract);
  launch(0, 0, 2);
  for (Cycle cycle = 1; cycle <= 3; ++cycle) tick(cycle);
  EXPECT_EQ(branch(10, 0, 0b1111, 0b0100), "g0 blocked by tables");
  EXPECT_EQ(branch(10, 1, 0b1111, 0b1001), "g1 blocked by tables");
  EXPECT_EQ(due_, 11u);
  EXPECT_EQ(tick(11), "");
  EXPECT_EQ(due_, 12u);
  EXPECT_EQ(tick(12), "g1 vanished") << "all have arrived, and C has one warp";
  EXPECT_EQ(due_, 13u);
  EXPECT_EQ(tick(13), "") << "the mask";
  EXPECT_EQ(due_, 14u);
  EXPECT_EQ(tick(14), "g0 moved 4 1101");
  EXPECT_EQ(due_, kNever);
  // C's warp reaches D: B has two.
  EXPECT_EQ(advance(20, 0, 0b1101, kD), "g0 blocked by tables");
  EXPECT_EQ(due_, 21u);
  EXPECT_EQ(tick(21), "");
  EXPECT_EQ(tick(22), "");
  EXPECT_EQ(tick(23), "g0 moved 1 1111");
  EXPECT_EQ(tick(24), "g1 moved 1 0010");
  EXPECT_EQ(due_, kNever);
}

// Two blocks, whose warps arrive in one clock: the port takes them in turn, and the compactor, when both wait for it, the older
// block first.
TEST_F(TbcContract, BlocksShareThePortAndTheCompactorTheOldestFirst) {
  make(Timing::kContract);
  launch(0, 0, 2);
  launch(0, 2, 1);
  EXPECT_EQ(tick(1), "");
  EXPECT_EQ(tick(2), "g0 moved 0 1111");
  EXPECT_EQ(tick(3), "g1 moved 0 1111") << "the younger block waits";
  EXPECT_EQ(tick(4), "");
  EXPECT_EQ(tick(5), "g2 moved 0 1111");
  // The younger block comes first, and is under way when the older one has arrived.
  branch(10, 2, 0b1111, 0b1111);
  branch(10, 0, 0b1111, 0b1111);
  branch(10, 1, 0b1111, 0b1111);
  EXPECT_EQ(tick(11), "");
  EXPECT_EQ(tick(12), "");
  EXPECT_EQ(tick(13), "g2 moved 4 1111");
  EXPECT_EQ(tick(14), "");
  EXPECT_EQ(tick(15), "g0 moved 4 1111");
  EXPECT_EQ(tick(16), "g1 moved 4 1111");
  EXPECT_EQ(due_, kNever);
}

TEST_F(TbcContract, IdealTakesNoTime) {
  make(Timing::kIdeal);
  EXPECT_EQ(launch(0, 0, 2), "g0 moved 0 1111, g1 moved 0 1111");
  EXPECT_EQ(branch(10, 0, 0b1111, 0b0100), "g0 blocked by tables");
  EXPECT_EQ(branch(10, 1, 0b1111, 0b1001), "g1 vanished, g0 moved 4 1101");
  EXPECT_EQ(due_, kNever);
}

}  // namespace
}  // namespace heddle::compaction::tbc_contract_test
