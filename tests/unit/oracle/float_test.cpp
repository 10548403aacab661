// Floating point, comparison, selection and conversion of the oracle against values from IEEE 754 and the PTX
// ISA.
#include <cmath>
#include <limits>

#include "unit/oracle/harness.h"

namespace heddle::oracle::test::float_test {
namespace {

constexpr std::uint32_t kNan32 = 0x7fff'ffff;
constexpr std::uint64_t kInfinity = 0x7f80'0000;
constexpr std::uint64_t kQuiet = 0x7fc0'0000;      // a quiet NaN
constexpr std::uint64_t kSubnormal = 0x0040'0000;  // 2^-127

std::uint32_t single(const std::string& text, std::array<std::uint64_t, 4> in) {
  return compute(text, in).single;
}
float value(const std::string& text, std::array<std::uint64_t, 4> in) {
  return std::bit_cast<float>(single(text, in));
}
std::uint32_t word(const std::string& text, std::array<std::uint64_t, 4> in) {
  return compute(text, in).word;
}

TEST(OracleFloat, ArithmeticRoundsOnce) {
  EXPECT_EQ(value("add.f32 %fo, %fa, %fb;", {bits(1.5f), bits(2.25f)}), 3.75f);
  EXPECT_EQ(value("sub.f32 %fo, %fa, %fb;", {bits(1.5f), bits(2.25f)}), -0.75f);
  EXPECT_EQ(value("mul.f32 %fo, %fa, 0f40000000;", {bits(1.5f)}), 3.0f);
  EXPECT_EQ(value("div.rn.f32 %fo, %fa, %fb;", {bits(1.0f), bits(3.0f)}), 1.0f / 3.0f);
  EXPECT_EQ(value("sqrt.rn.f32 %fo, %fa;", {bits(2.0f)}), std::sqrt(2.0f));
  EXPECT_EQ(value("rcp.rn.f32 %fo, %fa;", {bits(8.0f)}), 0.125f);
  // (1 + 2^-12)^2 - 1 has a bit that a rounded product would lose.
  const float a = 1.0f + 0x1p-12f;
  EXPECT_EQ(value("fma.rn.f32 %fo, %fa, %fa, %fb;", {bits(a), bits(-1.0f)}), 0x1p-11f + 0x1p-24f);
  EXPECT_EQ(value("mul.f32 %fo, %fa, %fa; add.f32 %fo, %fo, %fb;", {bits(a), bits(-1.0f)}), 0x1p-11f);
  EXPECT_EQ(compute("fma.rn.f64 %do, %da, %da, %db;", {bits(1.0 + 0x1p-30), bits(-1.0)}).twice,
            bits(0x1p-29 + 0x1p-60));
  EXPECT_EQ(compute("div.rn.f64 %do, %da, %db;", {bits(1.0), bits(3.0)}).twice, bits(1.0 / 3.0));
}

TEST(OracleFloat, DirectedRounding) {
  const std::uint64_t one = bits(1.0f);
  const std::uint64_t tiny = bits(0x1p-40f);
  EXPECT_EQ(value("add.rn.f32 %fo, %fa, %fb;", {one, tiny}), 1.0f);
  EXPECT_EQ(value("add.rz.f32 %fo, %fa, %fb;", {one, tiny}), 1.0f);
  EXPECT_EQ(value("add.rm.f32 %fo, %fa, %fb;", {one, tiny}), 1.0f);
  EXPECT_EQ(value("add.rp.f32 %fo, %fa, %fb;", {one, tiny}), 1.0f + 0x1p-23f);
  EXPECT_EQ(value("sub.rm.f32 %fo, %fa, %fb;", {one, tiny}), 1.0f - 0x1p-24f);
  EXPECT_EQ(value("sub.rz.f32 %fo, %fa, %fb;", {one, tiny}), 1.0f - 0x1p-24f);
  EXPECT_EQ(value("sub.rp.f32 %fo, %fa, %fb;", {one, tiny}), 1.0f);
  EXPECT_EQ(value("div.rp.f32 %fo, %fa, %fb;", {one, bits(3.0f)}), 1.0f / 3.0f);  // to nearest is already up
  EXPECT_EQ(value("div.rm.f32 %fo, %fa, %fb;", {one, bits(3.0f)}), std::nextafter(1.0f / 3.0f, 0.0f));
  EXPECT_LT(value("sqrt.rm.f32 %fo, %fa;", {bits(3.0f)}), value("sqrt.rp.f32 %fo, %fa;", {bits(3.0f)}));
  EXPECT_EQ(value("mul.rz.f32 %fo, %fa, %fb;", {bits(-(1.0f + 0x1p-23f)), bits(1.0f + 0x1p-23f)}),
            -(1.0f + 0x1p-22f));
  EXPECT_EQ(value("mul.rm.f32 %fo, %fa, %fb;", {bits(-(1.0f + 0x1p-23f)), bits(1.0f + 0x1p-23f)}),
            -(1.0f + 0x1p-22f + 0x1p-23f));
  EXPECT_EQ(value("fma.rp.f32 %fo, %fa, %fb, %fc;", {one, one, tiny}), 1.0f + 0x1p-23f);
  EXPECT_EQ(compute("add.rp.f64 %do, %da, %db;", {bits(1.0), bits(0x1p-80)}).twice, bits(1.0 + 0x1p-52));
}

TEST(OracleFloat, NansAreCanonical) {
  EXPECT_EQ(single("add.f32 %fo, %fa, %fb;", {kQuiet, bits(1.0f)}), kNan32);
  EXPECT_EQ(single("mul.f32 %fo, %fa, %fb;", {kInfinity, bits(0.0f)}), kNan32);
  EXPECT_EQ(single("sqrt.rn.f32 %fo, %fa;", {bits(-1.0f)}), kNan32);
  EXPECT_EQ(single("mov.f32 %fo, %fa;", {kQuiet}), kQuiet);
  EXPECT_EQ(
      compute("mul.f64 %do, %da, %db;", {bits(std::numeric_limits<double>::infinity()), bits(0.0)}).twice,
      0xfff8'0000'0000'0000u);
}

// Measured on an H200.
TEST(OracleFloat, NansOfDoublePrecisionKeepSignAndPayload) {
  constexpr std::uint64_t kSignalling = 0x7ff0'0000'0000'0001u;
  constexpr std::uint64_t kNegative = 0xfff8'0000'0000'0123u;
  EXPECT_EQ(compute("add.f64 %do, %da, %db;", {0, kSignalling}).twice, 0x7ff8'0000'0000'0001u);
  EXPECT_EQ(compute("sub.f64 %do, %da, %db;", {0, kNegative}).twice, kNegative);
  EXPECT_EQ(compute("neg.f64 %do, %da;", {kNegative}).twice, kNegative);
  EXPECT_EQ(compute("mul.f64 %do, %da, %db;", {kNegative, kSignalling}).twice, 0x7ff8'0000'0000'0001u);
  EXPECT_EQ(compute("div.rn.f64 %do, %da, %db;", {kNegative, kSignalling}).twice, kNegative);
  EXPECT_EQ(compute("fma.rn.f64 %do, %da, %db, %dc;", {0x7ff8'0000'0000'0000, bits(0.5), kNegative}).twice,
            kNegative);
  EXPECT_EQ(compute("fma.rn.f64 %do, %da, %db, %dc;", {kNegative, kSignalling, 0x7ff8'0000'0000'0000}).twice,
            0x7ff8'0000'0000'0001u);
  EXPECT_EQ(compute("max.f64 %do, %da, %db;", {kNegative, kSignalling}).twice, 0x7ff8'0000'0000'0001u);
  EXPECT_EQ(compute("cvt.f64.f64 %do, %da;", {kSignalling}).twice, kSignalling);
  EXPECT_EQ(compute("cvt.f64.f32 %do, %fa;", {0xffc1'2345}).twice, 0xfff8'2468'a000'0000u);
  EXPECT_EQ(compute("cvt.ftz.f64.f32 %do, %fa;", {0xffc1'2345}).twice, 0x7fff'ffff'e000'0000u);
  EXPECT_EQ(single("cvt.rn.f32.f64 %fo, %da;", {kNegative}), 0xffc0'0000u);
  EXPECT_EQ(single("cvt.f32.f32 %fo, %fa;", {0x7f80'0001}), 0x7f80'0001u);
  EXPECT_EQ(single("abs.f32 %fo, %fa;", {kQuiet}), kNan32);
}

// Measured on an H200.
TEST(OracleFloat, FlushesByTheValueRoundedWithAnUnboundedExponent) {
  EXPECT_EQ(single("mul.ftz.f32 %fo, %fa, %fb;", {0x0080'0000, 0x3f7f'ffff}), 0u);
  EXPECT_EQ(single("fma.rn.ftz.f32 %fo, %fa, %fb, %fc;", {0x3300'0001, 0x8080'0000, 0x0080'0000}), 0u);
  EXPECT_EQ(single("div.rm.ftz.f32 %fo, %fa, %fb;", {0x8080'0000, 0x3f80'0001}), 0x8000'0000u);
  EXPECT_EQ(single("fma.rp.ftz.f32 %fo, %fa, %fb, %fc;", {0x3300'0001, 0x8080'0000, 0x0080'0000}),
            0x0080'0000u);
  EXPECT_EQ(single("fma.rp.ftz.sat.f32 %fo, %fa, %fb, %fc;", {0x3300'0001, 0x8080'0000, 0x0080'0000}),
            0x0080'0000u);
  EXPECT_EQ(compute("fma.rn.ftz.f16x2 %ro, %ra, %rb, %rc;", {0x0400'83ff, 0x0801'3c00, 0x8400'8401}).word,
            0x8400'8401u);
  EXPECT_EQ(compute("fma.rn.ftz.f16x2 %ro, %ra, %rb, %rc;", {0x8400'3555, 0x8400'3555, 0x8400'3555}).word,
            0x8400'371cu);
  EXPECT_EQ(compute("fma.rn.ftz.f16x2 %ro, %ra, %rb, %rc;", {0x3e00'0400, 0xbe00'0402, 0x7c01'8400}).word,
            0x7fff'8400u);
  EXPECT_EQ(compute("cvt.rp.ftz.f16.f32 %h0, %fa; cvt.u32.u16 %ro, %h0;", {1}).word, 1u);
}

TEST(OracleFloat, FlushAndSaturate) {
  EXPECT_EQ(single("add.f32 %fo, %fa, %fb;", {kSubnormal, bits(0.0f)}), kSubnormal);
  EXPECT_EQ(single("add.ftz.f32 %fo, %fa, %fb;", {kSubnormal, bits(0.0f)}), 0u);
  EXPECT_EQ(single("mul.ftz.f32 %fo, %fa, %fb;", {bits(-0x1p-100f), bits(0x1p-40f)}), 0x8000'0000u);
  EXPECT_EQ(value("mul.sat.f32 %fo, %fa, %fb;", {bits(3.0f), bits(2.0f)}), 1.0f);
  EXPECT_EQ(single("mul.sat.f32 %fo, %fa, %fb;", {bits(-3.0f), bits(2.0f)}), 0u);
  EXPECT_EQ(single("add.sat.f32 %fo, %fa, %fb;", {kQuiet, bits(2.0f)}), 0u);
  EXPECT_EQ(value("fma.rn.sat.f32 %fo, %fa, %fb, %fc;", {bits(0.5f), bits(0.5f), bits(0.25f)}), 0.5f);
}

TEST(OracleFloat, MinimumAndMaximum) {
  EXPECT_EQ(value("min.f32 %fo, %fa, %fb;", {bits(1.0f), bits(-2.0f)}), -2.0f);
  EXPECT_EQ(value("max.f32 %fo, %fa, %fb;", {kQuiet, bits(-2.0f)}), -2.0f);
  EXPECT_EQ(value("min.f32 %fo, %fa, %fb;", {bits(-2.0f), kQuiet}), -2.0f);
  EXPECT_EQ(single("min.f32 %fo, %fa, %fb;", {kQuiet, kQuiet}), kNan32);
  EXPECT_EQ(single("max.NaN.f32 %fo, %fa, %fb;", {kQuiet, bits(1.0f)}), kNan32);
  EXPECT_EQ(single("min.f32 %fo, %fa, %fb;", {bits(0.0f), bits(-0.0f)}), 0x8000'0000u);
  EXPECT_EQ(single("max.f32 %fo, %fa, %fb;", {bits(-0.0f), bits(0.0f)}), 0u);
}

TEST(OracleFloat, SignOperations) {
  EXPECT_EQ(value("abs.f32 %fo, %fa;", {bits(-2.0f)}), 2.0f);
  EXPECT_EQ(value("neg.f32 %fo, %fa;", {bits(-2.0f)}), 2.0f);
  EXPECT_EQ(value("copysign.f32 %fo, %fa, %fb;", {bits(-2.0f), bits(5.0f)}), -5.0f);
  EXPECT_EQ(compute("neg.f64 %do, %da;", {bits(2.0)}).twice, bits(-2.0));
}

TEST(OracleFloat, ApproximateFunctions) {
  EXPECT_EQ(value("sin.approx.f32 %fo, %fa;", {bits(1.0f)}), static_cast<float>(std::sin(1.0)));
  EXPECT_EQ(value("cos.approx.ftz.f32 %fo, %fa;", {bits(1.0f)}), static_cast<float>(std::cos(1.0)));
  EXPECT_EQ(value("lg2.approx.f32 %fo, %fa;", {bits(8.0f)}), 3.0f);
  EXPECT_EQ(value("ex2.approx.f32 %fo, %fa;", {bits(-2.0f)}), 0.25f);
  EXPECT_EQ(value("rsqrt.approx.f32 %fo, %fa;", {bits(16.0f)}), 0.25f);
  EXPECT_EQ(value("rcp.approx.ftz.f32 %fo, %fa;", {bits(3.0f)}), 1.0f / 3.0f);
  EXPECT_EQ(value("sqrt.approx.f32 %fo, %fa;", {bits(9.0f)}), 3.0f);
  EXPECT_EQ(value("tanh.approx.f32 %fo, %fa;", {bits(1.0f)}), static_cast<float>(std::tanh(1.0)));
  EXPECT_EQ(value("div.approx.f32 %fo, %fa, %fb;", {bits(1.0f), bits(4.0f)}), 0.25f);
  EXPECT_EQ(value("div.full.f32 %fo, %fa, %fb;", {bits(1.0f), bits(3.0f)}), 1.0f / 3.0f);
  EXPECT_EQ(compute("rsqrt.approx.f64 %do, %da;", {bits(4.0)}).twice, bits(0.5));
  EXPECT_EQ(compute("rcp.approx.ftz.f64 %do, %da;", {bits(4.0) + 77}).twice, bits(0.25));
  EXPECT_EQ(compute("rcp.approx.ftz.f64 %do, %da;", {bits(3.0)}).twice,
            bits(1.0 / 3.0) & 0xffff'ffff'0000'0000u);
  EXPECT_EQ(compute("rsqrt.approx.ftz.f64 %do, %da;", {1}).twice,
            bits(std::numeric_limits<double>::infinity()));
  EXPECT_EQ(single("lg2.approx.f32 %fo, %fa;", {bits(-1.0f)}), kNan32);
  EXPECT_EQ(single("rcp.approx.ftz.f32 %fo, %fa;", {kSubnormal}), kInfinity);
}

TEST(OracleFloat, TestProperty) {
  const auto p = [](const std::string& text, std::uint64_t a) { return compute(text, {a}).p; };
  EXPECT_TRUE(p("testp.finite.f32 %po, %fa;", bits(1.0f)));
  EXPECT_FALSE(p("testp.finite.f32 %po, %fa;", kInfinity));
  EXPECT_TRUE(p("testp.infinite.f32 %po, %fa;", kInfinity));
  EXPECT_TRUE(p("testp.notanumber.f32 %po, %fa;", kQuiet));
  EXPECT_TRUE(p("testp.number.f32 %po, %fa;", kInfinity));
  EXPECT_TRUE(p("testp.normal.f32 %po, %fa;", bits(0.0f)));
  EXPECT_TRUE(p("testp.subnormal.f32 %po, %fa;", kSubnormal));
  EXPECT_FALSE(p("testp.normal.f32 %po, %fa;", kSubnormal));
}

TEST(OracleCompare, OrderedAndUnordered) {
  const auto p = [](const std::string& how, std::uint64_t a, std::uint64_t b) {
    return compute("setp." + how + ".f32 %po, %fa, %fb;", {a, b}).p;
  };
  for (const char* how : {"eq", "ne", "lt", "le", "gt", "ge", "num"})
    EXPECT_FALSE(p(how, kQuiet, bits(1.0f))) << how;
  for (const char* how : {"equ", "neu", "ltu", "leu", "gtu", "geu", "nan"})
    EXPECT_TRUE(p(how, kQuiet, bits(1.0f))) << how;
  for (const char* how : {"eq", "le", "ge", "equ", "leu", "geu", "num"})
    EXPECT_TRUE(p(how, bits(1.0f), bits(1.0f))) << how;
  for (const char* how : {"ne", "lt", "gt", "neu", "ltu", "gtu", "nan"})
    EXPECT_FALSE(p(how, bits(1.0f), bits(1.0f))) << how;
  EXPECT_TRUE(p("lt", bits(1.0f), bits(2.0f)));
  EXPECT_TRUE(p("gtu", bits(3.0f), bits(2.0f)));
  EXPECT_TRUE(p("eq.ftz", kSubnormal, bits(0.0f)));
  EXPECT_FALSE(p("eq", kSubnormal, bits(0.0f)));
}

TEST(OracleCompare, SignedAndUnsigned) {
  const auto p = [](const std::string& text, std::uint64_t a, std::uint64_t b) {
    return compute(text, {a, b}).p;
  };
  EXPECT_TRUE(p("setp.lt.s32 %po, %ra, %rb;", s32(-1), 1));
  EXPECT_FALSE(p("setp.lt.u32 %po, %ra, %rb;", s32(-1), 1));
  EXPECT_TRUE(p("setp.hi.u32 %po, %ra, %rb;", s32(-1), 1));
  EXPECT_TRUE(p("setp.ls.u32 %po, %ra, %rb;", 1, 1));
  EXPECT_FALSE(p("setp.lo.u32 %po, %ra, %rb;", 1, 1));
  EXPECT_TRUE(p("setp.hs.u32 %po, %ra, %rb;", 1, 1));
  EXPECT_TRUE(p("setp.eq.b64 %po, %wa, %wb;", 1ull << 40, 1ull << 40));
  EXPECT_TRUE(p("setp.lt.s64 %po, %wa, %wb;", ~0ull, 0));
  EXPECT_TRUE(p("setp.gt.s32 %po, %ra, -2;", s32(-1), 0));
}

TEST(OracleCompare, SecondPredicateAndCombination) {
  const auto both = [](const std::string& text, std::uint64_t a, std::uint64_t third) {
    const Result r = compute("setp.ne.u32 %p0, %rb, 0; " + text, {a, third});
    return std::pair{r.p, r.q};
  };
  EXPECT_EQ(both("setp.eq.s32 %po|%qo, %ra, 5;", 5, 0), std::pair(true, false));
  EXPECT_EQ(both("setp.eq.and.s32 %po|%qo, %ra, 5, %p0;", 5, 1), std::pair(true, false));
  EXPECT_EQ(both("setp.eq.and.s32 %po|%qo, %ra, 5, %p0;", 4, 1), std::pair(false, true));
  EXPECT_EQ(both("setp.eq.and.s32 %po|%qo, %ra, 5, %p0;", 5, 0), std::pair(false, false));
  EXPECT_EQ(both("setp.eq.or.s32 %po|%qo, %ra, 5, !%p0;", 4, 0), std::pair(true, true));
  EXPECT_EQ(both("setp.eq.xor.s32 %po|%qo, %ra, 5, %p0;", 5, 1), std::pair(false, true));
}

TEST(OracleCompare, SetAndSelect) {
  EXPECT_EQ(word("set.lt.u32.s32 %ro, %ra, %rb;", {s32(-1), 1}), 0xffff'ffffu);
  EXPECT_EQ(single("set.gt.f32.f32 %fo, %fa, %fb;", {bits(2.0f), bits(1.0f)}), bits(1.0f));
  EXPECT_EQ(word("set.gt.s32.f32 %ro, %fa, %fb;", {bits(1.0f), bits(2.0f)}), 0u);
  EXPECT_EQ(word("setp.ne.u32 %p0, %rc, 0; selp.b32 %ro, %ra, %rb, %p0;", {7, 9, 1}), 7u);
  EXPECT_EQ(word("setp.ne.u32 %p0, %rc, 0; selp.s32 %ro, -1, 0, %p0;", {7, 9, 0}), 0u);
  EXPECT_EQ(word("slct.u32.s32 %ro, %ra, %rb, %rc;", {7, 9, 0}), 7u);
  EXPECT_EQ(word("slct.u32.s32 %ro, %ra, %rb, %rc;", {7, 9, s32(-1)}), 9u);
  EXPECT_EQ(word("slct.u32.f32 %ro, %ra, %rb, %fc;", {7, 9, kQuiet}), 9u);
  EXPECT_EQ(word("slct.u32.f32 %ro, %ra, %rb, %fc;", {7, 9, bits(-0.0f)}), 7u);
}

TEST(OracleConvert, BetweenIntegers) {
  EXPECT_EQ(word("cvt.s32.s8 %ro, %ra;", {0x180}), 0xffff'ff80u);
  EXPECT_EQ(word("cvt.u32.u8 %ro, %ra;", {0x180}), 0x80u);
  EXPECT_EQ(word("cvt.s8.s32 %ro, %ra;", {0x180}), 0xffff'ff80u);  // fills the wider register
  EXPECT_EQ(word("cvt.u8.u32 %ro, %ra;", {0x180}), 0x80u);
  EXPECT_EQ(word("cvt.sat.u8.s32 %ro, %ra;", {s32(-4)}), 0u);
  EXPECT_EQ(word("cvt.sat.u8.s32 %ro, %ra;", {300}), 255u);
  EXPECT_EQ(word("cvt.sat.s8.s32 %ro, %ra;", {s32(-300)}), 0xffff'ff80u);
  EXPECT_EQ(word("cvt.sat.s32.u32 %ro, %ra;", {0x9000'0000}), 0x7fff'ffffu);
  EXPECT_EQ(compute("cvt.s64.s32 %wo, %ra;", {s32(-2)}).wide, ~1ull);
  EXPECT_EQ(compute("cvt.u64.u32 %wo, %ra;", {s32(-2)}).wide, 0xffff'fffeu);
  EXPECT_EQ(word("cvt.u32.u64 %ro, %wa;", {0x1234'5678'9abc'def0}), 0x9abc'def0u);
}

TEST(OracleConvert, FloatToInteger) {
  EXPECT_EQ(word("cvt.rzi.s32.f32 %ro, %fa;", {bits(-2.7f)}), s32(-2));
  EXPECT_EQ(word("cvt.rni.s32.f32 %ro, %fa;", {bits(2.5f)}), 2u);
  EXPECT_EQ(word("cvt.rni.s32.f32 %ro, %fa;", {bits(3.5f)}), 4u);
  EXPECT_EQ(word("cvt.rmi.s32.f32 %ro, %fa;", {bits(-2.1f)}), s32(-3));
  EXPECT_EQ(word("cvt.rpi.s32.f32 %ro, %fa;", {bits(2.1f)}), 3u);
  EXPECT_EQ(word("cvt.rzi.s32.f32 %ro, %fa;", {bits(3e9f)}), 0x7fff'ffffu);
  EXPECT_EQ(word("cvt.rzi.u32.f32 %ro, %fa;", {bits(-1.0f)}), 0u);
  EXPECT_EQ(word("cvt.rzi.u32.f32 %ro, %fa;", {bits(5e9f)}), 0xffff'ffffu);
  EXPECT_EQ(word("cvt.rzi.u8.f32 %ro, %fa;", {bits(300.0f)}), 255u);
  EXPECT_EQ(word("cvt.rzi.s32.f32 %ro, %fa;", {kQuiet}), 0u);
  EXPECT_EQ(compute("cvt.rzi.s64.f32 %wo, %fa;", {kQuiet}).wide, 1ull << 63);
  EXPECT_EQ(compute("cvt.rzi.s64.f64 %wo, %da;", {bits(-1e18)}).wide,
            static_cast<std::uint64_t>(-1'000'000'000'000'000'000));
  EXPECT_EQ(compute("cvt.rzi.u64.f32 %wo, %fa;", {bits(0x1p63f)}).wide, 1ull << 63);
}

TEST(OracleConvert, ToFloat) {
  EXPECT_EQ(value("cvt.rn.f32.s32 %fo, %ra;", {s32(-3)}), -3.0f);
  EXPECT_EQ(value("cvt.rn.f32.u32 %fo, %ra;", {0xffff'ffff}), 0x1p32f);
  EXPECT_EQ(value("cvt.rz.f32.u32 %fo, %ra;", {0xffff'ffff}), 0x1.fffffep31f);
  EXPECT_EQ(value("cvt.rp.f32.s32 %fo, %ra;", {0x0100'0001}), 0x1.000002p24f);
  EXPECT_EQ(value("cvt.rn.f32.u64 %fo, %wa;", {~0ull}), 0x1p64f);
  EXPECT_EQ(value("cvt.rz.f32.u64 %fo, %wa;", {~0ull}), 0x1.fffffep63f);
  EXPECT_EQ(compute("cvt.rn.f64.u64 %do, %wa;", {(1ull << 63) + 1024}).twice,
            bits(0x1p63));  // a tie, to even
  EXPECT_EQ(compute("cvt.rn.f64.u64 %do, %wa;", {(1ull << 63) + 1025}).twice, bits(0x1p63 + 2048));
  EXPECT_EQ(compute("cvt.f64.f32 %do, %fa;", {bits(0.1f)}).twice, bits(static_cast<double>(0.1f)));
  EXPECT_EQ(value("cvt.rn.f32.f64 %fo, %da;", {bits(0.1)}), 0.1f);
  EXPECT_EQ(value("cvt.rp.f32.f64 %fo, %da;", {bits(1.0 + 0x1p-40)}), 1.0f + 0x1p-23f);
  EXPECT_EQ(value("cvt.rni.f32.f32 %fo, %fa;", {bits(2.5f)}), 2.0f);
  EXPECT_EQ(value("cvt.rmi.f32.f32 %fo, %fa;", {bits(-0.5f)}), -1.0f);
  EXPECT_EQ(value("cvt.sat.f32.f32 %fo, %fa;", {bits(2.5f)}), 1.0f);
}

TEST(OracleMove, PackAndUnpack) {
  EXPECT_EQ(compute("mov.b64 %wo, {%ra, %rb};", {1, 2}).wide, 0x2'0000'0001u);
  EXPECT_EQ(word("mov.b64 {%t1, %ro}, %wa;", {0xaabb'ccdd'1122'3344}), 0xaabb'ccddu);
  EXPECT_EQ(word("mov.b32 {%h0, %h1}, %ra; mov.b32 %ro, {%h1, %h0};", {0x1122'3344}), 0x3344'1122u);
  EXPECT_EQ(compute("mov.b64 {%h0, %h1, %h2, %h3}, %wa; mov.b64 %wo, {%h3, %h2, %h1, %h0};",
                    {0x1111'2222'3333'4444})
                .wide,
            0x4444'3333'2222'1111u);
  EXPECT_EQ(word("mov.b64 {_, %ro}, %wa;", {0xaabb'ccdd'1122'3344}), 0xaabb'ccddu);
  EXPECT_EQ(word("mov.b32 %ro, %fa;", {bits(1.0f)}), 0x3f80'0000u);
  EXPECT_EQ(word("mov.b32 %ro, 0f3F800000;", {}), 0x3f80'0000u);
  EXPECT_EQ(value("mov.f32 %fo, 1.25;", {}), 1.25f);
  EXPECT_EQ(compute("mov.f64 %do, 0d3FF4000000000000;", {}).twice, bits(1.25));
}

TEST(OracleGuard, SkipsTheInstruction) {
  EXPECT_EQ(word("setp.eq.s32 %p0, %ra, 1; mov.u32 %ro, 5; @%p0 mov.u32 %ro, 6;", {1}), 6u);
  EXPECT_EQ(word("setp.eq.s32 %p0, %ra, 1; mov.u32 %ro, 5; @%p0 mov.u32 %ro, 6;", {2}), 5u);
  EXPECT_EQ(word("setp.eq.s32 %p0, %ra, 1; mov.u32 %ro, 5; @!%p0 mov.u32 %ro, 6;", {2}), 6u);
}

TEST(OracleConvert, NotANumberInARegisterWiderThanTheType) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(compute("cvt.rni.s8.f64 %wo, %da;", {bits(nan)}).wide, 0xffff'ffff'ffff'ff80ull);
  EXPECT_EQ(compute("cvt.rni.u8.f64 %wo, %da;", {bits(nan)}).wide, 0x80ull);
  EXPECT_EQ(compute("cvt.rni.s16.f32 %ro, %fa;", {kQuiet}).word, 0u);
}

}  // namespace
}  // namespace heddle::oracle::test::float_test
