// mma: fragments and numerics with values worked out by hand (isa/matrix.h), and mbarriers.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>

#include "isa/atomic.h"
#include "isa/lane_levels.h"
#include "isa/matrix.h"
#include "isa/mbarrier.h"

namespace heddle::isa::test::matrix_test {
namespace {

constexpr unsigned kWarp = 32;

/// The operands of an mma as matrices; fragments after the PTX ISA's tables.
struct Product {
  MatrixProduct shape;
  double a[16][32] = {};
  double b[32][8] = {};
  double c[16][8] = {};
  double d[16][8] = {};

  [[nodiscard]] std::uint32_t encoded(Type type, double v) const {
    const auto single = std::bit_cast<std::uint32_t>(static_cast<float>(v));
    switch (type) {
      case Type::kF16:
        return std::bit_cast<std::uint16_t>(static_cast<_Float16>(v));
      case Type::kBf16:
        return single >> 16;
      case Type::kTf32:
      case Type::kF32:
        return single;
      case Type::kE4m3: {  // of numbers that it has exactly
        if (v == 0) return 0;
        const int exponent = std::ilogb(v);
        const auto mantissa = static_cast<std::uint32_t>((std::fabs(v) / std::ldexp(1.0, exponent) - 1) * 8);
        return (v < 0 ? 0x80u : 0u) | static_cast<std::uint32_t>(exponent + 7) << 3 | mantissa;
      }
      default:
        return static_cast<std::uint32_t>(static_cast<std::int32_t>(v)) & (type == Type::kS32 ? ~0u : 0xffu);
    }
  }
  void run(LaneLevel level) {
    using Row = std::array<std::uint32_t, kWarp>;
    struct alignas(64) Rows {
      Row row[14]{};
    } rows;
    LaneArgs args;
    args.mask = 0xffff'ffffu;
    const unsigned per = shape.per_register();
    const unsigned bits = 32 / per;
    const unsigned halves = shape.m / 8;
    for (unsigned lane = 0; lane < kWarp; ++lane) {
      const unsigned g = lane / 4, t = lane % 4;
      for (unsigned r = 0; r < shape.a_registers(); ++r)
        for (unsigned e = 0; e < per; ++e)
          rows.row[r][lane] |= encoded(shape.a, a[g + r % halves * 8][r / halves * 4 * per + t * per + e])
                               << (bits * e);
      for (unsigned r = 0; r < shape.b_registers(); ++r)
        for (unsigned e = 0; e < per; ++e)
          rows.row[4 + r][lane] |= encoded(shape.b, b[r * 4 * per + t * per + e][g]) << (bits * e);
      for (unsigned i = 0; i < shape.m / 4; ++i) {
        const std::uint32_t value = encoded(shape.d, c[g + i / 2 * 8][2 * t + i % 2]);
        if (shape.d == Type::kF16)
          rows.row[6 + i / 2][lane] |= value << (16 * (i % 2));
        else
          rows.row[6 + i][lane] = value;
      }
    }
    unsigned next = 0;
    const auto give = [&](unsigned first, unsigned count) {
      for (unsigned i = 0; i < count; ++i)
        args.src[next++] = reinterpret_cast<std::byte*>(rows.row[first + i].data());
    };
    give(0, shape.a_registers());
    give(4, shape.b_registers());
    give(6, shape.c_registers());
    for (unsigned i = 0; i < shape.c_registers(); ++i)
      args.dst[i] = reinterpret_cast<std::byte*>(rows.row[10 + i].data());
    args.immediate = shape.pack();
    find_lane_fn_at(level, {.op = LaneOp::kMma, .type = shape.d})(args);
    for (unsigned lane = 0; lane < kWarp; ++lane)
      for (unsigned i = 0; i < shape.m / 4; ++i) {
        const std::uint32_t word = rows.row[10 + (shape.d == Type::kF16 ? i / 2 : i)][lane];
        double& to = d[lane / 4 + i / 2 * 8][2 * (lane % 4) + i % 2];
        if (shape.d == Type::kF16)
          to = static_cast<double>(
              std::bit_cast<_Float16>(static_cast<std::uint16_t>(word >> (16 * (i % 2)))));
        else if (shape.d == Type::kS32)
          to = static_cast<std::int32_t>(word);
        else
          to = std::bit_cast<float>(word);
      }
  }
};

class Mma : public testing::TestWithParam<LaneLevel> {
 protected:
  void SetUp() override {
    if (!lane_level_supported(GetParam())) GTEST_SKIP();
  }
};

TEST_P(Mma, MultipliesMatricesOfEveryTypeAndShape) {
  const MatrixProduct shapes[] = {{.a = Type::kF16, .b = Type::kF16, .k = 8},
                                  {.a = Type::kF16, .b = Type::kF16},
                                  {.a = Type::kF16, .b = Type::kF16, .d = Type::kF16},
                                  {.a = Type::kBf16, .b = Type::kBf16},
                                  {.a = Type::kTf32, .b = Type::kTf32, .k = 4, .block = 4},
                                  {.a = Type::kTf32, .b = Type::kTf32, .k = 8, .block = 4},
                                  {.a = Type::kE4m3, .b = Type::kE4m3, .k = 32, .block = 16},
                                  {.a = Type::kS8, .b = Type::kS8, .d = Type::kS32, .k = 16},
                                  {.a = Type::kU8, .b = Type::kS8, .d = Type::kS32, .k = 32},
                                  {.a = Type::kS8, .b = Type::kU8, .d = Type::kS32, .m = 8, .k = 16}};
  for (const MatrixProduct& shape : shapes) {
    Product p{.shape = shape};
    for (unsigned i = 0; i < shape.m; ++i)
      for (unsigned k = 0; k < shape.k; ++k)
        p.a[i][k] = static_cast<int>((i * 5 + k * 3) % 7) - (shape.a == Type::kU8 ? 0 : 3);
    for (unsigned k = 0; k < shape.k; ++k)
      for (unsigned j = 0; j < 8; ++j)
        p.b[k][j] = static_cast<int>((k * 2 + j * 5) % 5) - (shape.b == Type::kU8 ? 0 : 2);
    for (unsigned i = 0; i < shape.m; ++i)
      for (unsigned j = 0; j < 8; ++j) p.c[i][j] = i * 3.0 + j;
    p.run(GetParam());
    for (unsigned i = 0; i < shape.m; ++i)
      for (unsigned j = 0; j < 8; ++j) {
        double sum = p.c[i][j];
        for (unsigned k = 0; k < shape.k; ++k) sum += p.a[i][k] * p.b[k][j];
        ASSERT_EQ(p.d[i][j], sum) << type_name(shape.a) << " k " << shape.k << " at " << i << ", " << j;
      }
  }
}

/// c + so many products of 2^-24 (2^-12 squared), at these k.
double sum_of_small(LaneLevel level, MatrixProduct shape, double c, std::initializer_list<unsigned> at,
                    double sign = 1) {
  Product p{.shape = shape};
  for (const unsigned k : at) p.a[0][k] = sign * 0x1p-12, p.b[k][0] = 0x1p-12;
  p.c[0][0] = c;
  p.run(level);
  return p.d[0][0];
}

TEST_P(Mma, AlignsToTheLargestExponentAndTruncates) {
  const MatrixProduct one{.extra_bits = 1};
  const MatrixProduct none{.extra_bits = 0};
  EXPECT_EQ(sum_of_small(GetParam(), one, 1.0, {0}), 1.0);                // 1 + 2^-24, truncated to f32
  EXPECT_EQ(sum_of_small(GetParam(), one, 1.0, {0, 1}), 1.0 + 0x1p-23);   // one bit more than f32 has is kept
  EXPECT_EQ(sum_of_small(GetParam(), none, 1.0, {0, 1}), 1.0);            // without it both are lost
  EXPECT_EQ(sum_of_small(GetParam(), one, 1.0, {0}, -1), 1.0 - 0x1p-24);  // rounding to nearest would agree
  EXPECT_EQ(sum_of_small(GetParam(), one, 1.0 + 0x1p-23, {0}), 1.0 + 0x1p-23);  // a tie, towards zero
  EXPECT_EQ(sum_of_small(GetParam(), one, -1.0 - 0x1p-23, {0}, -1), -1.0 - 0x1p-23);
}

TEST_P(Mma, SumsBlocksOneAfterTheOther) {
  EXPECT_EQ(sum_of_small(GetParam(), {.block = 8}, 1.0, {0, 8}), 1.0);
  EXPECT_EQ(sum_of_small(GetParam(), {.block = 16}, 1.0, {0, 8}), 1.0 + 0x1p-23);
}

TEST_P(Mma, RoundsHalvesToNearestEven) {
  const MatrixProduct half{.d = Type::kF16};
  EXPECT_EQ(sum_of_small(GetParam(), half, 0x1p-14, {0}), 0x1p-14 + 0x1p-24);  // the least bit of f16

  Product p{.shape = half};
  p.a[0][0] = 1, p.b[0][0] = 0x1p-11, p.c[0][0] = 1.0 + 0x1p-10;
  p.run(GetParam());
  EXPECT_EQ(p.d[0][0], 1.0 + 0x1p-9);
}

TEST_P(Mma, KnowsZerosInfinitiesAndNaN) {
  Product p{};
  p.c[0][0] = 0x1p-100;  // no zero is in its way
  p.a[1][0] = HUGE_VAL, p.b[0][1] = 1;
  p.c[1][2] = -HUGE_VAL;
  p.run(GetParam());
  EXPECT_EQ(p.d[0][0], 0x1p-100);
  EXPECT_EQ(p.d[1][1], HUGE_VAL);
  EXPECT_TRUE(std::isnan(p.d[1][0]));  // infinity times zero
  EXPECT_TRUE(std::isnan(p.d[1][2]));
}

TEST_P(Mma, ClampsIntegersOnRequest) {
  for (const bool clamps : {false, true}) {
    Product p{.shape = {.a = Type::kS8, .b = Type::kS8, .d = Type::kS32, .k = 32, .satfinite = clamps}};
    p.a[0][0] = 100, p.b[0][0] = 100, p.c[0][0] = 0x7fff'ffff;
    p.run(GetParam());
    EXPECT_EQ(p.d[0][0], clamps ? 0x7fff'ffff : -2147473649.0);
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, Mma, testing::ValuesIn(kLaneLevels));

TEST(MBarrier, CountsArrivalsAndBytes) {
  const auto apply = [](AtomicOp op, std::uint64_t state, std::uint64_t operand) {
    return apply_atomic(op, Type::kB64, state, operand, 0);
  };
  std::uint64_t state = MBarrier::initial(3).pack();
  state = apply(AtomicOp::kArrive, state, 1);
  EXPECT_EQ(MBarrier::unpack(state).pending, 2u);
  state = apply(AtomicOp::kExpect, state, expect_operand(1, 64));
  EXPECT_EQ(MBarrier::unpack(state).bytes, 64);
  state = apply(AtomicOp::kArrive, state, 1);
  EXPECT_FALSE(MBarrier::unpack(state).parity);  // nothing pends but bytes
  state = MBarrier::initial(2).pack();
  state = apply(AtomicOp::kArriveDrop, state, 1);
  state = apply(AtomicOp::kArrive, state, 1);
  EXPECT_TRUE(MBarrier::unpack(state).parity);
  EXPECT_EQ(MBarrier::unpack(state).pending, 1u);         // the next phase waits for one less
  state = apply(AtomicOp::kArrive, state, 0xffff'ffffu);  // one arrival more is waited for
  EXPECT_EQ(MBarrier::unpack(state).pending, 2u);
  EXPECT_EQ(MBarrier::unpack(MBarrier{7, 9, -5, true}.pack()).bytes, -5);
}

TEST(MatrixProductTest, GoesIntoAnImmediate) {
  const MatrixProduct product{.a = Type::kU8,
                              .b = Type::kS8,
                              .d = Type::kS32,
                              .m = 8,
                              .k = 16,
                              .satfinite = true,
                              .block = 32,
                              .extra_bits = 3};
  const MatrixProduct back = MatrixProduct::unpack(product.pack());
  EXPECT_EQ(back.a, product.a);
  EXPECT_EQ(back.b, product.b);
  EXPECT_EQ(back.d, product.d);
  EXPECT_EQ(back.m, 8u);
  EXPECT_EQ(back.k, 16u);
  EXPECT_TRUE(back.satfinite);
  EXPECT_EQ(back.block, 32u);
  EXPECT_EQ(back.extra_bits, 3u);
}

}  // namespace
}  // namespace heddle::isa::test::matrix_test
