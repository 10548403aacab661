// Logic, shifts, permutations and counts of machine code, with values.
#include <gtest/gtest.h>

#include "one_instruction.h"

namespace heddle::oracle::machine_code {
namespace {

TEST(MachineCodeBits, TablesOfThree) {
  const auto table = [](std::uint32_t lut) {
    return OneInstruction("@!P0 LOP3.LUT R9, R5, R6, RZ, 0x3c, !PT")
        .with(72, 8, lut)
        .with(64, 8, 7)
        .r(5, 0xf0f0'f0f0)
        .r(6, 0xcccc'cccc)
        .r(7, 0xaaaa'aaaa)
        .run()
        .r(9);
  };
  for (std::uint32_t lut = 0; lut < 256; ++lut) EXPECT_EQ(table(lut), lut * 0x0101'0101u);
}

TEST(MachineCodeBits, ATablesPredicateSaysNotZero) {
  const auto with = [](std::uint32_t value, bool input, bool conjunction) {
    return OneInstruction("LOP3.LUT P0, RZ, R0, 0x7fffffff, RZ, 0xc0, !PT")
        .with(87, 4, 3)
        .with(80, 1, conjunction ? 1 : 0)
        .p(3, input)
        .r(0, value)
        .run()
        .p(0);
  };
  EXPECT_FALSE(with(0x8000'0000, false, false));
  EXPECT_TRUE(with(1, false, false));
  EXPECT_TRUE(with(0, true, false));
  EXPECT_FALSE(with(1, false, true));
  EXPECT_TRUE(with(1, true, true));
}

TEST(MachineCodeBits, TablesOfPredicates) {
  for (unsigned inputs = 0; inputs < 8; ++inputs) {
    auto one = OneInstruction("PLOP3.LUT P0, PT, P0, P1, P3, 0xe0, 0x0").with(84, 3, 4).with(16, 8, 0x96);
    one.p(0, (inputs & 4) != 0).p(1, (inputs & 2) != 0).p(3, (inputs & 1) != 0).run();
    EXPECT_EQ(one.p(0), (0xe0 >> inputs & 1) != 0) << inputs;
    EXPECT_EQ(one.p(4), (0x96 >> inputs & 1) != 0) << inputs;
  }
}

TEST(MachineCodeBits, Shifts) {
  const auto shift = [](const std::string& text, unsigned low, unsigned high, unsigned by) {
    OneInstruction one(text);
    // All of these: destination, low word, amount, high word by number, as the text has them.
    return one.r(2, low).r(3, high).r(0, by);
  };
  EXPECT_EQ(OneInstruction("SHF.L.U32 R21, R18, R21, RZ").r(18, 3).r(21, 31).run().r(21), 0x8000'0000u);
  EXPECT_EQ(OneInstruction("SHF.L.U32 R21, R18, R21, RZ").r(18, 3).r(21, 0xffff'ffff).run().r(21), 0u)
      << "clamped";
  EXPECT_EQ(shift("SHF.L.U64.HI R17, R2.reuse, R0.reuse, R3.reuse", 0xc000'0001, 1, 2).run().r(17), 7u);
  EXPECT_EQ(shift("SHF.L.U64.HI R17, R2.reuse, R0.reuse, R3.reuse", 0xc000'0001, 1, 99).run().r(17), 0u);
  EXPECT_EQ(shift("SHF.R.S64 R18, R2, R0, R3", 0, 0x8000'0000, 40).run().r(18), 0xff80'0000u);
  EXPECT_EQ(shift("SHF.R.S64 R18, R2, R0, R3", 0, 0x8000'0000, 64).run().r(18), 0xffff'ffffu);
  EXPECT_EQ(OneInstruction("SHF.R.U64 R5, R2, R5, R3").r(2, 0x10).r(3, 1).r(5, 4).run().r(5), 0x1000'0001u);
  EXPECT_EQ(OneInstruction("SHF.R.S32.HI R24, RZ, 0x1f, R5").r(5, 0x8000'0000).run().r(24), 0xffff'ffffu);
  EXPECT_EQ(OneInstruction("SHF.R.U32.HI R23, RZ, R23, R18").r(18, 0x80).r(23, 7).run().r(23), 1u);
  EXPECT_EQ(OneInstruction("SHF.R.U32.HI R23, RZ, R23, R18").r(18, 0x80).r(23, 32).run().r(23), 0u);
  EXPECT_EQ(OneInstruction("SHF.L.W.U32.HI R8, R11, 0x18, R11").r(11, 0x1234'5678).run().r(8), 0x7812'3456u);
  EXPECT_EQ(OneInstruction("SHF.R.W.U32 R4, R14, R3.reuse, R14.reuse").r(14, 0x1234'5678).r(3, 36).run().r(4),
            0x8123'4567u)
      << "the amount wraps";
}

TEST(MachineCodeBits, Permutations) {
  const auto prmt = [](std::uint32_t selector, unsigned mode) {
    return OneInstruction("PRMT R8, R14.reuse, R8, R11")
        .with(72, 3, mode)
        .r(14, 0x83'82'81'80)
        .r(11, 0x07'06'05'04)
        .r(8, selector)
        .run()
        .r(8);
  };
  EXPECT_EQ(prmt(0x7610, 0), 0x0706'8180u);
  EXPECT_EQ(prmt(0x8c4f, 0), 0xff00'0400u) << "signs of the bytes 0, 4 and 7";
  EXPECT_EQ(prmt(1, 1), 0x0483'8281u) << "F4E";
  EXPECT_EQ(prmt(1, 2), 0x0607'8081u) << "B4E";
  EXPECT_EQ(prmt(2, 3), 0x8282'8282u) << "RC8";
  EXPECT_EQ(prmt(2, 4), 0x8382'8282u) << "ECL";
  EXPECT_EQ(prmt(2, 5), 0x8282'8180u) << "ECR";
  EXPECT_EQ(prmt(1, 6), 0x8382'8382u) << "RC16";
}

TEST(MachineCodeBits, ExtensionsAndMasks) {
  EXPECT_EQ(OneInstruction("SGXT.U32 R21, R14, 0x4").r(14, 0xab).run().r(21), 0xbu);
  EXPECT_EQ(OneInstruction("SGXT.U32 R21, R14, 0x4").with(73, 1, 1).r(14, 0xab).run().r(21), 0xffff'fffbu);
  EXPECT_EQ(OneInstruction("SGXT.U32 R21, R14, 0x4").with(32, 32, 32).r(14, 0xab).run().r(21), 0xabu);
  EXPECT_EQ(OneInstruction("SGXT.U32 R21, R14, 0x4").with(32, 32, 0).with(73, 1, 1).r(14, 0xab).run().r(21),
            0u);
}

TEST(MachineCodeBits, Counts) {
  EXPECT_EQ(OneInstruction("FLO.U32 R0, R0").r(0, 0x0001'0000).run().r(0), 16u);
  EXPECT_EQ(OneInstruction("FLO.U32 R0, R0").r(0, 0).run().r(0), 0xffff'ffffu);
  EXPECT_EQ(OneInstruction("FLO.U32.SH R19, R19").r(19, 0x0001'0000).run().r(19), 15u);
  EXPECT_EQ(OneInstruction("FLO.U32 R0, R0").with(73, 1, 1).r(0, 0xffff'fffb).run().r(0), 2u) << "signed";
  EXPECT_EQ(OneInstruction("POPC R31, R31").r(31, 0xf0f0'0001).run().r(31), 9u);
  EXPECT_EQ(OneInstruction("POPC R31, R31").with(63, 1, 1).r(31, 0xf0f0'0001).run().r(31), 23u) << "~";
  EXPECT_EQ(OneInstruction("BREV R19, R14").r(14, 0x0000'0013).run().r(19), 0xc800'0000u);
}

TEST(MachineCodeBits, PredicatesAsBits) {
  auto one = OneInstruction("P2R R18, PR, RZ, 0x1").with(32, 32, 0x7f).with(76, 2, 2).with(24, 8, 5);
  one.r(5, 0xffff'ffff).p(1, true).p(6, true).run();
  EXPECT_EQ(one.r(18), 0xffc2'ffffu) << "bit 7 of the byte stays";
  one = OneInstruction("R2P PR, R19, 0x6").r(19, 0x4);
  one.p(0, true).p(1, true).run();
  EXPECT_TRUE(one.p(0)) << "not in the mask";
  EXPECT_FALSE(one.p(1));
  EXPECT_TRUE(one.p(2));
}

TEST(MachineCodeBits, ConstantsAreReadByBankAndOffset) {
  OneInstruction one("LDC R16, c[0x3][R3+0x10]");
  one.banks.bytes[3].resize(64);
  one.banks.bytes[3][0x14] = std::byte{0x2a};
  one.banks.bytes[3][0x0c] = std::byte{7};
  EXPECT_EQ(one.r(3, 4).run().r(16), 42u);
  EXPECT_EQ(one.r(3, 0x1000).run().r(16), 0u) << "behind the end";
  EXPECT_EQ(one.r(3, 0xffff'fffc).run().r(16), 7u) << "the index is signed";
  OneInstruction byte("LDC.U8 R12, c[0x3][R5+0x1]");
  byte.banks.bytes[3].assign(8, std::byte{0x80});
  EXPECT_EQ(byte.run().r(12), 0x80u);
  byte.with(73, 3, 1);
  EXPECT_EQ(byte.run().r(12), 0xffff'ff80u) << ".S8";
}

}  // namespace
}  // namespace heddle::oracle::machine_code
