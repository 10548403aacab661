// Branches with their reconvergence points, exits, barriers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/ptx/support.h"

namespace heddle::ptx::testing::decode_control_test {
namespace {

using base::Pc;
using isa::Opcode;

TEST(PtxDecodeControl, branches_know_target_and_reconvergence) {
  // 0 @p bra  1 mov  2 bra  3 mov  4 exit
  const auto k = kernel("@%p1 bra ELSE; mov.u32 %r1, 1; bra.uni END; ELSE: mov.u32 %r1, 2; END: exit;");
  EXPECT_EQ(k->code.at(0).op, Opcode::kBranch);
  EXPECT_EQ(k->code.at(0).target, Pc(3));
  EXPECT_EQ(k->code.at(0).rpc, Pc(4));
  EXPECT_FALSE(k->code.at(0).uniform);
  EXPECT_TRUE(k->code.at(2).uniform);
  EXPECT_EQ(k->code.at(2).target, Pc(4));
  EXPECT_EQ(k->code.at(0).unit, isa::Unit::kControl);
}

TEST(PtxDecodeControl, sides_that_both_exit_do_not_reconverge) {
  EXPECT_EQ(kernel("@%p1 bra L; exit; L: exit;")->code.at(0).rpc, base::kNoPc);
}

TEST(PtxDecodeControl, a_branch_over_a_split_instruction_lands_behind_all_its_parts) {
  const auto k = kernel("@%p1 bra L; mov.b64 {%r1, %r2}, %rd1; L: exit;");
  EXPECT_EQ(k->code.at(0).target, Pc(3));
}

TEST(PtxDecodeControl, code_always_ends_in_an_exit) {
  EXPECT_EQ(kernel("mov.u32 %r1, 1;")->code.back().op, Opcode::kExit);
  EXPECT_EQ(kernel("")->code.size(), 1u);
  EXPECT_EQ(kernel("ret;")->code.size(), 1u);
  EXPECT_EQ(kernel("L: bra L;")->code.size(), 2u);
  EXPECT_EQ(kernel("@%p1 ret;")->code.size(), 2u);
  const auto k = kernel("bra L; ret; L:");
  EXPECT_EQ(k->code.size(), 3u);
  EXPECT_EQ(k->code.at(0).target, Pc(2));
}

TEST(PtxDecodeControl, labels_belong_to_their_scope) {
  const auto k = kernel(
      "{ bra L; mov.u32 %r1, 1; L: mov.u32 %r1, 2; } { bra L; mov.u32 %r1, 3; L: bra OUT; } OUT: ret;");
  EXPECT_EQ(k->code.at(0).target, Pc(2));
  EXPECT_EQ(k->code.at(3).target, Pc(5));
  EXPECT_EQ(k->code.at(5).target, Pc(6));
}

TEST(PtxDecodeControl, barriers) {
  const auto k = kernel(
      "bar.sync 0; barrier.sync.aligned 1, 64; bar.arrive %r1, 32; bar.cta.sync 2; barrier.cta.arrive 3, 64;"
      "bar.warp.sync -1;");
  EXPECT_EQ(k->code[0].op, Opcode::kBarrier);
  EXPECT_EQ(k->code[0].barrier_kind, isa::BarrierKind::kSync);
  EXPECT_EQ(constant_of(*k, k->code[0].src[0]), 0u);
  EXPECT_FALSE(k->code[0].src[1].present);
  EXPECT_EQ(constant_of(*k, k->code[1].src[1]), 64u);
  EXPECT_EQ(k->code[2].barrier_kind, isa::BarrierKind::kArrive);
  EXPECT_EQ(name_of(*k, k->code[2].src[0]), "%r1");
  EXPECT_EQ(k->code[3].op, Opcode::kBarrier);
  EXPECT_EQ(k->code[4].barrier_kind, isa::BarrierKind::kArrive);
  EXPECT_EQ(k->code[5].op, Opcode::kWarpSync);
  EXPECT_TRUE(k->code[5].names_all_lanes);
}

TEST(PtxDecodeControl, barrier_reductions) {
  const auto k = kernel(
      "bar.red.popc.u32 %r1, 0, %p1; barrier.cta.red.and.aligned.pred %p2, 1, 64, !%p1;"
      "bar.red.or.pred %p3, %r2, %p1; barrier.red.popc.u32 _, 3, %p1;");
  EXPECT_EQ(k->code[0].op, Opcode::kBarrier);
  EXPECT_EQ(k->code[0].barrier_reduction, isa::BarrierReduction::kPopc);
  EXPECT_EQ(name_of(*k, k->code[0].dst[0]), "%r1");
  EXPECT_EQ(constant_of(*k, k->code[0].src[0]), 0u);
  EXPECT_FALSE(k->code[0].src[1].present);
  EXPECT_EQ(name_of(*k, k->code[0].src[2]), "%p1");
  EXPECT_EQ(k->code[1].barrier_reduction, isa::BarrierReduction::kAnd);
  EXPECT_EQ(constant_of(*k, k->code[1].src[1]), 64u);
  EXPECT_TRUE(k->code[1].src[2].negated);
  EXPECT_EQ(k->code[2].barrier_reduction, isa::BarrierReduction::kOr);
  EXPECT_EQ(name_of(*k, k->code[2].src[0]), "%r2");
  EXPECT_FALSE(k->code[3].dst[0].present);
}

TEST(PtxDecodeControl, member_masks_stay_in_the_instruction) {
  const auto k = kernel(
      "vote.sync.all.pred %p1, %p2, -1; vote.sync.ballot.b32 %r1, %p2, %r2; shfl.sync.idx.b32 %r1, %r2, 0, "
      "31, "
      "0xffff; match.any.sync.b32 %r1, %r2, %r3; bar.warp.sync %r4; vote.any.pred %p1, %p2;");
  EXPECT_EQ(k->code[0].op, Opcode::kWarpSync);
  EXPECT_TRUE(k->code[0].names_all_lanes);
  EXPECT_EQ(k->code[0].member_mask, 1);
  EXPECT_EQ(constant_of(*k, k->code[0].src[1]), 0xffff'ffffu);
  EXPECT_EQ(k->code[1].op, Opcode::kWarpSync);
  EXPECT_EQ(k->code[1].member_mask, 1);
  EXPECT_FALSE(k->code[1].names_all_lanes);
  EXPECT_EQ(name_of(*k, k->code[1].src[1]), "%r2");
  EXPECT_EQ(k->code[2].op, Opcode::kWarpSync);
  EXPECT_EQ(k->code[2].member_mask, 3);
  EXPECT_EQ(k->code[3].op, Opcode::kWarpSync);
  EXPECT_EQ(k->code[4].op, Opcode::kWarpSync);
  EXPECT_EQ(k->code[4].member_mask, 0);
  EXPECT_EQ(k->code[4].lane_fn, nullptr);
  EXPECT_EQ(k->code[5].member_mask, isa::Instruction::kNoMemberMask);
}

TEST(PtxDecodeControl, exits_traps_and_waits) {
  const auto list = code("@%p1 exit; @!%p1 ret; nanosleep.u32 %r1; trap; brkpt;");
  EXPECT_EQ(list[0].op, Opcode::kExit);
  EXPECT_TRUE(list[0].guard.present);
  EXPECT_EQ(list[1].op, Opcode::kExit);
  EXPECT_TRUE(list[1].guard.negated);
  EXPECT_EQ(list[2].op, Opcode::kSleep);
  EXPECT_TRUE(list[2].src[0].present);
  EXPECT_EQ(list[3].op, Opcode::kTrap);
  EXPECT_EQ(list[4].op, Opcode::kTrap);
  EXPECT_EQ(list[4].immediate, isa::kBreakpoint);
}

TEST(PtxDecodeControl, guards_are_read_like_operands) {
  const auto k = kernel("@%p3 bra L; L: ret;");
  ASSERT_EQ(k->code[0].read_count, 1);
  EXPECT_EQ(k->register_names.at(k->code[0].reads[0]), "%p3");
}

}  // namespace
}  // namespace heddle::ptx::testing::decode_control_test
