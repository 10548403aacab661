#include "oracle/sass/mufu.h"

#include <bit>
#include <cmath>
#include <limits>
#include <span>

#include "isa/special_segments.h"
#include "oracle/bits.h"

namespace heddle::oracle::machine_code {
namespace {

constexpr int kFractionBits = 23;

/// Partial products of one bit with another, x_i x_j, count 2^(i+j), twice where i and j differ. Columns below 19 are not there.
std::int64_t square(std::uint32_t x) {
  constexpr int kFirstColumn = 19;
  std::int64_t sum = 0;
  for (int i = 0; i < 18; ++i)
    for (int j = i; j < 18; ++j) {
      const int column = i == j ? 2 * i : i + j + 1;
      if (column >= kFirstColumn && (x >> i & x >> j & 1) != 0) sum += std::int64_t{1} << column;
    }
  return sum;
}

/// A quadratic polynomial for each value of the fraction's leading bits.
struct Interpolation {
  std::span<const isa::Segment> segments;
  int index_bits;
  int point;  ///< bits of a sum behind its point
  int c0_shift, c1_shift;
  int c1_sign, c2_sign;
  std::int64_t rounding;

  /// Of a fraction of 23 bits, in the part of the table that begins at `first`.
  [[nodiscard]] std::int64_t sum(std::uint32_t fraction, std::size_t first = 0) const {
    const int rest = kFractionBits - index_bits;
    const isa::Segment& c = segments[first + (fraction >> rest)];
    const std::uint32_t x = fraction & ((1u << rest) - 1);
    const std::int64_t squared = rest == 16 ? square(2 * x) / 4 : square(x);
    return (std::int64_t{c.c0} << c0_shift) + c1_sign * (std::int64_t{c.c1} * x << c1_shift) +
           c2_sign * (std::int64_t{c.c2} * squared) + rounding;
  }
};
const Interpolation kReciprocal{isa::kRcpSegments, 7, 56, 30, 17, -1, 1, 0xcfce0000};
const Interpolation kReciprocalRoot{isa::kRsqSegments, 6, 57, 31, 17, -1, 1, 0x1fffe0000};
const Interpolation kRoot{isa::kSqrtSegments, 6, 58, 33, 18, 1, -1, 0x3fffc0000};
const Interpolation kPower{isa::kEx2Segments, 6, 57, 32, 19, 1, 1, 0x1bf100000};
const Interpolation kLogarithm{isa::kLg2Segments, 6, 56, 30, 18, 1, -1, 0x10d160000};
const Interpolation kSine{isa::kSinSegments, 6, 56, 31, 19, 1, -1, 0};

/// sum * 2^(exponent - point), its 24 leading bits.
double cut(std::int64_t sum, int point, int exponent) {
  if (sum == 0) return 0.0;
  const int excess = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(sum))) - (kFractionBits + 1);
  const std::int64_t kept = excess > 0 ? sum >> excess << excess : sum;
  return std::ldexp(static_cast<double>(kept), exponent - point);
}

struct Number {  ///< normal: 1.fraction * 2^exponent
  int exponent;
  std::uint32_t fraction;
};
Number number_of(double magnitude) {
  int exponent = 0;
  const double significand = std::frexp(magnitude, &exponent) * 2;  // in [1, 2)
  return {exponent - 1, static_cast<std::uint32_t>((significand - 1) * (1 << kFractionBits))};
}
constexpr std::size_t kOddExponents = 64;  // where a root's table goes on

double reciprocal(double x) {
  const Number n = number_of(std::fabs(x));
  return std::copysign(cut(kReciprocal.sum(n.fraction), kReciprocal.point, -n.exponent), x);
}
double root(const Interpolation& of, double x, int direction) {
  const Number n = number_of(x);
  const bool odd = n.exponent % 2 != 0;
  const int half = (n.exponent - (odd ? 1 : 0)) / 2;
  return cut(of.sum(n.fraction, odd ? kOddExponents : 0), of.point, direction * half);
}
double reciprocal_root(double x) {
  const Number n = number_of(x);
  if (n.fraction == 0 && n.exponent % 2 == 0) return std::ldexp(1.0, -n.exponent / 2);
  return root(kReciprocalRoot, x, -1);
}
double power(double x) {
  // Behind the point 23 bits of the magnitude count. A negative number's are complemented, unless none of them is set.
  const double magnitude = std::floor(std::ldexp(std::fabs(x), kFractionBits));
  const double whole = std::floor(std::ldexp(magnitude, -kFractionBits));
  auto fraction = static_cast<std::uint32_t>(magnitude - std::ldexp(whole, kFractionBits));
  int exponent = static_cast<int>(whole);
  if (x < 0) {
    exponent = -exponent;
    if (fraction != 0) {
      fraction = (1u << kFractionBits) - 1 - fraction;
      --exponent;
    }
  }
  return cut(kPower.sum(fraction), kPower.point, exponent);
}
double logarithm(double x) {
  const Number n = number_of(x);
  if (x == 1.0) return 0.0;
  constexpr std::int64_t kUnit = std::int64_t{1} << 20;
  const std::int64_t sum = kLogarithm.sum(n.fraction) + n.exponent * (std::int64_t{1} << kLogarithm.point);
  const double magnitude = cut(std::abs(sum) / kUnit * kUnit, kLogarithm.point, 0);
  return x < 1.0 ? -magnitude : magnitude;
}
/// Of revolutions; `ahead` quarters of one are added.
double sine(double x, unsigned ahead) {
  const double quarters = std::floor(std::ldexp(std::fabs(x), kFractionBits + 2));
  const double within = std::fmod(quarters, std::ldexp(1.0, kFractionBits + 2));
  const auto bits = static_cast<std::uint32_t>(within);
  const unsigned quadrant = (bits >> kFractionBits) + ahead;
  const std::uint32_t most = (1u << kFractionBits) - 1;
  const std::uint32_t fraction = quadrant % 2 == 0 ? bits & most : most - (bits & most);
  const double magnitude = cut(kSine.sum(fraction), kSine.point, 0);
  const bool negative = (quadrant % 4 >= 2) != (ahead == 0 && std::signbit(x));
  return negative ? -magnitude : magnitude;
}

double value_of_function(Mufu function, double x) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const bool special = x == 0.0 || std::isinf(x) || std::isnan(x);
  switch (function) {
    case Mufu::kCos:
    case Mufu::kSin:
      if (std::isinf(x) || std::isnan(x)) return kNan;
      return sine(x, function == Mufu::kCos ? 1 : 0);
    case Mufu::kEx2:
      // Beyond these the result is not finite, or 0.
      return std::isnan(x) || x >= 128 || x < -127 ? std::exp2(x) : power(x);
    case Mufu::kLg2:
      return special || x < 0 ? std::log2(x) : logarithm(x);
    case Mufu::kRcp:
    case Mufu::kRcp64High:
      return special ? 1.0 / x : reciprocal(x);
    case Mufu::kRsq:
    case Mufu::kRsq64High:
      return special || x < 0 ? 1.0 / std::sqrt(x) : reciprocal_root(x);
    case Mufu::kSqrt:
      return special || x < 0 ? std::sqrt(x) : root(kRoot, x, 1);
    case Mufu::kTanh:
      break;
  }
  return x;
}

double without_subnormals(double x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0, x) : x; }

}  // namespace

std::uint32_t mufu(Mufu function, std::uint32_t operand) {
  if (function == Mufu::kRcp64High || function == Mufu::kRsq64High) {
    const double x = without_subnormals(std::bit_cast<double>(std::uint64_t{operand} << 32));
    if (std::isnan(x))
      return static_cast<std::uint32_t>(float_result(std::numeric_limits<float>::quiet_NaN()));
    const double result = without_subnormals(value_of_function(function, x));
    return std::isnan(result)
               ? static_cast<std::uint32_t>(float_result(std::numeric_limits<float>::quiet_NaN()))
               : static_cast<std::uint32_t>(bits_of(result) >> 32);
  }
  // TANH alone is of subnormals, too: tanh.approx.f32 is this instruction and nothing else.
  if (function == Mufu::kTanh)
    return static_cast<std::uint32_t>(
        float_result(static_cast<float>(std::tanh(double{std::bit_cast<float>(operand)}))));
  const float x = flushed(std::bit_cast<float>(operand));
  return static_cast<std::uint32_t>(
      float_result(flushed(static_cast<float>(value_of_function(function, x)))));
}

bool division_needs_care(std::uint32_t dividend, std::uint32_t divisor) {
  const auto exponent = [](std::uint32_t bits) { return static_cast<int>(bits >> 23 & 0xff); };
  const int a = exponent(dividend), b = exponent(divisor);
  return b == 0 || b >= 253 || a <= 24 || a == 255 || a - b >= 126 || a - b <= -125;
}

}  // namespace heddle::oracle::machine_code
