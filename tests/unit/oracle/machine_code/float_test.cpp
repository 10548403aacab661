// Single and double precision of machine code, with values.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "one_instruction.h"
#include "oracle/sass/mufu.h"

namespace heddle::oracle::machine_code {
namespace {

constexpr std::uint32_t kNan = 0x7fff'ffff, kInfinity = 0x7f80'0000, kOne = 0x3f80'0000,
                        kMinusZero = 0x8000'0000;
constexpr std::uint32_t kLeast = 0x0080'0000;  ///< least normal single

TEST(MachineCodeFloat, SumsRoundOnceInTheirMode) {
  const auto sum = [](unsigned mode, std::uint32_t a, std::uint32_t b) {
    return OneInstruction("FADD R15, R3.reuse, R12").with(78, 2, mode).r(3, a).r(12, b).run().r(15);
  };
  constexpr std::uint32_t kTiny = 0x3080'0000;  // 2^-30
  EXPECT_EQ(sum(0, kOne, kTiny), kOne);
  EXPECT_EQ(sum(1, kOne, kTiny), kOne);
  EXPECT_EQ(sum(2, kOne, kTiny), kOne + 1);
  EXPECT_EQ(sum(3, kOne, kTiny), kOne);
  EXPECT_EQ(sum(1, kOne, kTiny | kMinusZero), kOne - 1);
  EXPECT_EQ(sum(3, kOne, kTiny | kMinusZero), kOne - 1);
  EXPECT_EQ(sum(0, kInfinity, kInfinity | kMinusZero), kNan);
  EXPECT_EQ(sum(0, 0xffc0'0001, kOne), kNan) << "one NaN for all";
  EXPECT_EQ(sum(0, 1, 2), 3u) << "subnormals stay";
}

TEST(MachineCodeFloat, SignsAndFlushing) {
  EXPECT_EQ(OneInstruction("FADD.FTZ R25, -R22, -RZ").r(22, 0).run().r(25), kMinusZero);
  EXPECT_EQ(OneInstruction("FADD.FTZ R0, R0, R5").r(0, 0x8000'0001).r(5, kMinusZero).run().r(0), kMinusZero);
  EXPECT_EQ(OneInstruction("FADD.FTZ R0, R0, R5").r(0, kLeast + 1).r(5, kLeast | kMinusZero).run().r(0), 0u)
      << "a subnormal sum";
  EXPECT_EQ(OneInstruction("FADD.SAT R3, RZ, R3").r(3, bits(-2.0f)).run().r(3), 0u);
  EXPECT_EQ(OneInstruction("FADD.SAT R3, RZ, R3").r(3, kNan).run().r(3), 0u);
  EXPECT_EQ(OneInstruction("FADD.SAT R3, RZ, R3").r(3, kInfinity).run().r(3), kOne);
}

TEST(MachineCodeFloat, FlushingLooksAtTheResultWithAnUnlimitedExponent) {
  // Measured on a card: 0x00800000 * 0x3f7fffff is 0; rounded up to 24 bits it would be the least normal number.
  const auto product = [](std::uint32_t a, std::uint32_t b) {
    return OneInstruction("FMUL.FTZ R0, R22, 0.5").with(32, 32, b).r(22, a).run().r(0);
  };
  EXPECT_EQ(product(kLeast, 0x3f7f'ffff), 0u);
  EXPECT_EQ(product(kLeast | kMinusZero, 0x3f7f'ffff), kMinusZero);
  EXPECT_EQ(product(kLeast + 1, 0x3f7f'ffff), kLeast)
      << "2^-126 (1 + 2^-23)(1 - 2^-24) rounds to 2^-126 in 24 bits";
  EXPECT_EQ(product(kLeast, kOne), kLeast);
  // fma.rp.ftz of 0x33000001, 0x80800000, 0x00800000: the least normal number under RP, zero under RN.
  const auto fma = [](unsigned mode) {
    return OneInstruction("FFMA.RP R16, R23.reuse, R25.reuse, R20.reuse")
        .with(78, 2, mode)
        .with(80, 1, 1)
        .r(23, 0x3300'0001)
        .r(25, 0x8080'0000)
        .r(20, kLeast)
        .run()
        .r(16);
  };
  EXPECT_EQ(fma(2), kLeast);
  EXPECT_EQ(fma(0), 0u);
}

TEST(MachineCodeFloat, ProductsAreFusedAndScaled) {
  // (1 + 2^-23)^2 - (1 + 2^-22) = 2^-46
  const auto square = OneInstruction("FFMA.RM R23, R23, R25, R20")
                          .with(78, 2, 0)
                          .r(23, kOne + 1)
                          .r(25, kOne + 1)
                          .r(20, 0xbf80'0002);
  EXPECT_EQ(OneInstruction(square).run().r(23), bits(0x1p-46f));
  EXPECT_EQ(
      OneInstruction("FMUL.FTZ R0, R22, 0.5").with(84, 3, 7).with(80, 1, 0).r(22, bits(3.0f)).run().r(0),
      bits(12.0f))
      << "times 8";
  EXPECT_EQ(
      OneInstruction("FMUL.FTZ R0, R22, 0.5").with(84, 3, 1).with(80, 1, 0).r(22, bits(32.0f)).run().r(0),
      bits(2.0f))
      << "over 8";
}

TEST(MachineCodeFloat, LeastAndMost) {
  const auto least = [](std::uint32_t a, std::uint32_t b, bool most = false, bool nan = false) {
    return OneInstruction("FMNMX R2, R0.reuse, R11.reuse, PT")
        .with(90, 1, most ? 1 : 0)
        .with(81, 1, nan ? 1 : 0)
        .r(0, a)
        .r(11, b)
        .run()
        .r(2);
  };
  EXPECT_EQ(least(kMinusZero, 0), kMinusZero);
  EXPECT_EQ(least(0, kMinusZero), kMinusZero);
  EXPECT_EQ(least(kMinusZero, 0, true), 0u);
  EXPECT_EQ(least(0xffc0'1234, kOne), kOne);
  EXPECT_EQ(least(kOne, 0xffc0'1234, true), kOne);
  EXPECT_EQ(least(0xffc0'1234, 0xffc0'1234), kNan);
  EXPECT_EQ(least(kOne, 0xffc0'1234, false, true), kNan) << ".NAN";
  EXPECT_EQ(least(bits(-3.0f), bits(2.0f)), bits(-3.0f));
}

TEST(MachineCodeFloat, ChoicesMoveBits) {
  EXPECT_EQ(OneInstruction("FSEL R34, R33, R24, !P2").p(2, false).r(33, 0xffa0'0001).run().r(34),
            0xffa0'0001u);
  EXPECT_EQ(OneInstruction("FSEL R34, R33, R24, !P2").p(2, true).r(24, 5).run().r(34), 5u);
}

TEST(MachineCodeFloat, ComparisonsByCode) {
  // less, equal, greater, unordered: the bits of a code
  const std::pair<std::uint32_t, std::uint32_t> kOrders[] = {
      {kOne, bits(2.0f)}, {kMinusZero, 0}, {bits(2.0f), kOne}, {0xffc0'0000, kOne}};
  for (unsigned code = 0; code < 16; ++code)
    for (unsigned order = 0; order < 4; ++order) {
      auto one = OneInstruction("FSETP.GEU.AND P2, PT, R2, R20, PT").with(76, 4, code).with(84, 3, 3);
      one.r(2, kOrders[order].first).r(20, kOrders[order].second).run();
      EXPECT_EQ(one.p(2), (code >> order & 1) != 0) << code << ' ' << order;
      EXPECT_EQ(one.p(3), (code >> order & 1) == 0) << code << ' ' << order;
    }
  EXPECT_FALSE(OneInstruction("FSETP.GEU.FTZ.AND P0, PT, R2, RZ, PT").with(76, 4, 4).r(2, 1).run().p(0))
      << "a flushed operand is no greater than zero";
}

TEST(MachineCodeFloat, Functions) {
  const auto of = [](Mufu function, float x) { return mufu(function, bits(x)); };
  EXPECT_EQ(of(Mufu::kRcp, 4.0f), bits(0.25f));
  EXPECT_EQ(of(Mufu::kRcp, 3.0f), bits(1.0f / 3.0f));
  EXPECT_EQ(of(Mufu::kRcp, -0.0f), 0xff80'0000u);
  EXPECT_EQ(mufu(Mufu::kRcp, 1), kInfinity) << "subnormal operands are zeros";
  EXPECT_EQ(of(Mufu::kRcp, 0x1p127f), 0u) << "and so are subnormal results";
  EXPECT_EQ(of(Mufu::kRsq, 16.0f), bits(0.25f));
  EXPECT_EQ(of(Mufu::kRsq, -1.0f), kNan);
  EXPECT_EQ(of(Mufu::kSqrt, 2.0f), bits(std::sqrt(2.0f)));
  EXPECT_EQ(of(Mufu::kEx2, -3.0f), bits(0.125f));
  EXPECT_EQ(of(Mufu::kEx2, 128.0f), kInfinity);
  EXPECT_EQ(of(Mufu::kLg2, 0.5f), 0xbf7f'fffeu) << "as an H100 has it";
  EXPECT_EQ(mufu(Mufu::kEx2, 0x3f92'3456), 0x400d'42e3u) << "as an H100 has it";
  EXPECT_EQ(of(Mufu::kLg2, 0.0f), 0xff80'0000u);
  EXPECT_EQ(of(Mufu::kSin, 0.25f), kOne) << "revolutions";
  EXPECT_EQ(of(Mufu::kSin, 0.5f), kMinusZero) << "the second half is negative";
  EXPECT_EQ(of(Mufu::kSin, -0.0f), kMinusZero);
  EXPECT_EQ(of(Mufu::kCos, 0.5f), bits(-1.0f));
  EXPECT_EQ(of(Mufu::kCos, 100.25f), kMinusZero);
  EXPECT_EQ(of(Mufu::kCos, std::numeric_limits<float>::infinity()), kNan);
  EXPECT_EQ(of(Mufu::kTanh, 0.0f), 0u);
  EXPECT_EQ(of(Mufu::kTanh, 100.0f), kOne);
  EXPECT_EQ(mufu(Mufu::kRcp64High, 0x4008'0000), 0x3fd5'5555u) << "1 / 3.0, cut off";
  EXPECT_EQ(mufu(Mufu::kRsq64High, 0x4010'0000), 0x3fe0'0000u);
  EXPECT_EQ(OneInstruction("MUFU.RCP R6, R6").with(63, 1, 1).r(6, bits(2.0f)).run().r(6), bits(-0.5f));
}

TEST(MachineCodeFloat, SpecialFunctionsOf16Bits) {
  const auto of = [](Arch arch, std::uint64_t high, std::uint32_t value) {
    return OneInstruction(sass::Word{0x0000'0000'0002'7308, high}, arch).r(0, value).run().r(2);
  };
  constexpr std::uint64_t kEx2First = 0x004f'f000'0000'0900, kEx2Second = 0x004f'f000'0000'0a00;
  EXPECT_EQ(of(Arch::kSm75, kEx2Second, 0xbc00), 0x3800u) << "halves have the second code on sm_75";
  EXPECT_EQ(of(Arch::kSm90, kEx2First, 0xbc00), 0x3800u) << "and the first on sm_90";
  EXPECT_EQ(of(Arch::kSm90, kEx2Second, 0xbf80), 0x3f00u) << "where the second is bf16";
}

TEST(MachineCodeFloat, DivisionsThatNeedCare) {
  const auto care = [](float a, float b) { return division_needs_care(bits(a), bits(b)); };
  EXPECT_FALSE(care(1.0f, 3.0f));
  EXPECT_TRUE(care(1.0f, 0.0f));
  EXPECT_TRUE(care(0x1p-126f, 1.0f));
  EXPECT_TRUE(care(0x1p120f, 0x1p-20f)) << "the quotient overflows";
  EXPECT_TRUE(care(1.0f, 0x1p127f));
}

TEST(MachineCodeDouble, SumsProductsAndFusedOnes) {
  EXPECT_EQ(OneInstruction("DADD R4, R4, R6").pair(4, bits(1.5)).pair(6, bits(0x1p-60)).run().pair(4),
            bits(1.5));
  EXPECT_EQ(OneInstruction("DADD R4, R4, R6")
                .with(78, 2, 2)
                .pair(4, bits(1.5))
                .pair(6, bits(0x1p-60))
                .run()
                .pair(4),
            bits(1.5) + 1);
  EXPECT_EQ(OneInstruction("DADD R12, R10, -6.75539944105574400000e+15")
                .pair(10, bits(6755399441055744.0))
                .run()
                .pair(12),
            bits(0.0));
  EXPECT_EQ(OneInstruction("DMUL.RP R12, R12, R18")
                .pair(12, bits(1.0 + 0x1p-52))
                .pair(18, bits(1.0 + 0x1p-52))
                .run()
                .pair(12),
            bits(1.0 + 0x1p-51) + 1);
  EXPECT_EQ(
      OneInstruction("DFMA R12, R6.reuse, R8, -1.5").pair(6, bits(3.0)).pair(8, bits(0.5)).run().pair(12),
      bits(0.0));
  EXPECT_EQ(
      OneInstruction("@!P2 DFMA R10, R10, 2, -R20").pair(10, bits(3.0)).pair(20, bits(1.0)).run().pair(10),
      bits(5.0));
}

TEST(MachineCodeDouble, TheLastNanOperandIsTheResult) {
  const auto sum = [](std::uint64_t a, std::uint64_t b) {
    return OneInstruction("DADD R4, R4, R6").pair(4, a).pair(6, b).run().pair(4);
  };
  // Measured on a card.
  EXPECT_EQ(sum(0x7ff8'0000'0000'0000, 0x7ff0'0000'0000'0001), 0x7ff8'0000'0000'0001u);
  EXPECT_EQ(sum(0xfff0'0000'0000'0005, bits(1.0)), 0xfff8'0000'0000'0005u);
  EXPECT_EQ(
      sum(bits(std::numeric_limits<double>::infinity()), bits(-std::numeric_limits<double>::infinity())),
      0xfff8'0000'0000'0000u);
}

TEST(MachineCodeDouble, ComparisonsAndChoices) {
  EXPECT_TRUE(OneInstruction("DSETP.GEU.AND P0, PT, R8, R6, PT").pair(8, ~0ull).run().p(0));
  EXPECT_FALSE(OneInstruction("DSETP.GT.AND P0, PT, R12, RZ, PT").pair(12, bits(-0.0)).run().p(0));
  const auto least = [](double a, double b) {
    auto one = OneInstruction("DSETP.GEU.AND P0, PT, R8, R6, PT").with(76, 4, 0).with(84, 3, 3);
    one.pair(8, bits(a)).pair(6, bits(b)).run();
    return std::pair{one.p(0), one.p(3)};
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  using Both = std::pair<bool, bool>;
  EXPECT_EQ(least(1, 2), (Both{true, false}));
  EXPECT_EQ(least(2, 1), (Both{false, false}));
  EXPECT_EQ(least(-0.0, 0.0), (Both{true, false}));
  EXPECT_EQ(least(0.0, -0.0), (Both{false, false}));
  EXPECT_EQ(least(1, nan), (Both{true, false})) << "the number, not the NaN";
  EXPECT_EQ(least(nan, 1), (Both{false, false}));
  EXPECT_EQ(least(nan, nan), (Both{false, true}));
}

}  // namespace
}  // namespace heddle::oracle::machine_code
