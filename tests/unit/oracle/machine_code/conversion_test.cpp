// Conversions and packed halves of machine code, with values.
#include <gtest/gtest.h>

#include <limits>

#include "one_instruction.h"

namespace heddle::oracle::machine_code {
namespace {

constexpr float kBig = 3e10f;

TEST(MachineCodeConversion, NumbersToIntegersRoundAndSaturate) {
  const auto to = [](const std::string& text, unsigned mode, float x) {
    return OneInstruction(text).with(78, 2, mode).r(2, bits(x)).run().r(2);
  };
  const std::string trunc = "F2I.TRUNC.NTZ R2, R2";
  EXPECT_EQ(to(trunc, 0, 2.5f), 2u) << "nearest, to even";
  EXPECT_EQ(to(trunc, 1, -2.5f), 0xffff'fffdu) << "floor";
  EXPECT_EQ(to(trunc, 2, -2.5f), 0xffff'fffeu) << "ceil";
  EXPECT_EQ(to(trunc, 3, -2.5f), 0xffff'fffeu) << "trunc";
  EXPECT_EQ(to(trunc, 3, kBig), 0x7fff'ffffu);
  EXPECT_EQ(to(trunc, 3, -kBig), 0x8000'0000u);
  EXPECT_EQ(to(trunc, 3, std::numeric_limits<float>::quiet_NaN()), 0u);
  const auto unsigned_of = [](float x) {
    return OneInstruction("F2I.FTZ.U32.TRUNC.NTZ R5, R5").r(5, bits(x)).run().r(5);
  };
  EXPECT_EQ(unsigned_of(-1.0f), 0u);
  EXPECT_EQ(unsigned_of(4294967040.0f), 4294967040u);
  EXPECT_EQ(unsigned_of(kBig), 0xffff'ffffu);
  EXPECT_EQ(OneInstruction("F2I.U64.TRUNC R10, R10").r(10, bits(0x1p40f)).run().pair(10), 1ull << 40);
  EXPECT_EQ(OneInstruction("F2I.S64.TRUNC R12, R12").r(12, 0x7fff'ffff).run().pair(12), 1ull << 63) << "NaN";
  EXPECT_EQ(OneInstruction("F2I.F64.TRUNC R12, R8").pair(8, bits(-7.9)).run().r(12), 0xffff'fff9u);
  EXPECT_EQ(OneInstruction("F2I.F64.TRUNC R12, R8").pair(8, ~0ull).run().r(12), 0x8000'0000u)
      << "NaN of 64 bits";
}

TEST(MachineCodeConversion, IntegersToNumbersRoundOnce) {
  EXPECT_EQ(OneInstruction("I2FP.F32.U32 R12, R5").r(5, 0xffff'ff80).run().r(12), bits(0x1p32f)) << "to even";
  EXPECT_EQ(OneInstruction("I2FP.F32.S32 R9, R9").r(9, 0xffff'ffff).run().r(9), bits(-1.0f));
  EXPECT_EQ(OneInstruction("I2F.U32.RP R3, R0").r(0, 0x0100'0001).run().r(3), bits(16777218.0f)) << "up";
  EXPECT_EQ(OneInstruction("I2F.F64 R16, R16").r(16, 0x8000'0000).run().pair(16), bits(-2147483648.0));
  EXPECT_EQ(OneInstruction("I2F.F64.S64 R4, R6").pair(6, 0x8000'0000'0000'0001).run().pair(4), bits(-0x1p63));
  EXPECT_EQ(OneInstruction("I2F.U64.RP R9, R6").pair(6, 0x8000'0000'0000'0001).run().r(9), bits(0x1p63f) + 1);
}

TEST(MachineCodeConversion, BetweenNumbers) {
  EXPECT_EQ(OneInstruction("F2F.F32.F64 R18, R14").pair(14, bits(1.0 + 0x1p-24)).run().r(18), bits(1.0f));
  EXPECT_EQ(OneInstruction("F2F.F32.F64 R18, R14").pair(14, 0xfff8'0000'2000'0000).run().r(18), 0xffc0'0001u)
      << "NaN";
  EXPECT_EQ(OneInstruction("F2F.F64.F32 R22, R22").r(22, bits(0.1f)).run().pair(22), bits(double{0.1f}));
  EXPECT_EQ(OneInstruction("F2F.F64.F32 R22, R22").r(22, 0xffa0'0000).run().pair(22), 0xfffc'0000'0000'0000u)
      << "NaN";
  EXPECT_EQ(OneInstruction("F2FP.F16.F32.PACK_AB R10, RZ, R10")
                .with(24, 8, 11)
                .r(10, bits(1.0f))
                .r(11, bits(65520.0f))
                .run()
                .r(10),
            0x7c00'3c00u)
      << "A above B";
  const auto whole = [](const std::string& text, unsigned source, unsigned result, float x) {
    OneInstruction one(text);
    return one.r(source, bits(x)).run().r(result);
  };
  EXPECT_EQ(whole("FRND R7, R11", 11, 7, 2.5f), bits(2.0f));
  EXPECT_EQ(whole("FRND.CEIL R6, R11", 11, 6, -0.5f), bits(-0.0f));
  EXPECT_EQ(whole("FRND.FLOOR R19, R0", 0, 19, -0.5f), bits(-1.0f));
  EXPECT_EQ(whole("FRND.TRUNC R5, R0", 0, 5, 1e20f), bits(1e20f));
}

TEST(MachineCodeHalf, EachHalfByItself) {
  // 1.5 and 2 + 0.25 and -1
  EXPECT_EQ(OneInstruction("HADD2 R15, R17, -R16").r(17, 0x4000'3e00).r(16, 0xbc00'3400).run().r(15),
            0x4200'3d00u);
  EXPECT_EQ(OneInstruction("HMUL2 R13, R6.reuse, R9").r(6, 0x4000'3e00).r(9, 0x7bff'4000).run().r(13),
            0x7c00'4200u)
      << "2 * 65504 overflows";
  EXPECT_EQ(OneInstruction("HFMA2 R25, R26, R26, R25").r(26, 0x3c01'3c00).r(25, 0xbc02'0001).run().r(25),
            0x0010'3c00u)
      << "(1 + 2^-10)^2 - (1 + 2^-9) = 2^-20, with one rounding";
  EXPECT_EQ(OneInstruction("HADD2 R15, R17, -R16").r(17, 0x7e00'7c00).r(16, 0x0000'7c00).run().r(15),
            0x7fff'7fffu)
      << "NaN";
}

TEST(MachineCodeHalf, SourcesTakeOneHalfTwice) {
  EXPECT_EQ(OneInstruction("HADD2 R0, R6.reuse.H0_H0, R9.reuse.H1_H1")
                .r(6, 0x7bff'3c00)
                .r(9, 0x4000'0000)
                .run()
                .r(0),
            0x4200'4200u);
  EXPECT_EQ(OneInstruction("HADD2.F32 R25, -RZ, R25.H1_H1").r(25, 0x3555'0000).run().r(25),
            bits(0.333251953125f));
  EXPECT_EQ(OneInstruction("HADD2.F32 R10, -RZ, R6.H0_H0").r(6, 0x0000'8000).run().r(10), bits(-0.0f));
}

TEST(MachineCodeHalf, APairOfConstantsMovesThroughAFusedProduct) {
  for (const std::uint32_t constant :
       {0x0000'0000u, 0x8000'0000u, 0x3f80'0000u, 0x0000'0001u, 0x8001'83ffu, 0x7bff'fbffu})
    EXPECT_EQ(OneInstruction("HFMA2.MMA R17, -RZ, RZ, 0, 0").with(32, 32, constant).run().r(17), constant);
  EXPECT_EQ(OneInstruction("HFMA2.MMA R11, R6, 1, 1, R9").r(6, 0x3c00'3c00).r(9, 0x3c00'4000).run().r(11),
            0x4000'4200u);
}

TEST(MachineCodeHalf, Comparisons) {
  EXPECT_EQ(OneInstruction("HSET2.BF.GT.AND R9, R6, R9, PT").r(6, 0x4000'3c00).r(9, 0x3c00'3c00).run().r(9),
            0x3c00'0000u);
  EXPECT_EQ(OneInstruction("HSET2.BF.GT.AND R9, R6, R9, PT")
                .with(71, 1, 0)
                .r(6, 0x4000'3c00)
                .r(9, 0x3c00'3c00)
                .run()
                .r(9),
            0xffff'0000u);
}

TEST(MachineCodeOp, WhatNoSourceDescribesIsRefusedByName) {
  const auto problem = [](const std::string& text, std::initializer_list<unsigned> bits) {
    sass::Word word = word_with(Arch::kSm90, text);
    for (const unsigned at : bits) word.set(at, 1, 1);
    try {
      (void)op_of(word, Arch::kSm90);
    } catch (const std::exception& why) {
      return std::string(why.what());
    }
    return std::string();
  };
  EXPECT_EQ(problem("HADD2 R15, R17, -R16", {77, 85}), "FTZ, SAT or F32 of .BF16_V2");
  EXPECT_EQ(problem("FMUL.FTZ R0, R22, 0.5", {76}), ".DNZ");
  EXPECT_EQ(problem("MUFU.RCP R6, R6", {72}), "16 bits");
}

}  // namespace
}  // namespace heddle::oracle::machine_code
