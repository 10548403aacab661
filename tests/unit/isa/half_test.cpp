// Half precision over all of its values, and where rounding twice would show.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "isa/atomic.h"
#include "unit/isa/golden.h"
#include "unit/isa/reference.h"

namespace heddle::isa::test::half_test {
namespace {

constexpr std::uint32_t kHalves = 0x10000;

/// fn(operand, result) of a unary operation for every f16.
template <class Fn>
void for_every_half(const LaneSpec& spec, Fn fn) {
  for (std::uint32_t first = 0; first < kHalves; first += kWarp) {
    Warp warp;
    for (unsigned i = 0; i < kWarp; ++i) warp.src[0][i] = first + i;
    const Warp out = run(find_lane_fn(spec), spec, warp);
    for (unsigned i = 0; i < kWarp; ++i) fn(first + i, out.dst[i]);
  }
}

bool is_nan(std::uint64_t half) { return (half & 0x7c00u) == 0x7c00u && (half & 0x3ffu) != 0; }

// The PTX ISA allows ex2 2^-9.9 relative and tanh 2^-10.987 absolute; one unit in the last place is far
// inside.
TEST(Half, ApproximationsOfAllValuesAreWithinOneUlp) {
  struct Function {
    LaneOp op;
    double (*exact)(double);
  };
  for (const Function& f : {Function{LaneOp::kEx2, [](double x) { return std::exp2(x); }},
                            Function{LaneOp::kTanh, [](double x) { return std::tanh(x); }}})
    for_every_half({.op = f.op, .type = Type::kF16}, [&](std::uint64_t x, std::uint64_t result) {
      if (is_nan(x)) {
        ASSERT_EQ(result, kNanF16) << std::hex << x;
        return;
      }
      const auto exact = static_cast<std::int64_t>(half_cell(Rounding::kRn, f.exact(half_value(x))));
      ASSERT_LE(std::abs(exact - static_cast<std::int64_t>(result)), 1) << std::hex << x;
    });
}

TEST(Half, EveryValueSurvivesTheWayThroughWiderTypes) {
  for (const Type wide : {Type::kF32, Type::kF64})
    for_every_half(
        {.op = LaneOp::kCvt, .type = wide, .src_type = Type::kF16}, [&](std::uint64_t x, std::uint64_t up) {
          const LaneSpec down{
              .op = LaneOp::kCvt, .type = Type::kF16, .src_type = wide, .rounding = Rounding::kRz};
          Warp warp;
          warp.src[0].fill(up);
          const std::uint64_t nan = wide == Type::kF64 ? x | 0x0200u : kNanF16;  // measured on an H200
          ASSERT_EQ(run(find_lane_fn(down), down, warp).dst[0], is_nan(x) ? nan : x);
        });
}

// Pairs of all exponents with mantissas that make halfway cases; fma with products far below the addend,
// where a double loses bits.
TEST(Half, ArithmeticIsRoundedOnce) {
  std::mt19937 random(1);
  const auto half = [&] {
    constexpr std::uint32_t kMantissas[] = {0, 1, 2, 0x1ff, 0x200, 0x201, 0x3fe, 0x3ff};
    const std::uint32_t mantissa = (random() & 1u) != 0 ? kMantissas[random() % 8] : random() & 0x3ffu;
    return (random() & 0xfc00u) | mantissa;
  };
  for (const LaneOp op : {LaneOp::kAdd, LaneOp::kSub, LaneOp::kMul, LaneOp::kFma})
    for (const bool ftz : {false, true})
      for (const bool sat : {false, true}) {
        LaneSpec spec{.op = op, .type = Type::kF16x2};
        spec.rounding = Rounding::kRn;
        spec.ftz = ftz;
        spec.sat = sat;
        const LaneFn fn = find_lane_fn(spec);
        for (unsigned round = 0; round < 400; ++round) {
          Warp warp;
          for (unsigned k = 0; k < 3; ++k)
            for (auto& v : warp.src[k]) v = half() | half() << 16;
          const Warp out = run(fn, spec, warp);
          for (unsigned i = 0; i < kWarp; ++i) {
            const auto expected = half_lane(spec, {warp.src[0][i], warp.src[1][i], warp.src[2][i], 0});
            ASSERT_EQ(out.dst[i], expected->value) << describe(spec) << std::hex << " of " << warp.src[0][i]
                                                   << " " << warp.src[1][i] << " " << warp.src[2][i];
          }
        }
      }
}

// Measured on an H200.
TEST(Half, FlushesByTheRoundedValueAndNanLosesItsSign) {
  expect({.op = LaneOp::kMul, .type = Type::kF16, .ftz = true}, {0x8400, 0x3bff}, 0x8000);
  LaneSpec fma{.op = LaneOp::kFma, .type = Type::kF16, .ftz = true};
  fma.rounding = Rounding::kRn;
  expect(fma, {0x0400, 0x0cda, 0x8400}, 0x8000);
  expect(fma, {0x0400, 0x0801, 0x8400}, 0x8400);
  expect(fma, {0x8400, 0x8400, 0x8400}, 0x8400);
  expect(fma, {0x0400, 0x0402, 0x8400}, 0x8400);
  expect({.op = LaneOp::kAbs, .type = Type::kF16}, {0x7c01}, 0x7fff);
  expect({.op = LaneOp::kNeg, .type = Type::kF16x2}, {0x3c00'7e00}, 0xbc00'7fff);
}

TEST(Half, FmaKeepsWhatADoubleWouldLose) {
  LaneSpec fma{.op = LaneOp::kFma, .type = Type::kF16};
  fma.rounding = Rounding::kRn;
  expect(fma, {0x0001, 0x0001, 0x7800}, 0x7800);  // 2^-48 + 2^15
  // Around 4096 (0x6c00) the last place is 4.
  expect(fma, {0x4000, 0x3c00, 0x6c01}, 0x6c02);  // 2 + 4100: halfway, to even 4104
  expect(fma, {0x3fff, 0x3c00, 0x6c01}, 0x6c01);  // just below
  expect(fma, {0x4000, 0x3c00, 0x6c00}, 0x6c00);  // 2 + 4096: halfway, to even 4096
  expect(fma, {0x4001, 0x3c00, 0x6c00}, 0x6c01);  // just above
  expect(fma, {0x7bff, 0x7bff, 0xfc00}, 0xfc00);
  expect(fma, {0x7c00, 0x0000, 0x3c00}, 0x7fff);
}

TEST(Half, AtomicSumsAreThoseOfTheLaneFunction) {
  std::mt19937 random(2);
  const LaneSpec add{.op = LaneOp::kAdd, .type = Type::kF16x2};
  for (unsigned round = 0; round < 20000; ++round) {
    const std::uint64_t a = random();
    const std::uint64_t b = round % 3 == 0 ? a ^ 0x8000'8000u ^ (random() & 0x0003'0003u) : random();
    const std::uint64_t expected = half_lane(add, {a, b, 0, 0})->value;
    ASSERT_EQ(apply_atomic(AtomicOp::kAdd, Type::kF16x2, a, b, 0), expected) << std::hex << a << " " << b;
    ASSERT_EQ(apply_atomic(AtomicOp::kAdd, Type::kF16, a & 0xffffu, b & 0xffffu, 0), expected & 0xffffu);
  }
}

TEST(ExtendedPrecision, CarriesTravelThroughPredicates) {
  LaneSpec add{.op = LaneOp::kAdd, .type = Type::kU32};
  add.carry_out = true;
  Warp warp;
  warp.src[0].fill(0xffff'ffffu);
  for (unsigned i = 0; i < kWarp; ++i) warp.src[1][i] = i % 2;
  warp.mask = 0x0000'ffffu;
  warp.dst_predicate = {0, 0xff00'0000u};
  const Warp low = run(find_lane_fn(add), add, warp);
  EXPECT_EQ(low.dst_predicate[1], 0xff00'aaaau) << "inactive lanes keep theirs";
  LaneSpec high = add;
  high.op = LaneOp::kAddc;
  warp.predicate[2] = low.dst_predicate[1];
  const Warp sum = run(find_lane_fn(high), high, warp);
  EXPECT_EQ(sum.dst[0], 0xffff'ffffu);
  EXPECT_EQ(sum.dst[1], 1u) << "0xffffffff + 1 + 1";
  EXPECT_EQ(sum.dst_predicate[1], 0xff00'aaaau);
}

}  // namespace
}  // namespace heddle::isa::test::half_test
