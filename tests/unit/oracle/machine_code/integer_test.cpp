// Integer operations of machine code with values worked out by hand from the description of the instructions.
#include <gtest/gtest.h>

#include "one_instruction.h"

namespace heddle::oracle::machine_code {
namespace {

TEST(MachineCodeInteger, AdditionOfThreeCountsItsCarries) {
  // IADD3 R5, R5, -R8, RZ with both carries in P0 and P1
  const auto difference = [](std::uint32_t a, std::uint32_t b) {
    return OneInstruction("@!P2 IADD3 R5, R5, -R8.reuse, RZ")
        .with(81, 3, 0)
        .with(84, 3, 1)
        .r(5, a)
        .r(8, b)
        .run();
  };
  EXPECT_EQ(difference(7, 5).r(5), 2u);
  EXPECT_TRUE(difference(7, 5).p(0)) << "no borrow is a carry";
  EXPECT_TRUE(difference(7, 7).p(0));
  EXPECT_TRUE(difference(7, 0).p(0)) << "the carry of -0 = ~0 + 1 counts";
  EXPECT_FALSE(difference(5, 7).p(0));
  EXPECT_EQ(difference(5, 7).r(5), 0xffff'fffeu);
  // R10 = R11 - 1 + carry: ~0 has no + 1 with .X
  auto sum = OneInstruction("IADD3.X R11, R4, R3, RZ, PT, !PT").with(81, 3, 2).with(84, 3, 3);
  sum.r(4, 0xffff'ffff).r(3, 0xffff'ffff).run();
  EXPECT_EQ(sum.r(11), 0xffff'ffffu);
  EXPECT_TRUE(sum.p(2));
  EXPECT_FALSE(sum.p(3)) << "two carries need 2^33";
}

TEST(MachineCodeInteger, ExtendedAdditionAddsBothCarries) {
  auto sum = OneInstruction("IADD3.X R13, R10, R13, R5, P1, P2").with(81, 3, 0).with(84, 3, 3);
  sum.r(10, 0xffff'ffff).r(13, 0xffff'ffff).r(5, 0xffff'ffff).p(1, true).p(2, true).run();
  EXPECT_EQ(sum.r(13), 0xffff'ffffu);
  EXPECT_TRUE(sum.p(0));
  EXPECT_TRUE(sum.p(3));
}

TEST(MachineCodeInteger, ProductsAndAddends) {
  EXPECT_EQ(
      OneInstruction("IMAD R13, R3, R2.reuse, R7.reuse").r(3, 0x10001).r(2, 0x10001).r(7, 5).run().r(13),
      0x20006u);
  EXPECT_EQ(OneInstruction("IMAD.MOV R7, RZ, RZ, -R5").r(5, 3).run().r(7), 0xffff'fffdu);
  EXPECT_EQ(
      OneInstruction("IMAD.WIDE R2, R7, 0x4, R4").r(7, 0xffff'ffff).pair(4, 0x1'0000'0002).run().pair(2),
      0xffff'fffeull);
  EXPECT_EQ(OneInstruction("IMAD.WIDE.U32 R2, R0, 0x8, R2").r(0, 0xffff'ffff).pair(2, 1).run().pair(2),
            0x7'ffff'fff9ull);
  // The addend of .HI is a pair, of which the lower word carries into the result.
  EXPECT_EQ(
      OneInstruction("IMAD.HI.U32 R7, R5, R7, R4").r(5, 0x10).r(7, 0x1800'0001).r(4, 0xffff'fff0).run().r(7),
      0x10u + 1 + 1);
  EXPECT_EQ(OneInstruction("IMAD.HI R4, R4, 0x55555556, RZ").r(4, 0xffff'fffd).run().r(4), 0xffff'fffeu);
  EXPECT_EQ(OneInstruction("IMAD.X R11, R15, 0x1, R12, P4").r(15, 5).r(12, 7).p(4, true).run().r(11), 13u);
  auto wide = OneInstruction("IMAD.WIDE.U32.X R10, R3, R5, R10, P1").with(81, 3, 2);
  wide.r(3, 0xffff'ffff).r(5, 0xffff'ffff).pair(10, ~0ull).p(1, true).run();
  EXPECT_EQ(wide.pair(10), 0xffff'fffe'0000'0001ull);
  EXPECT_TRUE(wide.p(2));
}

TEST(MachineCodeInteger, Comparisons) {
  const auto compare = [](const std::string& text, std::uint32_t a, std::uint32_t b, bool pin = true) {
    auto one = OneInstruction(text).with(84, 3, 5).p(0, pin);
    if (text.find("R7") != std::string::npos) one.r(0, a).r(7, b);
    one.run();
    return std::pair{one.p(0), one.p(5)};
  };
  using Both = std::pair<bool, bool>;
  EXPECT_EQ(compare("ISETP.GT.AND P0, PT, R0, R7, PT", 1, 0xffff'ffff), (Both{true, false}));
  EXPECT_EQ(compare("ISETP.GT.AND P0, PT, R0, R7, PT", 3, 3), (Both{false, true}));
  // With XOR and an input that is negated.
  auto one = OneInstruction("ISETP.GT.XOR P0, PT, R8, R9, !P0").with(84, 3, 5);
  one.r(8, 9).r(9, 8).p(0, false).run();
  EXPECT_FALSE(one.p(0)) << "true xor true";
  EXPECT_TRUE(one.p(5));
}

TEST(MachineCodeInteger, UpperHalvesOfComparisonsTakeTheLowerResult) {
  // LT: hi < or (equal and low)
  const auto lt = [](std::uint32_t a, std::uint32_t b, bool low) {
    return OneInstruction("ISETP.LT.AND.EX P0, PT, R3, R5, PT, P0").r(3, a).r(5, b).p(0, low).run().p(0);
  };
  EXPECT_TRUE(lt(0xffff'ffff, 0, false));
  EXPECT_TRUE(lt(4, 4, true));
  EXPECT_FALSE(lt(4, 4, false));
  EXPECT_FALSE(lt(5, 4, true));
  const auto ne = [](std::uint32_t a, bool low) {
    return OneInstruction("ISETP.NE.AND.EX P0, PT, R5, RZ, PT, P0").r(5, a).p(0, low).run().p(0);
  };
  EXPECT_TRUE(ne(1, false));
  EXPECT_TRUE(ne(0, true));
  EXPECT_FALSE(ne(0, false));
  const auto ge = [](std::uint32_t a, std::uint32_t b, bool low) {
    return OneInstruction("ISETP.GE.U32.AND.EX P0, PT, R19, R7, PT, P0")
        .r(19, a)
        .r(7, b)
        .p(0, low)
        .run()
        .p(0);
  };
  EXPECT_TRUE(ge(0xffff'ffff, 0, false));
  EXPECT_TRUE(ge(2, 2, true));
  EXPECT_FALSE(ge(2, 2, false));
}

TEST(MachineCodeInteger, LeastAndMost) {
  const std::string text = "VIMNMX R3, R13.reuse, R6.reuse, PT";
  EXPECT_EQ(OneInstruction(text).r(13, 0xffff'ffff).r(6, 1).run().r(3), 0xffff'ffffu) << "signed least";
  EXPECT_EQ(OneInstruction(text).with(72, 1, 0).r(13, 0xffff'ffff).r(6, 1).run().r(3), 1u) << ".U32";
  EXPECT_EQ(OneInstruction(text).with(90, 1, 1).r(13, 0xffff'ffff).r(6, 1).run().r(3), 1u) << "!PT: most";
  EXPECT_EQ(OneInstruction(text).with(76, 1, 1).r(13, 0xffff'ffff).r(6, 1).run().r(3), 0u) << ".RELU";
  EXPECT_EQ(
      OneInstruction("IMNMX R3, R5.reuse, R2.reuse, !PT", Arch::kSm75).r(5, 0x8000'0000).r(2, 4).run().r(3),
      4u);
  // R15 - 4, at least R16
  EXPECT_EQ(
      OneInstruction("VIADDMNMX R15, R15, 0xfffffffc, R16, !PT").r(15, 2).r(16, 0xffff'fffd).run().r(15),
      0xffff'fffeu);
}

TEST(MachineCodeInteger, ScaledAddresses) {
  EXPECT_EQ(OneInstruction("LEA R0, R7, UR4, 0x2").r(7, 0x4000'0001).ur(4, 9).run().r(0), 13u);
  auto low =
      OneInstruction("@!P0 LEA R8, P1, R6, R8, 0x2").p(0, false).r(6, 0x4000'0001).r(8, 0xffff'fffc).run();
  EXPECT_EQ(low.r(8), 0u);
  EXPECT_TRUE(low.p(1));
  EXPECT_EQ(OneInstruction("@!P0 LEA.HI.X R9, R6, R9, R10, 0x2, P1")
                .p(0, false)
                .p(1, true)
                .r(6, 0x8000'0001)
                .r(10, 3)
                .r(9, 100)
                .run()
                .r(9),
            (3u * 4 + 2) + 100 + 1);
  EXPECT_EQ(OneInstruction("LEA.HI R3, R3, R0, RZ, 0x5").r(3, 0xffff'ffff).r(0, 1).run().r(3), 32u);
  EXPECT_EQ(OneInstruction("LEA.HI.X.SX32 R3, R3, RZ, 0x1, P0").r(3, 0x8000'0000).p(0, true).run().r(3), 0u);
  EXPECT_EQ(OneInstruction("LEA.HI.SX32 R0, R0, R5, 0x1f").r(0, 0xffff'fffe).r(5, 10).run().r(0), 9u);
}

TEST(MachineCodeInteger, DistancesAndDotProducts) {
  EXPECT_EQ(OneInstruction("IABS R7, R13").r(13, 0x8000'0000).run().r(7), 0x8000'0000u);
  EXPECT_EQ(OneInstruction("IABS R7, R13").r(13, 0xffff'fff0).run().r(7), 16u);
  EXPECT_EQ(OneInstruction("VABSDIFF R16, R14, R11.reuse, 0x3").r(14, 0xffff'ffff).r(11, 1).run().r(16), 5u);
  EXPECT_EQ(OneInstruction("VABSDIFF.U32 R13, R14.reuse, R11, 0x1").r(14, 0xffff'ffff).r(11, 1).run().r(13),
            0xffff'ffffu);
  const std::string bytes = "VABSDIFF4.U8 R15, R14, R11.reuse, RZ";
  EXPECT_EQ(OneInstruction(bytes).r(14, 0x0102'ff00).r(11, 0x0201'00ff).run().r(15), 0x0101'ffffu);
  EXPECT_EQ(OneInstruction(bytes).with(75, 1, 1).r(14, 0x0102'ff00).r(11, 0x0201'00ff).run().r(15), 512u)
      << ".ACC";
  EXPECT_EQ(OneInstruction("IDP.4A.S8.S8 R29, R16, R17, R29")
                .r(16, 0xff02'0380)
                .r(17, 0x0405'0680)
                .r(29, 7)
                .run()
                .r(29),
            7u - 4 + 10 + 18 + 16384);
  EXPECT_EQ(
      OneInstruction("IDP.4A.U8.U8 R18, R14, R11, R18").r(14, 0xff00'0000).r(11, 0xff00'0000).run().r(18),
      65025u);
  EXPECT_EQ(OneInstruction("@P0 VIADD R4, R4, -UR8").p(0, true).r(4, 3).ur(8, 5).run().r(4), 0xffff'fffeu);
}

TEST(MachineCodeInteger, AGuardThatDoesNotHoldLeavesEverything) {
  EXPECT_EQ(OneInstruction("@P0 VIADD R4, R4, -UR8").p(0, false).r(4, 3).ur(8, 5).run().r(4), 3u);
}

TEST(MachineCodeInteger, RzAndPtTakeNothing) {
  auto one = OneInstruction("LOP3.LUT P0, RZ, R0, 0x7fffffff, RZ, 0xc0, !PT").r(0, 1).run();
  EXPECT_EQ(one.r(255), 0u);
  EXPECT_TRUE(one.p(0));
  one = OneInstruction("ISETP.GT.AND P0, PT, R0, R7, PT").r(0, 1).r(7, 0);
  one.run();
  EXPECT_TRUE(one.p(7)) << "the complement is not written to PT";
}

}  // namespace
}  // namespace heddle::oracle::machine_code
