// The SFU's functions of one f32, computed in double to about 2^-45 and rounded once to f32: far inside the
// error bounds that the PTX ISA gives for the .approx forms. They use IEEE add, subtract, multiply and divide
// only, not the host's libm, so that results are bit-identical on every machine.
#pragma once

#include "isa/lane/float_rules.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

constexpr double kLn2 = 0x1.62e42fefa39efp-1;
constexpr double kTwoOverLn2 = 0x1.71547652b82fep+1;
constexpr double kHalfPi = 0x1.921fb54442d18p+0;

/// 2^x for finite |x| <= 1000. Taylor series of e^t, |t| <= ln2 / 2; the first omitted term is below 2^-52.
HEDDLE_INLINE double exp2_double(double x) {
  constexpr double kRoundToInteger = 0x1.8p52;  // adding it rounds to an integer
  const double n = (x + kRoundToInteger) - kRoundToInteger;
  const double t = (x - n) * kLn2;
  double p = 1.0 / 479001600.0;
  p = p * t + 1.0 / 39916800.0;
  p = p * t + 1.0 / 3628800.0;
  p = p * t + 1.0 / 362880.0;
  p = p * t + 1.0 / 40320.0;
  p = p * t + 1.0 / 5040.0;
  p = p * t + 1.0 / 720.0;
  p = p * t + 1.0 / 120.0;
  p = p * t + 1.0 / 24.0;
  p = p * t + 1.0 / 6.0;
  p = p * t + 0.5;
  p = p * t + 1.0;
  p = p * t + 1.0;
  const auto exponent = static_cast<std::int64_t>(static_cast<std::int32_t>(n)) + 1023;
  return p * from_bits(static_cast<std::uint64_t>(exponent) << 52);
}

HEDDLE_INLINE double ex2_wide(float x) {
  // Beyond these bounds the rounded result is 0 or infinity anyway.
  const float low = x > -200.0f ? x : -200.0f;  // NaN -> -200
  const float bounded = low < 200.0f ? low : 200.0f;
  const double result = exp2_double(bounded);
  return x == x ? result : static_cast<double>(x);
}
HEDDLE_INLINE float ex2(float x) { return static_cast<float>(ex2_wide(x)); }

/// log2 of a positive finite float: exponent + 2/ln2 * atanh((m-1)/(m+1)), m in [sqrt(1/2), sqrt(2)).
HEDDLE_INLINE float lg2(float x) {
  const bool positive_finite = x > 0.0f && x < from_bits(FloatFormat<float>::kInfinity);
  const std::uint64_t bits = bits_of(static_cast<double>(positive_finite ? x : 1.0f));
  constexpr std::uint64_t kSqrt2Mantissa = 0x6a09e667f3bcdu;
  const std::uint64_t mantissa = bits & 0xf'ffff'ffff'ffffu;
  const std::uint64_t halve = mantissa >= kSqrt2Mantissa ? 1u : 0u;
  const double m = from_bits(mantissa | (std::uint64_t{1023} - halve) << 52);
  const auto exponent = static_cast<double>(static_cast<std::int32_t>((bits >> 52) + halve) - 1023);
  const double s = (m - 1.0) / (m + 1.0);
  const double z = s * s;
  double p = 1.0 / 19.0;
  p = p * z + 1.0 / 17.0;
  p = p * z + 1.0 / 15.0;
  p = p * z + 1.0 / 13.0;
  p = p * z + 1.0 / 11.0;
  p = p * z + 1.0 / 9.0;
  p = p * z + 1.0 / 7.0;
  p = p * z + 1.0 / 5.0;
  p = p * z + 1.0 / 3.0;
  p = p * z + 1.0;
  const auto result = static_cast<float>(exponent + kTwoOverLn2 * (s * p));
  const float zero_or_negative =
      x < 0.0f ? from_bits(FloatFormat<float>::kNan) : -from_bits(FloatFormat<float>::kInfinity);
  const float other = x > 0.0f || x != x ? x : zero_or_negative;  // +infinity and NaN map to themselves
  return positive_finite ? result : other;
}

/// An angle reduced to [-pi/4, pi/4] and its quadrant.
struct Reduced {
  double r;
  unsigned quadrant;
};

/// |x| < 2^28: subtract a multiple of pi/2 held in 25 + 53 bits, so that the first product is exact.
HEDDLE_INLINE Reduced reduce_medium(double x) {
  constexpr double kRoundToInteger = 0x1.8p52;
  constexpr double kHalfPiHigh = 0x1.921fb5p+0;
  constexpr double kHalfPiLow = 0x1.110b4611a6263p-26;
  constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
  const double n = (x * kTwoOverPi + kRoundToInteger) - kRoundToInteger;
  return {(x - n * kHalfPiHigh) - n * kHalfPiLow, static_cast<unsigned>(static_cast<std::int32_t>(n)) & 3u};
}

/// Payne-Hanek for |x| >= 2^28: x = m * 2^e, and only the 128 bits of 2/pi that matter modulo 4 are
/// multiplied by m.
Reduced reduce_large(float x) {
  constexpr std::uint32_t kTwoOverPi[] = {0xA2F9836Eu, 0x4E441529u, 0xFC2757D1u, 0xF534DDC0u,
                                          0xDB629599u, 0x3C439041u, 0xFE5163ABu, 0xDEBBC561u};
  const std::uint32_t bits = bits_of(x);
  const std::uint32_t m = (bits & 0x7f'ffffu) | 0x80'0000u;
  const unsigned start = ((bits >> 23) & 0xffu) - 150u - 2u;  // first kept bit of 2/pi, counted from 0
  const unsigned word = start / 32;
  const unsigned shift = start % 32;
  Uint128 window = 0;
  for (unsigned k = 0; k < 4; ++k) window = window << 32 | kTwoOverPi[word + k];
  if (shift != 0) window = window << shift | kTwoOverPi[word + 4] >> (32 - shift);
  const Uint128 product = window * m;  // x * 2/pi modulo 4, scaled by 2^126
  const auto quadrant = static_cast<unsigned>((product + (Uint128{1} << 125)) >> 126);
  const auto fraction = static_cast<Int128>(product - (Uint128{quadrant} << 126));
  const auto top = static_cast<std::int64_t>(fraction >> 64);
  const auto low = static_cast<double>(static_cast<std::uint64_t>(fraction));
  const double r = (static_cast<double>(top) * 0x1p-62 + low * 0x1p-126) * kHalfPi;
  return (bits & FloatFormat<float>::kSign) != 0 ? Reduced{-r, (0u - quadrant) & 3u}
                                                 : Reduced{r, quadrant & 3u};
}

HEDDLE_INLINE double sin_kernel(double r) {
  const double z = r * r;
  double p = -1.0 / 1307674368000.0;
  p = p * z + 1.0 / 6227020800.0;
  p = p * z - 1.0 / 39916800.0;
  p = p * z + 1.0 / 362880.0;
  p = p * z - 1.0 / 5040.0;
  p = p * z + 1.0 / 120.0;
  p = p * z - 1.0 / 6.0;
  return r + r * (z * p);
}
HEDDLE_INLINE double cos_kernel(double r) {
  const double z = r * r;
  double p = 1.0 / 20922789888000.0;
  p = p * z - 1.0 / 87178291200.0;
  p = p * z + 1.0 / 479001600.0;
  p = p * z - 1.0 / 3628800.0;
  p = p * z + 1.0 / 40320.0;
  p = p * z - 1.0 / 720.0;
  p = p * z + 1.0 / 24.0;
  p = p * z - 0.5;
  return 1.0 + z * p;
}

/// sin(x) if quarter is 0, cos(x) = sin(x + pi/2) if it is 1. Infinities and NaN give NaN.
HEDDLE_INLINE float sine(float x, unsigned quarter) {
  if (!(magnitude(x) < from_bits(FloatFormat<float>::kInfinity))) return from_bits(FloatFormat<float>::kNan);
  if (quarter == 0 && x == 0.0f) return x;  // -0 stays -0
  const Reduced a = magnitude(x) < 0x1p28f ? reduce_medium(x) : reduce_large(x);
  const unsigned quadrant = (a.quadrant + quarter) & 3u;
  const double value = (quadrant & 1u) != 0 ? cos_kernel(a.r) : sin_kernel(a.r);
  return static_cast<float>((quadrant & 2u) != 0 ? -value : value);
}

HEDDLE_INLINE double tanh_wide(float x) {
  const double a = magnitude(x);
  const double z = a * a;
  // Below 1/8 the quotient would suffer cancellation. The first omitted term of the series is below 2^-40
  // relative.
  const double series =
      a + a * z *
              (-1.0 / 3.0 +
               z * (2.0 / 15.0 + z * (-17.0 / 315.0 + z * (62.0 / 2835.0 + z * (-1382.0 / 155925.0)))));
  const double bounded = a < 40.0 ? a : 40.0;  // NaN -> 40
  const double e = exp2_double(bounded * -kTwoOverLn2);
  const double result = a < 0.125 ? series : (1.0 - e) / (1.0 + e);
  const std::uint64_t sign = std::uint64_t{bits_of(x) & FloatFormat<float>::kSign} << 32;
  const double with_sign = from_bits(bits_of(result) | sign);
  return x == x ? with_sign : static_cast<double>(x);
}
HEDDLE_INLINE float tanh_approx(float x) { return static_cast<float>(tanh_wide(x)); }

}  // namespace
}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
