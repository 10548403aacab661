// What dynamic warp formation does in which clock (core.control_flow.dwf.timing=contract): the LUT serves one warp's threads for one
// PC a clock, in the order of issue; what it puts into the pool may issue from the clock after that.
#include "unit/compaction/contract_rig.h"

namespace heddle::compaction::dwf_contract_test {
namespace {

class DwfContract : public ContractRig {
 protected:
  void make(DwfTiming timing, unsigned warps, bool warp_barrier = false) {
    ContractRig::make("dwf", [&](simt::ControlFlowConfig& config) {
      config.get<DwfConfig>().timing = timing;
      config.get<DwfConfig>().warp_barrier = warp_barrier;
    });
    launch(0, 0, warps);
    EXPECT_EQ(due_, kNever);
  }
};

// G2's masks (lane 0 is the last bit): two warps part in one clock, so that four updates take four clocks.
TEST_F(DwfContract, TheLutServesOnePcOfOneWarpAClock) {
  make(DwfTiming::kContract, 2);
  EXPECT_EQ(branch(10, 0, 0b1111, 0b0100), "g0 blocked by tables");
  EXPECT_EQ(branch(10, 1, 0b1111, 0b1001), "g1 blocked by tables");
  EXPECT_EQ(due_, 12u) << "looked up in clock 11";
  EXPECT_EQ(tick(12), "g0 moved 4 0100");
  EXPECT_EQ(due_, 13u);
  EXPECT_EQ(tick(13), "g2 moved 1 1011") << "slot 1 still waits";
  EXPECT_EQ(due_, 14u);
  EXPECT_EQ(tick(14), "g0 joined 4 1101");
  EXPECT_EQ(due_, 15u);
  EXPECT_EQ(tick(15), "g2 joined 1 1111, g1 moved 1 0010");
  EXPECT_EQ(due_, kNever);
}

// A warp that has issued meanwhile is gone: nobody joins it.
TEST_F(DwfContract, WhatWasServedMayIssueBeforeOthersCome) {
  make(DwfTiming::kContract, 2);
  branch(10, 0, 0b1111, 0b0100);
  branch(10, 1, 0b1111, 0b1001);
  tick(12);
  EXPECT_EQ(exit(12, 0, 0b0100, kC), "g0 blocked by tables") << "its slot waits for the other side";
  EXPECT_EQ(tick(13), "g0 moved 1 1011");
  EXPECT_EQ(tick(14), "g1 moved 4 1001");
  EXPECT_EQ(tick(15), "g0 joined 1 1111, g2 moved 1 0010");
  EXPECT_EQ(due_, kNever);
}

// An update that comes to a free LUT is served in the next clock, however long it was free.
TEST_F(DwfContract, AFreeLutServesInTheClockBehindTheIssue) {
  make(DwfTiming::kContract, 2);
  branch(10, 0, 0b1111, 0b1111);
  EXPECT_EQ(due_, 12u);
  EXPECT_EQ(tick(12), "g0 moved 4 1111");
  branch(20, 1, 0b1111, 0b1111);
  EXPECT_EQ(due_, 22u);
  EXPECT_EQ(tick(22), "g1 moved 4 1111") << "no lane is free at g0";
}

// Sequential flow waits, too, but what has been fetched stays.
TEST_F(DwfContract, TheNextInstructionIsHeldBackForAClock) {
  make(DwfTiming::kContract, 2);
  EXPECT_EQ(advance(10, 0, 0b1111, kB), "g0 held back");
  EXPECT_EQ(due_, 12u);
  EXPECT_EQ(tick(12), "g0 joined 1 1111");
  EXPECT_EQ(due_, kNever);
}

// What a slot has fetched is that of the warp that issued there last: here its second side came in between.
TEST_F(DwfContract, AnotherWarpOfTheSlotVoidsWhatItHadFetched) {
  make(DwfTiming::kContract, 2);
  branch(10, 0, 0b1111, 0b0100);
  branch(10, 1, 0b1111, 0b1001);
  EXPECT_EQ(tick(12), "g0 moved 4 0100");
  EXPECT_EQ(advance(12, 0, 0b0100, Pc{5}), "g0 held back") << "looked up in clock 15, behind warp 1";
  EXPECT_EQ(tick(13), "g0 moved 1 1011");
  EXPECT_EQ(advance(13, 0, 0b1011, Pc{2}), "g0 held back");
  EXPECT_EQ(tick(14), "g1 moved 4 1001");
  EXPECT_EQ(tick(15), "g2 moved 1 0110");
  EXPECT_EQ(tick(16), "g0 moved 5 0100") << "it has fetched 2";
  EXPECT_EQ(tick(17), "g3 moved 2 1011");
}

// Static warps bypass the LUT until they part.
TEST_F(DwfContract, StaticWarpsTakeNoClockOfIt) {
  make(DwfTiming::kContract, 1, true);
  EXPECT_EQ(branch(10, 0, 0b1111, 0b1111), "g0 moved 4 1111");
  EXPECT_EQ(due_, kNever);
  EXPECT_EQ(branch(11, 0, 0b1111, 0b0011), "g0 blocked by tables");
  EXPECT_EQ(tick(13), "g0 moved 4 0011");
  EXPECT_EQ(tick(14), "g1 moved 1 1100");
}

TEST_F(DwfContract, IdealTakesNoTime) {
  make(DwfTiming::kIdeal, 2);
  EXPECT_EQ(branch(10, 0, 0b1111, 0b0100), "g0 moved 4 0100, g2 moved 1 1011");
  EXPECT_EQ(due_, kNever);
}

}  // namespace
}  // namespace heddle::compaction::dwf_contract_test
