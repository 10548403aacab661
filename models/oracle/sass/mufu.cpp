#include "oracle/sass/mufu.h"

#include <bit>
#include <cmath>
#include <limits>

#include "oracle/bits.h"

namespace heddle::oracle::machine_code {
namespace {

constexpr double kTwoPi = 6.283185307179586476925286766559;

/// sin(2 pi x), exact where a multiple of a quarter makes it so. The fraction of a revolution is exact.
double sine_of_revolutions(double x) {
  const double fraction = x - std::floor(x);
  if (fraction == 0) return std::copysign(0.0, x);
  if (fraction == 0.5) return 0.0;
  return std::sin(kTwoPi * (fraction > 0.5 ? fraction - 1 : fraction));
}

double cosine_of_revolutions(double x) {
  const double fraction = x - std::floor(x);
  if (fraction == 0.25 || fraction == 0.75) return 0.0;
  return std::cos(kTwoPi * (fraction > 0.5 ? fraction - 1 : fraction));
}

double value_of_function(Mufu function, double x) {
  switch (function) {
    case Mufu::kCos:
      return std::isinf(x) ? std::numeric_limits<double>::quiet_NaN() : cosine_of_revolutions(x);
    case Mufu::kSin:
      return std::isinf(x) ? std::numeric_limits<double>::quiet_NaN() : sine_of_revolutions(x);
    case Mufu::kEx2:
      return std::exp2(x);
    case Mufu::kLg2:
      return std::log2(x);
    case Mufu::kRcp:
    case Mufu::kRcp64High:
      return 1.0 / x;
    case Mufu::kRsq:
    case Mufu::kRsq64High:
      return 1.0 / std::sqrt(x);
    case Mufu::kSqrt:
      return std::sqrt(x);
    case Mufu::kTanh:
      return std::tanh(x);
  }
  return x;
}

double without_subnormals(double x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0, x) : x;
}

}  // namespace

std::uint32_t mufu(Mufu function, std::uint32_t operand) {
  if (function == Mufu::kRcp64High || function == Mufu::kRsq64High) {
    const double x = without_subnormals(std::bit_cast<double>(std::uint64_t{operand} << 32));
    const double result = without_subnormals(value_of_function(function, x));
    return static_cast<std::uint32_t>(float_result(result) >> 32);
  }
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
