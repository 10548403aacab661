#include "oracle/half.h"

#include <cmath>
#include <cstdlib>
#include <limits>

namespace heddle::oracle {

namespace {

__extension__ using Int128 = __int128;

constexpr int kMantissaBits = 10;
constexpr int kLeastExponent = -24;  // exponent of the smallest subnormal
constexpr double kOverflow = 65536;  // beyond every finite value: 2^16

std::uint16_t sign_of(Half a) { return a.bits & 0x8000; }
unsigned exponent_of(Half a) { return (a.bits >> kMantissaBits) & 0x1f; }
unsigned mantissa_of(Half a) { return a.bits & 0x3ff; }
bool is_infinite(Half a) { return (a.bits & 0x7fff) == kHalfInfinity; }

double round_integral(double a, Rounding mode) {
  switch (mode) {
    case Rounding::kNearest:
      return std::nearbyint(a);
    case Rounding::kZero:
      return std::trunc(a);
    case Rounding::kDown:
      return std::floor(a);
    case Rounding::kUp:
      return std::ceil(a);
  }
  return a;
}

/// Every finite half is an integer multiple of 2^-24: up to 41 bits and the sign.
Int128 in_units(Half a) {
  const unsigned exponent = exponent_of(a);
  const Int128 magnitude =
      exponent == 0 ? Int128{mantissa_of(a)} : Int128{mantissa_of(a) | 0x400u} << (exponent - 1);
  return sign_of(a) != 0 ? -magnitude : magnitude;
}

}  // namespace

bool is_nan(Half a) { return (a.bits & 0x7fff) > kHalfInfinity; }

Half flushed(Half a) { return exponent_of(a) == 0 ? Half{sign_of(a)} : a; }

double to_double(Half a) {
  if (is_nan(a)) return std::numeric_limits<double>::quiet_NaN();
  const double sign = sign_of(a) != 0 ? -1.0 : 1.0;
  if (is_infinite(a)) return sign * std::numeric_limits<double>::infinity();
  const auto exponent = static_cast<int>(exponent_of(a));
  if (exponent == 0) return sign * std::ldexp(mantissa_of(a), kLeastExponent);
  return sign * std::ldexp(mantissa_of(a) | 0x400u, kLeastExponent + exponent - 1);
}

Half to_half(double a, Rounding mode) {
  if (std::isnan(a)) return {kHalfNan};
  const std::uint16_t sign = std::signbit(a) ? 0x8000 : 0;
  if (std::isinf(a)) return {static_cast<std::uint16_t>(sign | kHalfInfinity)};
  if (a == 0) return {sign};
  // The unit in the last place of the result; dividing by a power of two is exact.
  const int unit = std::max(std::ilogb(a) - kMantissaBits, kLeastExponent);
  const double rounded = std::ldexp(round_integral(std::ldexp(a, -unit), mode), unit);
  const double magnitude = std::fabs(rounded);
  if (magnitude >= kOverflow) {
    const bool towards_zero = mode == Rounding::kZero || (mode == Rounding::kDown && sign == 0) ||
                              (mode == Rounding::kUp && sign != 0);
    return {static_cast<std::uint16_t>(sign | (towards_zero ? kHalfLargest : kHalfInfinity))};
  }
  if (magnitude == 0) return {sign};
  const int exponent = std::ilogb(magnitude);
  const int last = std::max(exponent - kMantissaBits, kLeastExponent);
  const auto units = static_cast<unsigned>(std::ldexp(magnitude, -last));
  const unsigned bits =
      exponent < -14 ? units : (static_cast<unsigned>(exponent + 15) << 10) + (units - 0x400u);
  return {static_cast<std::uint16_t>(sign | bits)};
}

Half fused(Half a, Half b, Half c) {
  if (is_nan(a) || is_nan(b) || is_nan(c)) return {kHalfNan};
  if (is_infinite(a) || is_infinite(b) || is_infinite(c))
    return to_half(to_double(a) * to_double(b) + to_double(c));  // infinities and zeros: exact in double
  const Int128 product = in_units(a) * in_units(b);              // in 2^-48
  const Int128 sum = product + in_units(c) * (Int128{1} << 24);
  if (sum == 0) {
    // An exact zero: IEEE's sign rules, which double arithmetic on the signs follows.
    const double zero = (std::signbit(to_double(a)) != std::signbit(to_double(b)) ? -0.0 : 0.0);
    if (product == 0) return to_half(zero + to_double(c));
    return {0};
  }
  // Converts to double with round to odd, so that the second rounding is correct.
  Int128 magnitude = sum < 0 ? -sum : sum;
  int shift = 0;
  while (magnitude >> 50 != 0) {
    magnitude = (magnitude >> 1) | (magnitude & 1);
    ++shift;
  }
  const double value = std::ldexp(static_cast<double>(magnitude), shift - 48);
  return to_half(sum < 0 ? -value : value);
}

Half saturated(Half a) {
  const double value = to_double(a);
  if (!(value > 0)) return {0};
  return value > 1 ? Half{0x3c00} : a;
}

}  // namespace heddle::oracle
