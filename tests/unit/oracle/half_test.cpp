// Half precision of the oracle compared with the compiler's own _Float16 and __float128.
#include <cfenv>
#include <cmath>
#include <limits>

#include "unit/oracle/harness.h"

namespace heddle::oracle::test::half_test {
namespace {

__extension__ using Float16 = _Float16;
__extension__ using Float128 = __float128;

constexpr std::uint16_t kNan16 = 0x7fff;
constexpr std::uint16_t kInf = 0x7c00;

std::uint16_t low16(std::uint64_t bits) { return static_cast<std::uint16_t>(bits); }
Float16 half(std::uint64_t bits) { return std::bit_cast<Float16>(low16(bits)); }
bool is_nan(std::uint64_t bits) { return (bits & 0x7fff) > kInf; }
bool is_subnormal(std::uint64_t bits) { return (bits & 0x7c00) == 0 && (bits & 0x3ff) != 0; }
std::uint64_t flushed(std::uint64_t bits) { return is_subnormal(bits) ? bits & 0x8000 : low16(bits); }

/// A result as a register holds it: with canonical NaNs.
std::uint16_t result(Float16 value) {
  const auto bits = std::bit_cast<std::uint16_t>(value);
  return is_nan(bits) ? kNan16 : bits;
}
std::uint16_t saturated(std::uint16_t bits) {
  if (is_nan(bits) || (bits & 0x8000) != 0 || bits == 0) return 0;
  return bits > 0x3c00 ? std::uint16_t{0x3c00} : bits;
}

std::vector<Row> half_rows() {
  const std::vector<std::uint64_t> values{
      0,      0x8000, 1,      2,      0x8001, 0x03ff, 0x0400, 0x83ff, 0x8400, 0x0401, 0x3c00, 0xbc00, 0x3c01,
      0x3bff, 0x3555, 0xb555, 0x4000, 0x4248, 0x7bff, 0xfbff, 0x7bfe, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x7c01,
      0x7fff, 0x5bff, 0x1000, 0x1400, 0x9400, 0x2c00, 0x6400, 0x6401, 0x0200, 0x8200, 0x4900, 0x3800};
  return operand_rows(values, 20000);
}

Float16 sum(const Row& r) { return half(r[0]) + half(r[1]); }
Float16 difference(const Row& r) { return half(r[0]) - half(r[1]); }
Float16 product(const Row& r) { return half(r[0]) * half(r[1]); }
Float16 fused(const Row& r) {
  return static_cast<Float16>(Float128{half(r[0])} * Float128{half(r[1])} + Float128{half(r[2])});
}

struct Operation {
  const char* name;
  const char* operands;
  Float16 (*reference)(const Row&);
};
constexpr Operation kOperations[] = {{"add", "%ha, %hb", sum},
                                     {"sub", "%ha, %hb", difference},
                                     {"mul", "%ha, %hb", product},
                                     {"fma.rn", "%ha, %hb, %hc", fused}};

Row flushed_row(const Row& r) { return {flushed(r[0]), flushed(r[1]), flushed(r[2]), flushed(r[3])}; }

/// .ftz flushes what is below 2^-14 when it is rounded with an unbounded exponent (measured on an H200).
std::uint16_t flushed_result(const Operation& op, const Row& r) {
  const Float128 a = half(r[0]), b = half(r[1]), c = half(r[2]);
  const std::string_view name = op.name;
  const Float128 exact = name == "add" ? a + b : name == "sub" ? a - b : name == "mul" ? a * b : a * b + c;
  const std::uint16_t rounded = result(op.reference(r));
  const std::uint16_t scaled = result(static_cast<Float16>(exact * 0x1p10)) & 0x7fff;
  return scaled < result(static_cast<Float16>(0x1p-4)) ? static_cast<std::uint16_t>(rounded & 0x8000)
                                                       : rounded;
}

TEST(OracleHalf, ArithmeticRoundsOnce) {
  for (const Operation& op : kOperations) {
    const auto text = [&](const std::string& modifiers) {
      return std::string(op.name) + modifiers + ".f16 %ho, " + op.operands + "; cvt.u64.u16 %wo, %ho;";
    };
    expect_sweep(text(""), half_rows(), [&](const Row& r) { return result(op.reference(r)); });
    expect_sweep(text(".sat"), half_rows(), [&](const Row& r) { return saturated(result(op.reference(r))); });
    expect_sweep(text(".ftz"), half_rows(), [&](const Row& r) { return flushed_result(op, flushed_row(r)); });
  }
  expect_sweep("fma.rn.relu.f16 %ho, %ha, %hb, %hc; cvt.u64.u16 %wo, %ho;", half_rows(), [](const Row& r) {
    const std::uint16_t plain = result(fused(r));
    return (plain & 0x8000) != 0 ? std::uint16_t{0} : plain;
  });
}

TEST(OracleHalf, PairsAreTwoHalves) {
  for (const Operation& op : kOperations) {
    std::string operands = op.operands;
    for (char& c : operands)
      if (c == 'h') c = 'r';
    expect_sweep(std::string(op.name) + ".f16x2 %ro, " + operands + "; cvt.u64.u32 %wo, %ro;", half_rows(),
                 [&](const Row& r) {
                   const Row upper{r[0] >> 16, r[1] >> 16, r[2] >> 16, r[3] >> 16};
                   return std::uint64_t{result(op.reference(upper))} << 16 | result(op.reference(r));
                 });
  }
  EXPECT_EQ(compute("neg.f16x2 %ro, %ra;", {0x3c00'7c01}).word, 0xbc00'7fffu);  // measured on an H200
  EXPECT_EQ(compute("abs.f16x2 %ro, %ra;", {0xbc00'8001}).word, 0x3c00'0001u);
  EXPECT_EQ(compute("abs.ftz.f16x2 %ro, %ra;", {0xbc00'8001}).word, 0x3c00'0000u);
  EXPECT_EQ(compute("max.f16x2 %ro, %ra, %rb;", {0x7e00'8000, 0x3c00'0000}).word, 0x3c00'0000u);
  EXPECT_EQ(compute("min.NaN.f16x2 %ro, %ra, %rb;", {0x7e00'8000, 0x3c00'0000}).word, 0x7fff'8000u);
}

TEST(OracleHalf, MinimumAndMaximum) {
  const auto reference = [](bool max) {
    return [max](const Row& r) -> std::uint16_t {
      const std::uint16_t a = low16(r[0]);
      const std::uint16_t b = low16(r[1]);
      if (is_nan(a) && is_nan(b)) return kNan16;
      if (is_nan(a) || is_nan(b)) return is_nan(a) ? b : a;
      // Sign-magnitude to an ordered integer: -0 is below +0.
      const auto order = [](std::uint16_t v) { return (v & 0x8000) != 0 ? -int{v & 0x7fff} - 1 : int{v}; };
      return (order(a) < order(b)) == max ? b : a;
    };
  };
  expect_sweep("min.f16 %ho, %ha, %hb; cvt.u64.u16 %wo, %ho;", half_rows(), reference(false));
  expect_sweep("max.f16 %ho, %ha, %hb; cvt.u64.u16 %wo, %ho;", half_rows(), reference(true));
}

TEST(OracleHalf, Comparisons) {
  const std::pair<const char*, bool (*)(Float16, Float16)> compares[] = {
      {"eq", [](Float16 a, Float16 b) { return a == b; }},
      {"ne", [](Float16 a, Float16 b) { return a < b || a > b; }},
      {"lt", [](Float16 a, Float16 b) { return a < b; }},
      {"ge", [](Float16 a, Float16 b) { return a >= b; }},
      {"leu", [](Float16 a, Float16 b) { return !(a > b); }},
      {"neu", [](Float16 a, Float16 b) { return !(a == b); }},
      {"num", [](Float16 a, Float16 b) { return a == a && b == b; }},
      {"nan", [](Float16 a, Float16 b) { return a != a || b != b; }}};
  for (const auto& [name, holds] : compares) {
    const auto test = holds;
    expect_sweep("setp." + std::string(name) + ".f16 %po, %ha, %hb; selp.u64 %wo, 1, 0, %po;", half_rows(),
                 [&](const Row& r) { return test(half(r[0]), half(r[1])) ? 1u : 0u; });
    expect_sweep("setp." + std::string(name) +
                     ".f16x2 %po|%qo, %ra, %rb; selp.u64 %wo, 1, 0, %po; @%qo add.u64 "
                     "%wo, %wo, 2;",
                 half_rows(), [&](const Row& r) {
                   return (test(half(r[0]), half(r[1])) ? 1u : 0u) +
                          (test(half(r[0] >> 16), half(r[1] >> 16)) ? 2u : 0u);
                 });
    expect_sweep("set." + std::string(name) + ".f16.f16 %ho, %ha, %hb; cvt.u64.u16 %wo, %ho;", half_rows(),
                 [&](const Row& r) { return test(half(r[0]), half(r[1])) ? 0x3c00u : 0u; });
    expect_sweep("set." + std::string(name) + ".f16x2.f16x2 %ro, %ra, %rb; cvt.u64.u32 %wo, %ro;",
                 half_rows(), [&](const Row& r) {
                   return (test(half(r[0]), half(r[1])) ? 0x3c00u : 0u) |
                          (test(half(r[0] >> 16), half(r[1] >> 16)) ? 0x3c00'0000u : 0u);
                 });
    expect_sweep("set." + std::string(name) + ".u32.f16x2 %ro, %ra, %rb; cvt.u64.u32 %wo, %ro;", half_rows(),
                 [&](const Row& r) {
                   return (test(half(r[0]), half(r[1])) ? 0xffffu : 0u) |
                          (test(half(r[0] >> 16), half(r[1] >> 16)) ? 0xffff'0000u : 0u);
                 });
  }
  EXPECT_EQ(compute("mov.b32 {%h0, %h1}, %ra; set.lt.u32.f16 %ro, %h0, %h1;", {0x3c00'3800}).word,
            0xffff'ffffu);
  EXPECT_EQ(
      compute("mov.b32 {%h0, %h1}, %ra; set.lt.u16.f16 %h2, %h0, %h1; cvt.u32.u16 %ro, %h2;", {0x3c00'3800})
          .word,
      0xffffu);
  EXPECT_EQ(compute("set.lt.f16.s32 %h2, %ra, %rb; cvt.u32.u16 %ro, %h2;", {s32(-1), 1}).word, 0x3c00u);
  EXPECT_TRUE(compute("mov.b32 {%h0, %h1}, %ra; setp.eq.ftz.f16 %po, %h0, %h1;", {0x0001'8002}).p);
  EXPECT_FALSE(compute("mov.b32 {%h0, %h1}, %ra; setp.eq.f16 %po, %h0, %h1;", {0x0001'8002}).p);
}

// --- conversions

/// Every half exactly, and around every half's neighbours: values on, just below and just above the midpoint.
std::vector<Row> around_halves() {
  std::vector<Row> rows;
  for (std::uint32_t bits = 0; bits < 0x10000; bits += bits % 64 < 3 ? 1 : 7) {
    const auto here = static_cast<double>(half(bits));
    const auto next = static_cast<double>(half(bits + 1));
    const double middle = here + (next - here) / 2;
    for (const double value : {here, middle, std::nextafter(middle, 1e300), std::nextafter(middle, -1e300)})
      rows.push_back({test::bits(value), test::bits(static_cast<float>(value)), 0, 0});
  }
  for (const double value : {65519.0, 65519.9999, 65520.0, 65536.0, 1e30, -1e300, 1e-40, 5e-324, -1e-310})
    rows.push_back({test::bits(value), test::bits(static_cast<float>(value)), 0, 0});
  return rows;
}

template <class T>
std::uint16_t converted(T value, int mode) {
  std::fesetround(mode);
  volatile T in = value;
  volatile auto out = static_cast<Float16>(Float128{in});
  std::fesetround(FE_TONEAREST);
  return result(out);
}

TEST(OracleHalf, ConversionsFromWiderFormats) {
  const std::pair<const char*, int> modes[] = {
      {"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};
  for (const auto& [name, mode] : modes) {
    const int rounding = mode;
    expect_sweep("cvt." + std::string(name) + ".f16.f64 %ho, %da; cvt.u64.u16 %wo, %ho;", around_halves(),
                 [&](const Row& r) {
                   const auto value = std::bit_cast<double>(r[0]);
                   if (!std::isnan(value)) return converted(value, rounding);
                   return static_cast<std::uint16_t>((r[0] >> 63) << 15 | 0x7e00u | (r[0] >> 42 & 0x3ffu));
                 });
    expect_sweep("cvt." + std::string(name) + ".f16.f32 %ho, %fb; cvt.u64.u16 %wo, %ho;", around_halves(),
                 [&](const Row& r) {
                   return converted(std::bit_cast<float>(static_cast<std::uint32_t>(r[1])), rounding);
                 });
  }
  EXPECT_EQ(compute("cvt.rn.f16x2.f32 %ro, %fa, %fb;", {bits(1.0f), bits(-2.0f)}).word, 0x3c00'c000u);
  EXPECT_EQ(compute("cvt.rz.f16x2.f32 %ro, %fa, %fb;", {bits(70000.0f), bits(-70000.0f)}).word, 0x7bff'fbffu);
  EXPECT_EQ(compute("cvt.rn.relu.f16x2.f32 %ro, %fa, %fb;", {bits(-1.0f), 0x7fc0'0000}).word, 0x0000'7fffu);
  EXPECT_EQ(compute("cvt.rn.satfinite.f16x2.f32 %ro, %fa, %fb;", {bits(1e9f), 0xff80'0000}).word,
            0x7bff'fbffu);
  EXPECT_EQ(compute("cvt.rn.sat.f16.f32 %h0, %fa; cvt.u32.u16 %ro, %h0;", {bits(-3.0f)}).word, 0u);
  EXPECT_EQ(compute("cvt.rn.sat.f16.f32 %h0, %fa; cvt.u32.u16 %ro, %h0;", {bits(3.0f)}).word, 0x3c00u);
}

std::vector<Row> every_half() {
  std::vector<Row> rows;
  for (std::uint64_t bits = 0; bits < 0x10000; ++bits) rows.push_back({bits, 0, 0, 0});
  return rows;
}

TEST(OracleHalf, ConversionsToOtherTypes) {
  expect_sweep(
      "cvt.f32.f16 %fo, %ha; mov.b32 %ro, %fo; cvt.u64.u32 %wo, %ro;", every_half(),
      [](const Row& r) { return is_nan(r[0]) ? 0x7fff'ffffu : bits(static_cast<float>(half(r[0]))); });
  expect_sweep("cvt.f64.f16 %do, %ha; mov.b64 %wo, %do;", every_half(), [](const Row& r) {
    // A NaN keeps its sign and payload, and becomes quiet (measured on an H200).
    const std::uint64_t nan = (r[0] >> 15) << 63 | 0x7ff8'0000'0000'0000ull | (r[0] & 0x3ff) << 42;
    return is_nan(r[0]) ? nan : bits(static_cast<double>(half(r[0])));
  });
  const auto integer = [](std::uint64_t bits, double least, double most, double (*round)(double)) {
    if (is_nan(bits)) return std::int64_t{0};
    return static_cast<std::int64_t>(
        std::fmin(std::fmax(round(static_cast<double>(half(bits))), least), most));
  };
  expect_sweep("cvt.rzi.s32.f16 %ro, %ha; cvt.s64.s32 %wo, %ro;", every_half(), [&](const Row& r) {
    return static_cast<std::uint64_t>(integer(r[0], -2147483648.0, 2147483647.0, std::trunc));
  });
  expect_sweep("cvt.rni.s16.f16 %ho, %ha; cvt.s64.s16 %wo, %ho;", every_half(), [&](const Row& r) {
    return static_cast<std::uint64_t>(integer(r[0], -32768, 32767, std::nearbyint));
  });
  expect_sweep("cvt.rmi.u16.f16 %ho, %ha; cvt.u64.u16 %wo, %ho;", every_half(),
               [&](const Row& r) { return static_cast<std::uint64_t>(integer(r[0], 0, 65535, std::floor)); });
  expect_sweep("cvt.rpi.u8.f16 %ro, %ha; cvt.u64.u32 %wo, %ro;", every_half(),
               [&](const Row& r) { return static_cast<std::uint64_t>(integer(r[0], 0, 255, std::ceil)); });
  expect_sweep("cvt.rni.f16.f16 %ho, %ha; cvt.u64.u16 %wo, %ho;", every_half(), [](const Row& r) {
    return result(static_cast<Float16>(std::nearbyint(static_cast<double>(half(r[0])))));
  });
  EXPECT_EQ(compute("mov.b32 {%h0, %h1}, %ra; cvt.rzi.s64.f16 %wo, %h0;", {0x7e00}).wide,
            std::uint64_t{1} << 63);
}

TEST(OracleHalf, ConversionsFromIntegers) {
  std::vector<Row> rows;
  for (std::uint64_t i = 0; i < 70000; i += 3) rows.push_back({i, ~i + 1, 0, 0});
  for (unsigned bit = 15; bit < 64; ++bit)
    rows.push_back({std::uint64_t{1} << bit, ~(std::uint64_t{1} << bit), 0, 0});
  expect_sweep("cvt.rn.f16.u64 %ho, %wa; cvt.u64.u16 %wo, %ho;", rows,
               [](const Row& r) { return result(static_cast<Float16>(static_cast<Float128>(r[0]))); });
  expect_sweep("cvt.rn.f16.s64 %ho, %wb; cvt.u64.u16 %wo, %ho;", rows, [](const Row& r) {
    return result(static_cast<Float16>(static_cast<Float128>(static_cast<std::int64_t>(r[1]))));
  });
  expect_sweep("cvt.rn.f16.s16 %ho, %hb; cvt.u64.u16 %wo, %ho;", rows, [](const Row& r) {
    return result(static_cast<Float16>(static_cast<double>(static_cast<std::int16_t>(r[1]))));
  });
  EXPECT_EQ(compute("cvt.rz.f16.u32 %h0, %ra; cvt.u32.u16 %ro, %h0;", {0xffff'ffff}).word, 0x7bffu);
  EXPECT_EQ(compute("cvt.rp.f16.s32 %h0, %ra; cvt.u32.u16 %ro, %h0;", {0xffff'f7ff}).word, 0xe800u);  // -2049
}

TEST(OracleHalf, ApproximationsAreCorrectlyRounded) {
  const auto exact = [](long double (*function)(long double)) {
    return [function](const Row& r) -> std::uint64_t {
      if (is_nan(r[0])) return kNan16;
      return result(static_cast<Float16>(static_cast<Float128>(function(half(r[0])))));
    };
  };
  expect_sweep("ex2.approx.f16 %ho, %ha; cvt.u64.u16 %wo, %ho;", every_half(),
               exact([](long double x) { return std::exp2(x); }));
  expect_sweep("tanh.approx.f16 %ho, %ha; cvt.u64.u16 %wo, %ho;", every_half(),
               exact([](long double x) { return std::tanh(x); }));
  EXPECT_EQ(compute("ex2.approx.f16x2 %ro, %ra;", {0x3c00'bc00}).word, 0x4000'3800u);
}

TEST(OracleHalf, AtomicAddition) {
  const auto out =
      run({.module = "",
           .body = "mov.b32 %r0, 0x3c003800; st.global.u32 [%out], %r0; mov.b32 %r1, 0x40003800;\n"
                   "atom.global.add.noftz.f16x2 %r2, [%out], %r1; st.global.u32 [%out+4], %r2;\n"
                   "mov.b32 {%h0, %h1}, %r1; atom.global.add.noftz.f16 %h2, [%out+2], %h1;\n"
                   "red.global.add.noftz.f16 [%out], %h0; cvt.u32.u16 %r3, %h2; st.global.u32 [%out+8], "
                   "%r3;"});
  EXPECT_EQ(out[0], 0x4500'3e00u);  // (1 + 2) + 2 = 5; (0.5 + 0.5) + 0.5 = 1.5
  EXPECT_EQ(out[1], 0x3c00'3800u);
  EXPECT_EQ(out[2], 0x4200u);
}

}  // namespace
}  // namespace heddle::oracle::test::half_test
