#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

#include "unit/isa/golden.h"
#include "unit/isa/reference.h"

namespace heddle::isa::test::float_test {
namespace {

constexpr float kTiny = 0x1p-149f;  // smallest subnormal
constexpr std::uint64_t kNan = 0x7fff'ffffu;
constexpr std::uint64_t kAnyNan = 0xffc1'2345u;
constexpr std::uint64_t kMinusZero = 0x8000'0000u;

LaneSpec f32_op(LaneOp op, Rounding r = Rounding::kDefault) {
  return {.op = op, .type = Type::kF32, .rounding = r};
}

TEST(FloatOps, NanResultsAreCanonical) {
  expect(f32_op(LaneOp::kAdd), {f32(kInf), f32(-kInf)}, kNan);
  expect(f32_op(LaneOp::kAdd), {kAnyNan, f32(1)}, kNan);
  expect(f32_op(LaneOp::kMul), {0x7f80'0001u, f32(1)}, kNan);  // signalling
  expect(f32_op(LaneOp::kFma), {f32(kInf), f32(0), f32(1)}, kNan);
  expect(f32_op(LaneOp::kSqrt), {f32(-1)}, kNan);
  expect({.op = LaneOp::kSub, .type = Type::kF64}, {f64(INFINITY), f64(INFINITY)}, 0xfff8'0000'0000'0000u);
}

TEST(FloatOps, FmaRoundsOnce) {
  // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24: the product alone would round to 1 + 2^-11.
  const float a = 1.0f + 0x1p-12f;
  expect(f32_op(LaneOp::kFma), {f32(a), f32(a), f32(-1.0f - 0x1p-11f)}, f32(0x1p-24f));
  expect(f32_op(LaneOp::kMad), {f32(a), f32(a), f32(-1.0f - 0x1p-11f)}, f32(0x1p-24f));
  expect({.op = LaneOp::kFma, .type = Type::kF64}, {f64(1 + 0x1p-27), f64(1 + 0x1p-27), f64(-1 - 0x1p-26)},
         f64(0x1p-54));
}

TEST(FloatOps, RoundingModes) {
  // 1 + 2^-24 is halfway between 1 and the next float.
  const float next = 1.0f + 0x1p-23f;
  const std::uint64_t half_ulp = f32(0x1p-24f);
  expect(f32_op(LaneOp::kAdd, Rounding::kRn), {f32(1), half_ulp}, f32(1));
  expect(f32_op(LaneOp::kAdd, Rounding::kRn), {f32(next), half_ulp}, f32(next + 0x1p-23f));
  expect(f32_op(LaneOp::kAdd, Rounding::kRz), {f32(next), half_ulp}, f32(next));
  expect(f32_op(LaneOp::kAdd, Rounding::kRp), {f32(1), f32(kTiny)}, f32(next));
  expect(f32_op(LaneOp::kAdd, Rounding::kRm), {f32(-1), f32(-kTiny)}, f32(-next));
  expect(f32_op(LaneOp::kSub, Rounding::kRm), {f32(1), f32(1)}, kMinusZero);
  expect(f32_op(LaneOp::kSub, Rounding::kRp), {f32(1), f32(1)}, 0);
  const float largest = std::numeric_limits<float>::max();
  expect(f32_op(LaneOp::kMul, Rounding::kRz), {f32(largest), f32(2)}, f32(largest));
  expect(f32_op(LaneOp::kMul, Rounding::kRn), {f32(largest), f32(2)}, f32(kInf));
  expect(f32_op(LaneOp::kDiv, Rounding::kRn), {f32(1), f32(3)}, 0x3eaa'aaabu);
  expect(f32_op(LaneOp::kDiv, Rounding::kRz), {f32(1), f32(3)}, 0x3eaa'aaaau);
  expect(f32_op(LaneOp::kRcp, Rounding::kRp), {f32(-3)}, 0xbeaa'aaaau);
  expect(f32_op(LaneOp::kSqrt, Rounding::kRn), {f32(2)}, 0x3fb5'04f3u);
  expect(f32_op(LaneOp::kSqrt, Rounding::kRp), {f32(2)}, 0x3fb5'04f4u);
  expect(f32_op(LaneOp::kFma, Rounding::kRm), {f32(1), f32(1), f32(-kTiny)}, f32(1.0f - 0x1p-24f));
  expect({.op = LaneOp::kMul, .type = Type::kF64, .rounding = Rounding::kRp},
         {f64(1 + 0x1p-52), f64(1 + 0x1p-52)}, f64(1 + 0x1.8p-51));
}

TEST(FloatOps, FlushToZeroKeepsTheSign) {
  expect(f32_op(LaneOp::kAdd), {f32(kTiny), f32(kTiny)}, f32(2 * kTiny));
  LaneSpec ftz = f32_op(LaneOp::kAdd);
  ftz.ftz = true;
  expect(ftz, {f32(kTiny), f32(kTiny)}, 0);
  expect(ftz, {f32(-kTiny), f32(-kTiny)}, kMinusZero);
  expect(ftz, {f32(0x1p-126f), f32(kTiny)}, f32(0x1p-126f));
  ftz.op = LaneOp::kMul;
  expect(ftz, {f32(-0x1p-126f), f32(0.5f)}, kMinusZero);  // the result is subnormal
  expect(f32_op(LaneOp::kMul), {f32(-0x1p-126f), f32(0.5f)}, f32(-0x1p-127f));
  ftz.op = LaneOp::kAbs;
  expect(ftz, {f32(-kTiny)}, 0);
  ftz.op = LaneOp::kRcp;
  ftz.approx = true;
  expect(ftz, {f32(-kTiny)}, f32(-kInf));
  expect(ftz, {f32(0x1p127f)}, 0);
}

TEST(FloatOps, SaturationClampsToTheUnitInterval) {
  LaneSpec sat = f32_op(LaneOp::kAdd);
  sat.sat = true;
  expect(sat, {f32(2), f32(1)}, f32(1));
  expect(sat, {f32(-2), f32(1)}, 0);
  expect(sat, {f32(0.25f), f32(0.5f)}, f32(0.75f));
  expect(sat, {kAnyNan, f32(1)}, 0);
  expect(sat, {kMinusZero, kMinusZero}, 0);
}

TEST(FloatOps, MinMaxPreferNumbersAndOrderZeros) {
  expect(f32_op(LaneOp::kMin), {kAnyNan, f32(3)}, f32(3));
  expect(f32_op(LaneOp::kMax), {f32(3), kAnyNan}, f32(3));
  expect(f32_op(LaneOp::kMin), {kAnyNan, kAnyNan}, kNan);
  expect(f32_op(LaneOp::kMin), {0, kMinusZero}, kMinusZero);
  expect(f32_op(LaneOp::kMax), {kMinusZero, 0}, 0);
  expect(f32_op(LaneOp::kMin), {f32(-kInf), f32(1)}, f32(-kInf));
  expect({.op = LaneOp::kMax, .type = Type::kF64}, {0x7ff8'0000'0000'0001u, f64(-1)}, f64(-1));
}

// Measured on an H200.
TEST(FloatOps, NansOfDoublePrecisionKeepSignAndPayload) {
  constexpr std::uint64_t kSignalling = 0x7ff0'0000'0000'0001u;
  constexpr std::uint64_t kNegative = 0xfff8'0000'0000'0123u;
  for (const LaneOp op : {LaneOp::kAdd, LaneOp::kSub, LaneOp::kMul, LaneOp::kDiv}) {
    expect({.op = op, .type = Type::kF64, .rounding = Rounding::kRn}, {0, kSignalling},
           0x7ff8'0000'0000'0001u);
    expect({.op = op, .type = Type::kF64, .rounding = Rounding::kRn}, {0, kNegative}, kNegative);
  }
  // Of two the second, of a quotient the first; of three operands the second, the third, the first.
  constexpr std::uint64_t kQuieted = 0x7ff8'0000'0000'0001u;
  for (const LaneOp op : {LaneOp::kAdd, LaneOp::kSub, LaneOp::kMul}) {
    expect({.op = op, .type = Type::kF64, .rounding = Rounding::kRz}, {kNegative, kSignalling}, kQuieted);
    expect({.op = op, .type = Type::kF64, .rounding = Rounding::kRz}, {kSignalling, kNegative}, kNegative);
  }
  expect({.op = LaneOp::kDiv, .type = Type::kF64, .rounding = Rounding::kRn}, {kNegative, kSignalling},
         kNegative);
  for (const LaneOp op : {LaneOp::kFma, LaneOp::kMad}) {
    expect({.op = op, .type = Type::kF64, .rounding = Rounding::kRn},
           {0x7ff8'0000'0000'0000u, f64(0.5), kNegative}, kNegative);
    expect({.op = op, .type = Type::kF64, .rounding = Rounding::kRn}, {kNegative, kSignalling, 0}, kQuieted);
    expect({.op = op, .type = Type::kF64, .rounding = Rounding::kRn}, {0, kSignalling, kNegative}, kQuieted);
  }
  expect({.op = LaneOp::kSqrt, .type = Type::kF64, .rounding = Rounding::kRn}, {kNegative}, kNegative);
  expect({.op = LaneOp::kNeg, .type = Type::kF64}, {kNegative}, kNegative);
  expect({.op = LaneOp::kAbs, .type = Type::kF64}, {kNegative}, kNegative);
  expect({.op = LaneOp::kMax, .type = Type::kF64}, {0x7ff8'0000'0000'0000u, kSignalling},
         0x7ff8'0000'0000'0001u);
}

// Measured on an H200.
TEST(FloatOps, FlushesByTheValueRoundedWithAnUnboundedExponent) {
  LaneSpec op = f32_op(LaneOp::kMul, Rounding::kRn);
  op.ftz = true;
  expect(op, {0x0080'0000, 0x3f7f'ffff}, 0);
  expect(op, {0x8080'0000, 0x3f7f'ffff}, kMinusZero);
  expect(op, {0x0080'0000, 0x3f80'0000}, 0x0080'0000);
  op.op = LaneOp::kFma;
  expect(op, {0x3300'0001, 0x8080'0000, 0x0080'0000}, 0);
  op.rounding = Rounding::kRp;
  expect(op, {0x3300'0001, 0x8080'0000, 0x0080'0000}, 0x0080'0000);
  op.sat = true;
  expect(op, {0x3300'0001, 0x8080'0000, 0x0080'0000}, 0x0080'0000);
  op.sat = false;
  op.rounding = Rounding::kRn;
  op.op = LaneOp::kDiv;
  expect(op, {0x3f7f'ffff, 0x7e80'0000}, 0);
  op.rounding = Rounding::kRm;
  expect(op, {0x8080'0000, 0x3f80'0001}, kMinusZero);
}

// 10610063 * 13264529 = 2^47 - 1: the exact product is below the least normal number, the rounded one in two modes not.
TEST(FloatOps, ProductsBelowTheBorderOfFtzThatRoundToIt) {
  LaneSpec op = f32_op(LaneOp::kMul, Rounding::kRn);
  op.ftz = true;
  expect(op, {0x00a1'e58f, 0x3f4a'6691}, 0x0080'0000);
  op.rounding = Rounding::kRz;
  expect(op, {0x00a1'e58f, 0x3f4a'6691}, 0);
  op.rounding = Rounding::kRm;
  expect(op, {0x00a1'e58f, 0x3f4a'6691}, 0);
  expect(op, {0x80a1'e58f, 0x3f4a'6691}, 0x8080'0000);
  op.rounding = Rounding::kRp;
  expect(op, {0x00a1'e58f, 0x3f4a'6691}, 0x0080'0000);
  expect(op, {0x80a1'e58f, 0x3f4a'6691}, kMinusZero);
}

// Sums a * b + c within two units of 2^-126, where b is chosen for a and c.
TEST(FloatOps, FmaAroundTheBorderOfFtz) {
  std::mt19937_64 random(1);
  for (const Rounding mode : {Rounding::kRn, Rounding::kRz, Rounding::kRm, Rounding::kRp}) {
    LaneSpec op = f32_op(LaneOp::kFma, mode);
    op.ftz = true;
    unsigned flushed = 0, kept = 0;
    for (unsigned round = 0; round < 1000; ++round) {
      Warp warp;
      for (unsigned i = 0; i < kWarp; ++i) {
        const double sign = random() % 2 == 0 ? 1.0 : -1.0;
        const float a = std::ldexp(1.0f + static_cast<float>(random() % 0x80'0000u) * 0x1p-23f,
                                   static_cast<int>(random() % 100) - 100);
        const auto c =
            static_cast<float>(sign * std::ldexp(0x1p23 + static_cast<double>(random() % 0x180'0000u), -149));
        const double sum = sign * (0x1p-126 - static_cast<double>(random() % 9) * 0x1p-152);
        warp.src[0][i] = f32(a);
        warp.src[1][i] = f32(static_cast<float>((sum - c) / a));
        warp.src[2][i] = f32(c);
      }
      const Warp out = run(find_lane_fn(op), op, warp);
      for (unsigned i = 0; i < kWarp; ++i) {
        const auto expected = float_lane(op, {warp.src[0][i], warp.src[1][i], warp.src[2][i], 0});
        ASSERT_EQ(out.dst[i], expected->value) << describe(op) << std::hex << " of " << warp.src[0][i] << " "
                                               << warp.src[1][i] << " " << warp.src[2][i];
        flushed += (out.dst[i] & 0x7fff'ffffu) == 0 ? 1u : 0u;
        kept += (out.dst[i] & 0x7fff'ffffu) == 0x0080'0000u ? 1u : 0u;
      }
    }
    EXPECT_GT(flushed, 1000u) << describe(op);
    EXPECT_GT(kept, 1000u) << describe(op);
  }
}

TEST(FloatOps, SignOperations) {
  expect(f32_op(LaneOp::kNeg), {kAnyNan}, kNan);  // measured on an H200
  expect(f32_op(LaneOp::kNeg), {0}, kMinusZero);
  expect(f32_op(LaneOp::kCopysign), {f32(-1), f32(5)}, f32(-5));  // sign of the first on the second
  expect({.op = LaneOp::kAbs, .type = Type::kF64}, {f64(-0.0)}, 0);
}

TEST(SpecialFunctions, ExactPoints) {
  expect(f32_op(LaneOp::kEx2), {f32(10)}, f32(1024));
  expect(f32_op(LaneOp::kEx2), {f32(-149)}, f32(kTiny));
  expect(f32_op(LaneOp::kEx2), {f32(-kInf)}, 0);
  expect(f32_op(LaneOp::kEx2), {f32(kInf)}, f32(kInf));
  expect(f32_op(LaneOp::kEx2), {kAnyNan}, kNan);
  expect(f32_op(LaneOp::kLg2), {f32(8)}, f32(3));
  expect(f32_op(LaneOp::kLg2), {f32(kTiny)}, f32(-149));
  expect(f32_op(LaneOp::kLg2), {kMinusZero}, f32(-kInf));
  expect(f32_op(LaneOp::kLg2), {f32(-1)}, kNan);
  expect(f32_op(LaneOp::kLg2), {f32(kInf)}, f32(kInf));
  expect(f32_op(LaneOp::kRsqrt), {f32(16)}, f32(0.25f));
  expect(f32_op(LaneOp::kRsqrt), {kMinusZero}, f32(-kInf));
  expect(f32_op(LaneOp::kSin), {kMinusZero}, kMinusZero);
  expect(f32_op(LaneOp::kSin), {f32(kInf)}, kNan);
  expect(f32_op(LaneOp::kCos), {0}, f32(1));
  expect(f32_op(LaneOp::kCos), {kAnyNan}, kNan);
  expect(f32_op(LaneOp::kTanh), {f32(-100)}, f32(-1));
  expect(f32_op(LaneOp::kTanh), {kMinusZero}, kMinusZero);
  expect({.op = LaneOp::kRcp, .type = Type::kF64, .ftz = true, .approx = true}, {f64(4)}, f64(0.25));
}

TEST(SpecialFunctions, FlushedSubnormals) {
  LaneSpec ftz = f32_op(LaneOp::kLg2);
  ftz.ftz = true;
  expect(ftz, {f32(kTiny)}, f32(-kInf));
  ftz.op = LaneOp::kEx2;
  expect(ftz, {f32(-130)}, 0);
  ftz.op = LaneOp::kSin;
  expect(ftz, {f32(-kTiny)}, kMinusZero);
}

// Known values: sin(10^22) is the classic test of argument reduction.
TEST(SpecialFunctions, LargeAnglesAreReducedExactly) {
  expect(f32_op(LaneOp::kSin), {f32(1e22f)}, f32(static_cast<float>(std::sin(static_cast<double>(1e22f)))));
  expect(f32_op(LaneOp::kCos), {f32(0x1.fffffep127f)}, f32(static_cast<float>(std::cos(0x1.fffffep127))));
  expect(f32_op(LaneOp::kSin), {f32(-0x1.fffffep127f)}, f32(static_cast<float>(std::sin(-0x1.fffffep127))));
  expect(f32_op(LaneOp::kSin), {f32(0x1p28f)}, f32(static_cast<float>(std::sin(0x1p28))));
}

// Far inside the bounds of the PTX ISA (2^-20 and worse); every 65521st float of either sign.
TEST(SpecialFunctions, WithinOneUlpOverTheWholeRange) {
  struct Function {
    LaneOp op;
    double (*exact)(double);
  };
  const Function functions[] = {
      {LaneOp::kSin, [](double x) { return std::sin(x); }},
      {LaneOp::kCos, [](double x) { return std::cos(x); }},
      {LaneOp::kLg2, [](double x) { return std::log2(x); }},
      {LaneOp::kEx2, [](double x) { return std::exp2(x); }},
      {LaneOp::kTanh, [](double x) { return std::tanh(x); }},
      {LaneOp::kRsqrt, [](double x) { return 1 / std::sqrt(x); }},
  };
  for (const Function& f : functions) {
    const LaneSpec spec = f32_op(f.op);
    for (std::uint64_t next = 0; next <= 0xffff'ffffu;) {
      Warp warp;
      for (auto& v : warp.src[0]) {
        v = next & 0xffff'ffffu;
        next += 65521;
      }
      const Warp out = run(find_lane_fn(spec), spec, warp);
      for (unsigned i = 0; i < kWarp; ++i) {
        const auto exact = static_cast<float>(f.exact(as_f32(warp.src[0][i])));
        const std::int64_t distance =
            static_cast<std::int64_t>(f32(exact)) - static_cast<std::int64_t>(out.dst[i]);
        if (std::isnan(exact))
          ASSERT_EQ(out.dst[i], kNan) << describe(spec) << " of " << as_f32(warp.src[0][i]);
        else
          ASSERT_LE(std::abs(distance), 1) << describe(spec) << " of " << as_f32(warp.src[0][i]);
      }
    }
  }
}

}  // namespace
}  // namespace heddle::isa::test::float_test
