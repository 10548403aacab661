#include <limits>

#include "unit/isa/golden.h"

namespace heddle::isa::test::convert_test {
namespace {

constexpr std::uint64_t kNan64 = 0x7ff8'0000'0000'0000u;

LaneSpec cvt(Type to, Type from, Rounding r = Rounding::kDefault) {
  return {.op = LaneOp::kCvt, .type = to, .src_type = from, .rounding = r};
}

TEST(Convert, IntegersChopAndExtend) {
  expect(cvt(Type::kS64, Type::kS32), {0x8000'0000u}, 0xffff'ffff'8000'0000u);
  expect(cvt(Type::kU64, Type::kU32), {0x8000'0000u}, 0x8000'0000u);
  expect(cvt(Type::kU64, Type::kS32), {0xffff'ffffu}, kOnes64);  // a signed source is sign-extended
  expect(cvt(Type::kS64, Type::kU32), {0xffff'ffffu}, 0xffff'ffffu);
  expect(cvt(Type::kU32, Type::kU64), {0x1234'5678'9abc'def0u}, 0x9abc'def0u);
  expect(cvt(Type::kU16, Type::kU32), {0x12'3456u}, 0x3456);
  expect(cvt(Type::kS32, Type::kS8), {0x1280}, 0xffff'ff80u);
  expect(cvt(Type::kS16, Type::kS8), {0x80}, 0xff80);
  expect(cvt(Type::kU16, Type::kS8), {0x80}, 0xff80);
  expect(cvt(Type::kU8, Type::kU32), {0x1ff}, 0xff);
}

TEST(Convert, WiderRegisters) {
  LaneSpec spec = cvt(Type::kS8, Type::kS32);
  expect(spec, {0x180}, 0x80);  // into an 8-bit register
  spec.dst_bits = 16;
  expect(spec, {0x180}, 0xff80);
  spec.dst_bits = 32;
  expect(spec, {0x180}, 0xffff'ff80u);
  spec.dst_bits = 64;
  expect(spec, {0x180}, 0xffff'ffff'ffff'ff80u);
  spec = cvt(Type::kS64, Type::kS8);
  spec.src_bits = 64;  // cvt.s64.s8 %rd, %rd
  expect(spec, {0x1234'5678'0000'0080u}, 0xffff'ffff'ffff'ff80u);
  spec = cvt(Type::kU16, Type::kS8);
  spec.dst_bits = 32;
  expect(spec, {0x80}, 0xff80);
}

TEST(Convert, SaturatingIntegers) {
  const auto sat = [](Type to, Type from) {
    LaneSpec spec = cvt(to, from);
    spec.sat = true;
    return spec;
  };
  expect(sat(Type::kU8, Type::kS32), {0xffff'ffffu}, 0);
  expect(sat(Type::kU8, Type::kS32), {300}, 255);
  expect(sat(Type::kS8, Type::kS32), {0xffff'0000u}, 0x80);
  expect(sat(Type::kS32, Type::kU32), {0x8000'0000u}, 0x7fff'ffffu);
  expect(sat(Type::kS32, Type::kS64), {0x8000'0000'0000'0000u}, 0x8000'0000u);
  expect(sat(Type::kU32, Type::kU64), {0x1'0000'0000u}, 0xffff'ffffu);
  expect(sat(Type::kS64, Type::kU64), {kOnes64}, 0x7fff'ffff'ffff'ffffu);
}

TEST(Convert, FloatToIntegerRoundingModes) {
  const std::uint64_t x = f32(-2.5f);
  expect(cvt(Type::kS32, Type::kF32, Rounding::kRni), {x}, 0xffff'fffeu);
  expect(cvt(Type::kS32, Type::kF32, Rounding::kRzi), {x}, 0xffff'fffeu);
  expect(cvt(Type::kS32, Type::kF32, Rounding::kRmi), {x}, 0xffff'fffdu);
  expect(cvt(Type::kS32, Type::kF32, Rounding::kRpi), {x}, 0xffff'fffeu);
  expect(cvt(Type::kS32, Type::kF32, Rounding::kRni), {f32(3.5f)}, 4);
  expect(cvt(Type::kS32, Type::kF32, Rounding::kRpi), {f32(0x1p-149f)}, 1);
  LaneSpec ftz = cvt(Type::kS32, Type::kF32, Rounding::kRpi);
  ftz.ftz = true;
  expect(ftz, {f32(0x1p-149f)}, 0);
}

TEST(Convert, FloatToIntegerClamps) {
  expect(cvt(Type::kS32, Type::kF32, Rounding::kRzi), {f32(0x1p31f)}, 0x7fff'ffffu);
  expect(cvt(Type::kS32, Type::kF32, Rounding::kRzi), {f32(-0x1p31f)}, 0x8000'0000u);
  expect(cvt(Type::kS32, Type::kF32, Rounding::kRzi), {f32(-kInf)}, 0x8000'0000u);
  expect(cvt(Type::kU32, Type::kF32, Rounding::kRzi), {f32(-1)}, 0);
  expect(cvt(Type::kU32, Type::kF32, Rounding::kRzi), {f32(-0.75f)}, 0);
  expect(cvt(Type::kU32, Type::kF32, Rounding::kRzi), {f32(4294967040.0f)}, 0xffff'ff00u);
  expect(cvt(Type::kU32, Type::kF32, Rounding::kRzi), {f32(0x1p32f)}, 0xffff'ffffu);
  expect(cvt(Type::kU64, Type::kF64, Rounding::kRzi), {f64(0x1p63)}, 0x8000'0000'0000'0000u);
  expect(cvt(Type::kU64, Type::kF32, Rounding::kRzi), {f32(kInf)}, kOnes64);
  expect(cvt(Type::kU8, Type::kF32, Rounding::kRni), {f32(255.5f)}, 255);
  expect(cvt(Type::kS8, Type::kF32, Rounding::kRzi), {f32(-500)}, 0x80);
}

TEST(Convert, NanToIntegerDependsOnTheTypes) {
  expect(cvt(Type::kS32, Type::kF32, Rounding::kRzi), {kNan32}, 0);
  expect(cvt(Type::kU16, Type::kF32, Rounding::kRzi), {kNan32}, 0);
  expect(cvt(Type::kS64, Type::kF32, Rounding::kRzi), {kNan32}, 0x8000'0000'0000'0000u);
  expect(cvt(Type::kU64, Type::kF32, Rounding::kRzi), {kNan32}, 0x8000'0000'0000'0000u);
  expect(cvt(Type::kS32, Type::kF64, Rounding::kRzi), {kNan64}, 0x8000'0000u);
  expect(cvt(Type::kU32, Type::kF64, Rounding::kRzi), {kNan64}, 0x8000'0000u);
}

TEST(Convert, IntegerToFloatRounds) {
  const std::uint64_t halfway = 0x0100'0001u;  // 2^24 + 1
  expect(cvt(Type::kF32, Type::kU32, Rounding::kRn), {halfway}, f32(0x1p24f));
  expect(cvt(Type::kF32, Type::kU32, Rounding::kRp), {halfway}, f32(0x1p24f + 2));
  expect(cvt(Type::kF32, Type::kS32, Rounding::kRm), {0xfeff'ffffu}, f32(-0x1p24f - 2));
  expect(cvt(Type::kF32, Type::kU32, Rounding::kRn), {0xffff'ffffu}, f32(0x1p32f));
  expect(cvt(Type::kF32, Type::kU32, Rounding::kRz), {0xffff'ffffu}, f32(4294967040.0f));
  expect(cvt(Type::kF32, Type::kU64, Rounding::kRn), {0x8000'0080'0000'0001u},
         f32(0x1.000002p63f));  // sticky bit
  expect(cvt(Type::kF64, Type::kS32, Rounding::kRn), {0x8000'0000u}, f64(-0x1p31));
  expect(cvt(Type::kF64, Type::kU64, Rounding::kRz), {kOnes64}, f64(0x1.fffffffffffffp63));
  expect(cvt(Type::kF32, Type::kS8, Rounding::kRn), {0x80}, f32(-128));
}

// Measured on an H200.
TEST(Convert, NansBetweenFloats) {
  constexpr std::uint64_t kNegative = 0xfff8'0000'0000'0123u;
  expect(cvt(Type::kF64, Type::kF64), {0x7ff0'0000'0000'0001u}, 0x7ff0'0000'0000'0001u);
  expect(cvt(Type::kF64, Type::kF64, Rounding::kRzi), {0x7ff0'0000'0000'0001u}, 0x7ff8'0000'0000'0001u);
  expect(cvt(Type::kF32, Type::kF64, Rounding::kRn), {kNegative}, 0xffc0'0000u);
  expect(cvt(Type::kF16, Type::kF64, Rounding::kRn), {kNegative}, 0xfe00);
  expect(cvt(Type::kF64, Type::kF32), {0xffc1'2345u}, 0xfff8'2468'a000'0000u);
  expect(cvt(Type::kF64, Type::kF16), {0x7c01}, 0x7ff8'0400'0000'0000u);
  expect(cvt(Type::kF32, Type::kF32), {0x7f80'0001u}, 0x7f80'0001u);
  LaneSpec ftz = cvt(Type::kF64, Type::kF32);
  ftz.ftz = true;
  expect(ftz, {0xffc1'2345u}, 0x7fff'ffff'e000'0000u);
  LaneSpec narrow = cvt(Type::kF16, Type::kF32, Rounding::kRp);
  narrow.ftz = true;
  expect(narrow, {1}, 1);  // the subnormal operand counts
}

TEST(Convert, FloatToFloat) {
  expect(cvt(Type::kF32, Type::kF64, Rounding::kRn), {f64(1 + 0x1p-24)}, f32(1));
  expect(cvt(Type::kF32, Type::kF64, Rounding::kRp), {f64(1 + 0x1p-24)}, f32(1 + 0x1p-23f));
  expect(cvt(Type::kF32, Type::kF64, Rounding::kRn), {f64(0x1p-150)}, 0);
  expect(cvt(Type::kF32, Type::kF64, Rounding::kRp), {f64(0x1p-150)}, 1);
  expect(cvt(Type::kF32, Type::kF64, Rounding::kRn), {f64(1e300)}, f32(kInf));
  expect(cvt(Type::kF64, Type::kF32), {f32(0x1p-149f)}, f64(0x1p-149));
  LaneSpec ftz = cvt(Type::kF64, Type::kF32);
  ftz.ftz = true;
  expect(ftz, {f32(-0x1p-149f)}, f64(-0.0));
  // The border of .ftz: with 24 bits the first number is exact and below it; the second rounds to it (measured on an H200).
  LaneSpec narrow = cvt(Type::kF32, Type::kF64, Rounding::kRn);
  narrow.ftz = true;
  expect(narrow, {0x380f'ffff'e000'0000u}, 0);
  expect(narrow, {0x380f'ffff'ffff'ffffu}, 0x0080'0000);
  narrow.rounding = Rounding::kRp;
  expect(narrow, {0x380f'ffff'e000'0000u}, 0);
  expect(narrow, {0xb80f'ffff'ffff'ffffu}, 0x8000'0000u);
  expect(cvt(Type::kF32, Type::kF32, Rounding::kRni), {f32(-0.5f)}, f32(-0.0f));
  expect(cvt(Type::kF32, Type::kF32, Rounding::kRpi), {f32(1.25f)}, f32(2));
  LaneSpec sat = cvt(Type::kF32, Type::kF32);
  sat.sat = true;
  expect(sat, {f32(7)}, f32(1));
  expect(sat, {kNan32}, 0);
}

TEST(Convert, Halves) {
  expect(cvt(Type::kF32, Type::kF16), {0x3c00}, f32(1));
  expect(cvt(Type::kF32, Type::kF16), {0x0001}, f32(0x1p-24f));
  expect(cvt(Type::kF32, Type::kF16), {0xfc00}, f32(-kInf));
  expect(cvt(Type::kF32, Type::kF16), {0x7e01}, 0x7fff'ffffu);
  expect(cvt(Type::kF16, Type::kF32, Rounding::kRn), {f32(65504)}, 0x7bff);
  expect(cvt(Type::kF16, Type::kF32, Rounding::kRn), {f32(65519.996f)}, 0x7bff);
  expect(cvt(Type::kF16, Type::kF32, Rounding::kRn), {f32(65520)}, 0x7c00);
  expect(cvt(Type::kF16, Type::kF32, Rounding::kRz), {f32(1e9f)}, 0x7bff);
  expect(cvt(Type::kF16, Type::kF32, Rounding::kRn), {f32(1 + 0x1p-11f)}, 0x3c00);
  expect(cvt(Type::kF16, Type::kF32, Rounding::kRn), {f32(1 + 0x3p-11f)}, 0x3c02);
  expect(cvt(Type::kF16, Type::kF32, Rounding::kRn), {f32(-0x1p-25f)}, 0x8000);
  expect(cvt(Type::kF16, Type::kF32, Rounding::kRn), {f32(0x1.8p-25f)}, 0x0001);
  expect(cvt(Type::kF16, Type::kF32, Rounding::kRn), {f32(0x1.ffcp-15f)},
         0x0400);                                                               // carries into the normals
  expect(cvt(Type::kS32, Type::kF16, Rounding::kRzi), {0xc500}, 0xffff'fffbu);  // -5
}

}  // namespace
}  // namespace heddle::isa::test::convert_test
