// Listings: text to kernels and back.
#include "frontend/listing/listing.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "isa/convergence.h"
#include "unit/listing/decode.h"

namespace heddle::listing::listing_test {
namespace {

using base::Pc;
using isa::ConvergenceOp;
using isa::Instruction;
using isa::Opcode;
using testing::decode;

// Fig 4 of the Hanoi paper ([Hanoi:G3]).
const char* const kEarly = R"(.listing

.kernel early
    S2R R1, SR_LANEID;
    ISETP.GE P0, R1, 2;
    ISETP.NE P1, R1, 0;
    BSSY B1, D;
    BSSY B0, B;
    @P0 BRA B;
    @!P1 BREAK B0;
    @P1 BRA B;
    BRA D;
B:
    BSYNC B0;
D:
    BSYNC B1;
    EXIT;
)";

TEST(Listing, TheCanonicalFormComesBackByteByByte) {
  EXPECT_TRUE(is_listing(kEarly));
  EXPECT_TRUE(is_listing("  // early\n/* of\nFig 4 */ .listing\n"));
  EXPECT_FALSE(is_listing(".version 6.4\n.target sm_75\n"));
  EXPECT_EQ(print(parse(kEarly, "k.sass")), kEarly);
}

TEST(Listing, BlanksCommentsAndLabelsOnTheLineAreOptional) {
  const std::string text =
      ".listing // Turing\n.kernel k ( out : 64 , n:32 )\n  LDC.64 RD0,out; /* 0x10 */\n"
      "A: @!P0 BRA !P1 , A ;\nB: BRX R1, [ A , B ];\nSTG [RD0+8], R1;STOP: EXIT;\n";
  EXPECT_THROW(parse(text, "k.sass"), base::InputError) << "one instruction to a line";
  const std::string good =
      ".listing // Turing\n.kernel k ( out : 64 , n:32 )\n  LDC.64 RD0,out; /* 0x10 */\n"
      "A: @!P0 BRA !P1 , A ;\nB: BRX R1, [ A , B ];\nSTG [RD0+8], R1;\nEXIT;\n";
  const std::string canonical =
      ".listing\n\n.kernel k(out: 64, n: 32)\n    LDC.64 RD0, out;\nA:\n    @!P0 BRA !P1, A;\nB:\n"
      "    BRX R1, [A,B];\n    STG [RD0+8], R1;\n    EXIT;\n";
  EXPECT_EQ(print(parse(good, "k.sass")), canonical);
  EXPECT_EQ(print(parse(canonical, "k.sass")), canonical);
}

TEST(Listing, ConvergenceInstructionsAreThoseOfTheInstructionSet) {
  const auto k = decode(kEarly);
  ASSERT_EQ(k->code.size(), 12u);
  EXPECT_EQ(k->instruction_bytes, 16u);
  const Instruction& outer = k->code[3];
  EXPECT_EQ(outer.op, Opcode::kConvergence);
  EXPECT_EQ(outer.convergence, ConvergenceOp::kSet);
  EXPECT_EQ(outer.barrier, 1u);
  EXPECT_EQ(outer.target, Pc(11)) << "behind the BSYNC at the label ([Hanoi:A1])";
  EXPECT_EQ(k->code[4].target, Pc(10));
  EXPECT_EQ(k->code[6].convergence, ConvergenceOp::kBreak);
  EXPECT_TRUE(k->code[6].guard.present && k->code[6].guard.negated);
  EXPECT_EQ(k->code[7].target, Pc(9));
  EXPECT_EQ(k->source_line(Pc(6)), "@!P1 BREAK B0;");
}

TEST(Listing, AnOperandOfBssyThatIsNoBsyncOfItsRegisterStandsAsItIs) {
  const auto k = decode(".listing\n.kernel k\nBSSY B0, J;\nBSYNC B0;\nJ: BSYNC B1;\nEXIT;\n");
  EXPECT_EQ(k->code[0].target, Pc(2));
}

TEST(Listing, BmovMovesBetweenRegistersBothWays) {
  const auto k = decode(
      ".listing\n.kernel k\nBMOV.32 R3, B2;\nBMOV.32.CLEAR R4, B5;\nBMOV.32.CLEAR RZ, B5;\nBMOV.32 B6, R3;\n"
      "BMOV.32 B7, 0xff;\nWARPSYNC R4;\nWARPSYNC 15;\nYIELD;\nEXIT;\n");
  EXPECT_EQ(k->code[0].convergence, ConvergenceOp::kRead);
  EXPECT_EQ(k->code[1].convergence, ConvergenceOp::kReadClear);
  EXPECT_EQ(k->code[0].write_count, 1u);
  EXPECT_FALSE(k->code[2].dst[0].present);
  EXPECT_EQ(k->code[3].convergence, ConvergenceOp::kWrite);
  EXPECT_EQ(k->code[3].src[0].reg, k->code[0].dst[0].reg);
  EXPECT_EQ(k->code[3].barrier, 6u);
  EXPECT_EQ(k->code[4].src[0].space, isa::RowSpace::kConstant);
  EXPECT_EQ(k->code[5].src[0].reg, k->code[1].dst[0].reg);
  EXPECT_EQ(k->code[6].convergence, ConvergenceOp::kWarpSync);
  EXPECT_EQ(k->code[7].convergence, ConvergenceOp::kYield);
}

TEST(Listing, FunctionsHaveConvergenceInstructionsToo) {
  const auto k = decode(
      ".listing\n.kernel k\nCALL f;\nEXIT;\n.func f\nWARPSYNC 0xffffffff;\nBMOV.32.CLEAR R1, B0;\nBMOV.32 "
      "B0, R1;\n"
      "BMOV.32 B1, B0;\nRET;\n");
  std::vector<ConvergenceOp> found;
  for (const Instruction& each : k->code)
    if (each.op == Opcode::kConvergence) found.push_back(each.convergence);
  EXPECT_EQ(found, (std::vector{ConvergenceOp::kWarpSync, ConvergenceOp::kReadClear, ConvergenceOp::kWrite,
                                ConvergenceOp::kRead, ConvergenceOp::kWrite}));
}

TEST(Listing, BmovMovesBetweenBarrierRegistersByWayOfAnother) {
  const auto k = decode(".listing\n.kernel k\nISETP.EQ P0, 1, 1;\n@P0 BMOV.32 B1, B2;\nEXIT;\n");
  ASSERT_EQ(k->code.size(), 4u);
  EXPECT_EQ(k->code[1].convergence, ConvergenceOp::kRead);
  EXPECT_EQ(k->code[1].barrier, 2u);
  EXPECT_EQ(k->code[2].convergence, ConvergenceOp::kWrite);
  EXPECT_EQ(k->code[2].barrier, 1u);
  EXPECT_EQ(k->code[2].src[0].reg, k->code[1].dst[0].reg);
  EXPECT_TRUE(k->code[1].guard.present && k->code[2].guard.present);
}

TEST(Listing, BothPredicatesGuardAControlInstruction) {
  const auto k = decode(
      ".listing\n.kernel k\nISETP.EQ P0, R1, 0;\nISETP.EQ P1, R1, 0;\n@P0 BRA !P1, X;\nX: BREAK P1, "
      "B0;\nEXIT;\n");
  EXPECT_TRUE(k->code[2].guard2.present && k->code[2].guard2.negated && !k->code[2].guard.negated);
  EXPECT_EQ(k->code[2].guard2.reg, k->code[1].dst[0].reg);
  EXPECT_EQ(k->code[2].read_count, 2u);
  EXPECT_TRUE(k->code[3].guard.present) << "a single predicate is the guard, wherever it is written";
  EXPECT_FALSE(k->code[3].guard2.present);
}

TEST(Listing, AFunctionHasPredicatesOfItsOwn) {
  const auto k = decode(
      ".listing\n.kernel k\nCALL f;\nEXIT;\n.func f\nISETP.EQ P0, R1, 0;\nISETP.EQ P1, R1, 0;\n"
      "@P0 BRA P1, X;\nX: RET;\n");
  std::size_t at = k->functions.at(0).entry;
  while (k->code.at(at).op != Opcode::kBranch) ++at;
  ASSERT_TRUE(k->code[at].guard2.present);
  EXPECT_EQ(k->code[at].guard2.reg, k->code[at - 1].dst[0].reg);
  EXPECT_EQ(k->code[at].guard.reg, k->code[at - 2].dst[0].reg);
}

std::string refused(const std::string& text) {
  try {
    (void)decode(text);
  } catch (const base::InputError& error) {
    return error.where() + ": " + error.message().substr(0, error.message().find('\n')) + " | " +
           error.remedy();
  }
  return "";
}

// In profile P lanes would go on where the label is, which may be for ever ([Hanoi:K1]).
TEST(Listing, TheLabelOfBssyIsWhereItsLanesMeet) {
  EXPECT_EQ(
      refused(".listing\n.kernel k\nL: NOP;\nBSSY B0, L;\nBSYNC B0;\nEXIT;\n"),
      "k.sass:4:10: there is no BSYNC B0 at label 'L', nor directly in front of it | Name the BSYNC B0 at "
      "which the lanes of this region meet.");
  EXPECT_EQ(
      refused(".listing\n.kernel k\nBSSY B1, L;\nL: BSYNC B0;\nBSYNC B1;\nEXIT;\n"),
      "k.sass:3:10: there is no BSYNC B1 at label 'L', nor directly in front of it | Name the BSYNC B1 at "
      "which the lanes of this region meet.");
  EXPECT_EQ(
      refused(".listing\n.kernel k\nBSSY B0, L;\nL: BSYNC B0;\nBSSY B0, L;\nBSYNC B0;\nEXIT;\n"),
      "k.sass:5:10: the lanes of this region meet at the BSYNC B0 in line 6, not at that of label 'L' | "
      "Name that one, or take another barrier register.");
  EXPECT_EQ(refused(".listing\n.kernel k\nBSSY B0, L;\nBSYNC B0;\nL: BSYNC B0;\nEXIT;\n"), "")
      << "behind its BSYNC, as machine code has it";
  EXPECT_EQ(refused(".listing\n.kernel k\nBRA M;\nL: BSYNC B0;\nEXIT;\nM: BSSY B0, L;\nBRA L;\n"), "")
      << "code need not be in the order in which it runs";
  EXPECT_EQ(refused(".listing\n.kernel k\nBSSY B0, L;\nEXIT;\nL: BSYNC B0;\nEXIT;\n"), "")
      << "all lanes leave the region";
}

/// Tab I: twenty instructions; those that the paper leaves undefined behave as [Hanoi:U1] says.
TEST(Listing, EveryInstructionOfTableOneIsKnown) {
  const auto k = decode(
      ".listing\n.kernel k\nBRA A;\nA: JMP B;\nB: BRX R0, [C];\nC: BRXU R0, [D];\nD: JMX R0, [E];\nE: JMXU "
      "R0, [F];\n"
      "F: BPT;\n@P0 KILL;\nNANOSLEEP 100;\nRPCMOV RPC, RD0;\nRPCMOV RD2, RPC;\nRTT;\nYIELD;\nWARPSYNC 1;\n"
      "BSSY B0, G;\nBREAK B0;\nBMOV.32 R1, B0;\nG: BSYNC B0;\nCALL f;\nEXIT;\n.func f\nRET;\n");
  const auto op = [&](std::size_t i) { return k->code[i].op; };
  EXPECT_EQ(op(1), Opcode::kBranch);
  EXPECT_EQ(op(2), Opcode::kIndirect);
  EXPECT_EQ(op(5), Opcode::kIndirect);
  EXPECT_EQ(op(6), Opcode::kTrap);
  EXPECT_EQ(op(7), Opcode::kExit);
  EXPECT_EQ(op(8), Opcode::kSleep);
  EXPECT_EQ(op(9), Opcode::kLane);
  EXPECT_EQ(op(11), Opcode::kTrap);
  EXPECT_EQ(k->functions.size(), 1u);
}

TEST(Listing, WhatAThreadAloneDoesIsPtx) {
  const ptx::Module tree = parse_module(kEarly, "k.sass");
  ASSERT_EQ(tree.functions.size(), 1u);
  EXPECT_EQ(tree.functions[0].name, "early");
  EXPECT_EQ(to_ptx(parse(kEarly, "k")).find("BSSY"), std::string::npos);
}

}  // namespace
}  // namespace heddle::listing::listing_test
