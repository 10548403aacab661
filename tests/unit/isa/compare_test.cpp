// setp, set, selp, slct, testp, predicate logic, moves.
#include "unit/isa/golden.h"

namespace heddle::isa::test::compare_test {
namespace {

LaneSpec setp(Compare c, Type t) { return {.op = LaneOp::kSetp, .type = t, .compare = c}; }

TEST(Compare, SignDecidesTheOrder) {
  expect(setp(Compare::kLt, Type::kS32), {0xffff'ffffu, 0}, 1);
  expect(setp(Compare::kLt, Type::kU32), {0xffff'ffffu, 0}, 0);
  expect(setp(Compare::kHi, Type::kU32), {0xffff'ffffu, 0}, 1);
  expect(setp(Compare::kGe, Type::kS16), {0x8000, 0x7fff}, 0);
  expect(setp(Compare::kHs, Type::kU16), {0x8000, 0x7fff}, 1);
  expect(setp(Compare::kLt, Type::kS64), {0x8000'0000'0000'0000u, 0}, 1);
  expect(setp(Compare::kEq, Type::kB64), {0x1'0000'0000u, 0}, 0);
  expect(setp(Compare::kEq, Type::kB16), {0x1'0005u, 5}, 1);  // only the low 16 bits are used
}

TEST(Compare, UnorderedComparisons) {
  for (const Compare c :
       {Compare::kEq, Compare::kNe, Compare::kLt, Compare::kLe, Compare::kGt, Compare::kGe, Compare::kNum})
    expect(setp(c, Type::kF32), {kNan32, f32(1)}, 0);
  for (const Compare c : {Compare::kEqu, Compare::kNeu, Compare::kLtu, Compare::kLeu, Compare::kGtu,
                          Compare::kGeu, Compare::kNan})
    expect(setp(c, Type::kF32), {kNan32, f32(1)}, 1);
  expect(setp(Compare::kLtu, Type::kF32), {f32(2), f32(1)}, 0);
  expect(setp(Compare::kNum, Type::kF64), {f64(2), f64(1)}, 1);
  expect(setp(Compare::kEq, Type::kF32), {0, 0x8000'0000u}, 1);
  LaneSpec ftz = setp(Compare::kGt, Type::kF32);
  expect(ftz, {f32(0x1p-149f), 0}, 1);
  ftz.ftz = true;
  expect(ftz, {f32(0x1p-149f), 0}, 0);
}

TEST(Compare, SecondDestinationTakesTheComplementaryComparison) {
  LaneSpec spec = setp(Compare::kLt, Type::kS32);
  spec.combine = Combine::kAnd;
  Warp warp;
  for (unsigned i = 0; i < kWarp; ++i) warp.src[0][i] = i;
  warp.src[1].fill(8);
  warp.predicate[2] = 0x0000'ffffu;
  Warp out = run(find_lane_fn(spec), spec, warp);
  EXPECT_EQ(out.dst_predicate[0], 0x0000'00ffu);
  EXPECT_EQ(out.dst_predicate[1], 0x0000'ff00u);
  warp.negated = 1u << 2;  // !c
  out = run(find_lane_fn(spec), spec, warp);
  EXPECT_EQ(out.dst_predicate[0], 0u);
  EXPECT_EQ(out.dst_predicate[1], 0xffff'0000u);
  spec.combine = Combine::kXor;
  warp.mask = 0x0000'0f0fu;
  warp.dst_predicate = {0xf000'0000u, 0x0f00'0000u};
  out = run(find_lane_fn(spec), spec, warp);
  EXPECT_EQ(out.dst_predicate[0], 0xf000'000fu);
  EXPECT_EQ(out.dst_predicate[1], 0x0f00'0f00u);
}

TEST(Compare, SetWritesOnesOrOne) {
  expect({.op = LaneOp::kSet, .type = Type::kU32, .src_type = Type::kF32, .compare = Compare::kGt},
         {f32(2), f32(1)}, 0xffff'ffffu);
  expect({.op = LaneOp::kSet, .type = Type::kF32, .src_type = Type::kS32, .compare = Compare::kLt},
         {0xffff'ffffu, 0}, f32(1));
  expect({.op = LaneOp::kSet, .type = Type::kF32, .src_type = Type::kU32, .compare = Compare::kLt},
         {0xffff'ffffu, 0}, 0);
  expect({.op = LaneOp::kSet,
          .type = Type::kS32,
          .src_type = Type::kU64,
          .compare = Compare::kEq,
          .combine = Combine::kAnd},
         {5, 5, 0}, 0);
}

TEST(Select, ByPredicateAndBySign) {
  expect({.op = LaneOp::kSelp, .type = Type::kF64}, {f64(1), f64(2), 1}, f64(1));
  expect({.op = LaneOp::kSelp, .type = Type::kU16}, {1, 2, 0}, 2);
  expect({.op = LaneOp::kSlct, .type = Type::kU64, .src_type = Type::kS32}, {1, 2, 0x8000'0000u}, 2);
  expect({.op = LaneOp::kSlct, .type = Type::kB32, .src_type = Type::kF32}, {1, 2, f32(-0.0f)}, 1);
  expect({.op = LaneOp::kSlct, .type = Type::kB32, .src_type = Type::kF32}, {1, 2, kNan32}, 2);
  expect({.op = LaneOp::kSlct, .type = Type::kB32, .src_type = Type::kF32}, {1, 2, f32(-0x1p-149f)}, 2);
  expect({.op = LaneOp::kSlct, .type = Type::kB32, .src_type = Type::kF32, .ftz = true},
         {1, 2, f32(-0x1p-149f)}, 1);
}

TEST(Testp, ClassifiesFloats) {
  const auto testp = [](TestProperty p) {
    return LaneSpec{.op = LaneOp::kTestp, .type = Type::kF32, .property = p};
  };
  expect(testp(TestProperty::kFinite), {f32(1)}, 1);
  expect(testp(TestProperty::kFinite), {0xff80'0000u}, 0);
  expect(testp(TestProperty::kInfinite), {0xff80'0000u}, 1);
  expect(testp(TestProperty::kNotANumber), {kNan32}, 1);
  expect(testp(TestProperty::kNumber), {kNan32}, 0);
  expect(testp(TestProperty::kSubnormal), {0x8000'0001u}, 1);
  expect(testp(TestProperty::kSubnormal), {0}, 0);
  expect(testp(TestProperty::kNormal), {0x0080'0000u}, 1);
  expect(testp(TestProperty::kNormal), {0}, 1);
  expect(testp(TestProperty::kNormal), {0x8000'0000u}, 1);
  expect(testp(TestProperty::kNormal), {1}, 0);
}

TEST(Move, PacksUnpacksAndExtendsParameters) {
  expect({.op = LaneOp::kPack2x32, .type = Type::kB64}, {1, 2}, 0x2'0000'0001u);
  expect({.op = LaneOp::kUnpack2x32Lo, .type = Type::kB64}, {0x2'0000'0001u}, 1);
  expect({.op = LaneOp::kUnpack2x32Hi, .type = Type::kB64}, {0x2'0000'0001u}, 2);
  expect({.op = LaneOp::kPack2x16, .type = Type::kB32}, {0x1234, 0xabcd}, 0xabcd'1234u);
  expect({.op = LaneOp::kUnpack2x16Hi, .type = Type::kB32}, {0xabcd'1234u}, 0xabcd);
  const auto param = [](Type type, std::uint8_t dst_bits, std::uint64_t bytes) {
    const LaneSpec spec{.op = LaneOp::kParam, .type = type, .dst_bits = dst_bits};
    Warp warp;
    warp.param = bytes;
    return run(find_lane_fn(spec), spec, warp).dst[17];
  };
  EXPECT_EQ(param(Type::kU64, 0, 0x1122'3344'5566'7788u), 0x1122'3344'5566'7788u);
  EXPECT_EQ(param(Type::kF32, 0, 0x1122'3344'5566'7788u), 0x5566'7788u);
  EXPECT_EQ(param(Type::kU8, 0, 0xf88), 0x88u);
  EXPECT_EQ(param(Type::kS8, 16, 0xf88), 0xff88u);
  EXPECT_EQ(param(Type::kS8, 32, 0xf88), 0xffff'ff88u);
  EXPECT_EQ(param(Type::kS32, 64, 0x8000'0000u), 0xffff'ffff'8000'0000u);
}

TEST(Move, PredicateLogicHonoursNegation) {
  Warp warp;
  warp.predicate = {0x0000'00ffu, 0x0000'0f0fu, 0, 0};
  warp.mask = 0x0000'ffffu;
  warp.dst_predicate = {0xaaaa'0000u, 0};
  const LaneSpec both{.op = LaneOp::kAnd, .type = Type::kPred};
  EXPECT_EQ(run(find_lane_fn(both), both, warp).dst_predicate[0], 0xaaaa'000fu);
  warp.negated = 1;
  EXPECT_EQ(run(find_lane_fn(both), both, warp).dst_predicate[0], 0xaaaa'0f00u);
  const LaneSpec move{.op = LaneOp::kMov, .type = Type::kPred};
  EXPECT_EQ(run(find_lane_fn(move), move, warp).dst_predicate[0], 0xaaaa'ff00u);
}

}  // namespace
}  // namespace heddle::isa::test::compare_test
