// What an executor finds in a decoded instruction.
#include <gtest/gtest.h>

#include "frontend/sass/decode.h"
#include "frontend/sass/print.h"
#include "unit/sass/data.h"

namespace heddle::sass {
namespace {

using Kind = Operand::Kind;

Instruction decoded(const char* hex, Arch arch) {
  const Decoded result = decode(word_of(hex), arch);
  EXPECT_TRUE(result.instruction) << result.problem;
  return result.instruction.value_or(Instruction{});
}

// IADD3 R3, -R13, R2, RZ
TEST(Instruction, HasTypedOperands) {
  const Instruction iadd = decoded("000000020d037210 024fca0007ffe1ff", Arch::kSm90);
  EXPECT_EQ(iadd.op, Opcode::kIadd3);
  EXPECT_EQ(iadd.find(Role::kDst)->number, 3);
  const Operand& a = *iadd.find(Role::kA);
  EXPECT_EQ(a.kind, Kind::kRegister);
  EXPECT_EQ(a.number, 13);
  EXPECT_TRUE(a.negate);
  EXPECT_EQ(iadd.find(Role::kC)->number, kRz);
  EXPECT_EQ(iadd.find(Role::kPd0)->number, kPt);
  EXPECT_TRUE(iadd.find(Role::kPs0)->negate);
  EXPECT_EQ(iadd.value(Modifier::kExtended), 0);
  EXPECT_EQ(iadd.guard, kPt);
}

// No listing has them.
TEST(Instruction, HasTheTextOfRareForms) {
  const std::vector<std::pair<const char*, const char*>> rows{
      {"ffffffff32327411 000fe400008f141b", "LEA.HI.X R50, R50, R27, 0xffffffff, 0x2, P1"},
      {"000000040028783b 0006220008004200", "LDSM.16.MT88.4 R40, [R0+UR4]"},
      {"000003e80000995d 002fea0003900000", "NANOSLEEP.SYNCS 0x3e8"},
      {"00000007020279a7 001e240008500a3f", "SYNCS.ARRIVE.TRANS64.TOGETHER.OPTOUT.ART0 R2, [R2+URZ], R7"},
      {"0000000380007352 001fcc0000000000", "RPCMOV.32 Rpc.HI, R3"},
      {"0000000000027353 000fe20000000000", "RPCMOV.32 R2, Rpc.LO"},
      {"1000000000067306 000fe20000101000", "I2F.U16 R6, R0.H1"},
      {"1000000000077306 000e220000001000", "I2F.U8 R7, R0.B1"},
      {"00000005000d723e 0c0fe400000020ff", "F2FP.SATFINITE.F16.F32.PACK_AB R13, R0.reuse, R5.reuse"},
      {"0000000005197231 0c0fe20000400c04", "HFMA2 R25, R5.reuse.H1_H1, R0.reuse.H0_NH1, R4"},
      {"00000005000a7248 0c4fe40003a20200", "VIMNMX.U16x2 R10, P1, P2, R0.reuse, R5.reuse, PT"},
      {"00012c0e020079a6 000fe2000c10f586", "REDG.E.ADD.F32x2.FTZ.RN.STRONG.GPU desc[UR6][R2.64+0x12c], R14"},
      {"0000000a040679a3 000ea4000a1ee3c4", "ATOMG.E.MAX.F16x4.RN.STRONG.GPU PT, R6, desc[UR4][R4.64], R10"}};
  for (const auto& [hex, text] : rows) {
    const Instruction instruction = decoded(hex, Arch::kSm90);
    EXPECT_EQ(text_of(instruction, [](const Operand&) { return std::string(); }), text);
    EXPECT_EQ(encode(instruction), word_of(hex));
  }
}

// Words of libraries; no listing has them. Reuse flags of what is no register have no text.
TEST(Instruction, OfLibrariesIsDecodedPrintedAndEncoded) {
  const auto expect = [](Arch arch, const char* hex, const char* text) {
    const Instruction instruction = decoded(hex, arch);
    EXPECT_EQ(text_of(instruction, [](const Operand&) { return std::string(); }), text);
    EXPECT_EQ(encode(instruction), word_of(hex));
    Instruction without = instruction;
    without.control.idle_reuse = 0;
    EXPECT_EQ(encode(without) == word_of(hex), instruction.control.idle_reuse == 0) << text;
  };
  expect(Arch::kSm75, "0000000000857919 140f220000002700", "S2R R133, SR_CTAID.Z");
  expect(Arch::kSm75, "0000009184007388 141be40000000800", "STS [R132], R145");
  expect(Arch::kSm75, "000000c4c5c4723e 010fe400000000ff", "F2FP.F16.F32.PACK_AB R196, R197, R196");
  expect(Arch::kSm75, "0000001008047231 140fe4000001100a", "HFMA2.FTZ.DNZ R4, R8.reuse, R16, R10.reuse");
  expect(Arch::kSm90, "0000000000002992 000fea0000012000", "MEMBAR.GPU");
  expect(Arch::kSm90, "0000000aff057981 000ea800081e0900", "LDG.E R5, [UR10]");
  expect(Arch::kSm90, "0000000f0a000986 000fe2000c100906", "STG.E [R10.64+UR6], R15");
  expect(Arch::kSm90, "012000007e8d7dae 000fe2000c120d5e",
         "LDGSTS.E.LTC128B.128 [R141+0x1200], [R126.64+UR30], !P0");
  expect(Arch::kSm90, "0000000388817243 000fe20000001489", "F2IP.S8.F32.NTZ R129, R136, R3, R137");
}

// @!P0 LEA.HI.X R9, R6, R9, R10, 0x2, P1
TEST(Instruction, HasItsGuardAndCarry) {
  const Instruction lea = decoded("0000000906098211 000fe400008f140a", Arch::kSm90);
  EXPECT_EQ(lea.op, Opcode::kLeaHi);
  EXPECT_EQ(lea.guard, 0);
  EXPECT_TRUE(lea.guard_negated);
  EXPECT_FALSE(lea.guard_uniform);
  EXPECT_EQ(lea.value(Modifier::kExtended), 1);
  EXPECT_EQ(lea.find(Role::kPs0)->number, 1);
  EXPECT_EQ(lea.find(Role::kShift)->value, 2);
}

// FFMA.RP R16, R23.reuse, R25.reuse, R20.reuse
TEST(Instruction, HasReuseFlagsAndControlCodes) {
  const Instruction ffma = decoded("0000001917107223 1c0fe20000008014", Arch::kSm90);
  for (const Role role : {Role::kA, Role::kB, Role::kC}) EXPECT_TRUE(ffma.find(role)->reuse);
  EXPECT_EQ(ffma.value(Modifier::kRounding), 2);
  EXPECT_EQ(ffma.control,
            (Control{.stall = 1, .yield = true, .write_barrier = 7, .read_barrier = 7, .wait_mask = 0}));
  // LDG.E.CONSTANT R6, desc[UR4][R6.64]: scoreboard 4 when it is written
  const Instruction ldg = decoded("0000000406067981 000f28000c1e9900", Arch::kSm90);
  EXPECT_EQ(ldg.control.write_barrier, 4);
  EXPECT_EQ(ldg.control.read_barrier, 7);
  EXPECT_EQ(ldg.control.stall, 4);
  // STS [R9], R2 waits for scoreboard 2 and sets 0 when it has read
  const Instruction sts = decoded("0000000209007388 0041d80000000800", Arch::kSm90);
  EXPECT_EQ(sts.control.wait_mask, 1 << 2);
  EXPECT_EQ(sts.control.read_barrier, 0);
}

// STG.E.STRONG.GPU desc[UR4][R2.64+0x100], R5
TEST(Instruction, HasAddressesWithDescriptors) {
  const Instruction stg = decoded("0001000502007986 000fe8000c10f904", Arch::kSm90);
  const Operand& address = *stg.find(Role::kAddress);
  EXPECT_EQ(address.kind, Kind::kAddress);
  EXPECT_EQ(address.number, 2);
  EXPECT_TRUE(address.wide);
  EXPECT_TRUE(address.descriptor);
  EXPECT_EQ(address.uniform, 4);
  EXPECT_EQ(address.value, 0x100);
  EXPECT_EQ(stg.find(Role::kData)->number, 5);
}

TEST(Instruction, HasAddressesWithFactorsAndUniformRegisters) {
  const Instruction lds =
      decoded("0008000004097984 000ea20000005800", Arch::kSm75);  // LDS.U R9, [R4.X4+0x800]
  EXPECT_EQ(lds.find(Role::kAddress)->scale, 1);
  EXPECT_EQ(lds.find(Role::kAddress)->uniform, kNoRegister);
  const Instruction ldg =
      decoded("fffffc04ff037981 000ea4000c1f6900", Arch::kSm75);  // LDG.E.STRONG.SYS R3, [UR4+-0x4]
  EXPECT_EQ(ldg.find(Role::kAddress)->number, kRz);
  EXPECT_EQ(ldg.find(Role::kAddress)->uniform, 4);
  EXPECT_EQ(ldg.find(Role::kAddress)->value, -4);
  EXPECT_FALSE(ldg.find(Role::kAddress)->descriptor);
}

TEST(Instruction, HasConstants) {
  const Instruction imad = decoded("00005d000f047a25 040fe400078e0202",
                                   Arch::kSm75);  // IMAD.WIDE R4, R15.reuse, c[0x0][0x174], R2
  const Operand& b = *imad.find(Role::kB);
  EXPECT_EQ(b.kind, Kind::kConstant);
  EXPECT_EQ(b.bank, 0);
  EXPECT_EQ(b.value, 0x174);
  const Instruction uldc =
      decoded("00c0000005087abb 000fe20008000a00", Arch::kSm90);  // ULDC.64 UR8, c[0x3][UR5]
  EXPECT_EQ(uldc.find(Role::kAddress)->bank, 3);
  EXPECT_EQ(uldc.find(Role::kAddress)->uniform, 5);
  EXPECT_TRUE(uldc.guard_uniform);
}

TEST(Instruction, HasTargetsFromItsEnd) {
  const Instruction bra = decoded("fffffffc00fc7947 000fc0000383ffff", Arch::kSm90);  // to itself
  EXPECT_EQ(bra.find(Role::kTarget)->value, -16);
  const Instruction old = decoded("fffffff000007947 000fc0000383ffff", Arch::kSm75);
  EXPECT_EQ(old.find(Role::kTarget)->value, -16);
  const Instruction bssy = decoded("0000011000007945 000fe20003800000", Arch::kSm90);
  EXPECT_EQ(bssy.find(Role::kBarrier)->number, 0);
  EXPECT_EQ(bssy.find(Role::kTarget)->value, 0x110);
}

TEST(Instruction, SaysWhyAWordIsNone) {
  EXPECT_EQ(decode(word_of("0000000000007000 0000000000000000"), Arch::kSm75).problem,
            "there is no form with the operation 0x000");
  EXPECT_EQ(decode(word_of("0000000000007918 000fc00000000001"), Arch::kSm75).problem,
            "bits 64 of NOP are set and not known");
  EXPECT_EQ(decode(word_of("0000001400147308 00321e0000003c00"), Arch::kSm75).problem,
            "15 has no meaning for MUFU in bits 74-77");
  EXPECT_EQ(decode(word_of("000000000000723d 0000000000000000"), Arch::kSm75).problem,
            "BMMA (0x23d) is not decoded");
  EXPECT_NE(decode(word_of("0000000406057217 002fc40007800200"), Arch::kSm90).problem,
            "");  // IMNMX is of sm_75 only
}

}  // namespace
}  // namespace heddle::sass
