// f16 arithmetic as exact steps in double: no level needs a 16-bit float type or instruction.
#pragma once

#include "isa/lane/float_rules.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

constexpr std::uint32_t kNanF16 = 0x7fffu;  // canonical, as PTX names it

HEDDLE_INLINE double half_to_double(std::uint32_t half) {
  const std::uint32_t exponent = (half >> 10) & 0x1fu;
  const std::uint32_t mantissa = half & 0x3ffu;
  const std::uint64_t sign = static_cast<std::uint64_t>(half & 0x8000u) << 48;
  if (exponent == 0x1fu)
    return from_bits(sign | FloatFormat<double>::kInfinity |
                     (mantissa != 0 ? FloatFormat<double>::kQuiet : 0u) |
                     static_cast<std::uint64_t>(mantissa) << 42);
  if (exponent == 0) return from_bits(sign | bits_of(static_cast<double>(mantissa) * 0x1p-24));
  return from_bits(sign | static_cast<std::uint64_t>(exponent + (1023 - 15)) << 52 |
                   static_cast<std::uint64_t>(mantissa) << 42);
}

template <Rounding r>
HEDDLE_INLINE std::uint32_t double_to_half(double v) {
  if (v != v) return kNanF16;
  const bool negative = (bits_of(v) & FloatFormat<double>::kSign) != 0;
  const std::uint32_t sign = negative ? 0x8000u : 0u;
  const double m = magnitude(v);
  const bool away = (r == Rounding::kRp && !negative) || (r == Rounding::kRm && negative);
  if (m >= 0x1p16) {  // above the largest f16, 65504
    const bool to_infinity = m == from_bits(FloatFormat<double>::kInfinity) || r == Rounding::kRn || away;
    return sign | (to_infinity ? 0x7c00u : 0x7bffu);
  }
  // In units in the last place. Their exponent is the value's, but at least that of subnormals, minus 10.
  const int exponent = static_cast<int>(bits_of(m) >> 52) - 1023;
  const int unit = (exponent < -14 ? -14 : exponent) - 10;
  const double scaled = m * from_bits(static_cast<std::uint64_t>(1023 - unit) << 52);  // exact
  auto units = static_cast<std::uint32_t>(scaled);
  const double rest = scaled - static_cast<double>(units);
  const bool nearest_up = rest > 0.5 || (rest == 0.5 && (units & 1u) != 0);
  units += (r == Rounding::kRn ? nearest_up : away && rest > 0.0) ? 1u : 0u;
  // A carry out of the mantissa increments the exponent by itself, up to infinity.
  return sign | ((static_cast<std::uint32_t>(unit + 24) << 10) + units);
}

constexpr std::uint32_t kHalfSign = 0x8000u;
/// .ftz of the low 16 bits: subnormals become zero of the same sign.
template <bool ftz>
HEDDLE_INLINE std::uint32_t flush_half(std::uint32_t half) {
  return ftz && (half & 0x7c00u) == 0 ? half & kHalfSign : half & 0xffffu;
}

/// A number that is not exact in double has its last bit set: rounded again, it never looks like a tie.
HEDDLE_INLINE double sum_to_odd(double a, double b) {
  const double sum = a + b;
  const double part = sum - a;
  const double error = (a - (sum - part)) + (b - part);
  if (!(magnitude(sum) < from_bits(FloatFormat<double>::kInfinity)) || error == 0.0) return sum;
  const std::uint64_t bits = bits_of(sum);
  if ((bits & 1u) != 0) return sum;
  return from_bits((error > 0.0) == (sum > 0.0) ? bits + 1 : bits - 1);
}

// f16 as an element: values are held as doubles; results are bits, already rounded.
struct F16 {
  using Value = double;
  using Cell = CellU32;
  static constexpr bool kFloat = true;
  HEDDLE_INLINE static double get(std::uint32_t c) { return half_to_double(c & 0xffffu); }
};
/// One half of an f16x2, or an f16 with .ftz.
template <bool high, bool ftz>
struct HalfOf : F16 {
  HEDDLE_INLINE static double get(std::uint32_t c) {
    return half_to_double(flush_half<ftz>(high ? c >> 16 : c));
  }
};

}  // namespace
}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
