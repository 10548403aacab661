#include "oracle/narrow.h"

#include <cmath>
#include <limits>

namespace heddle::oracle {

const Format& format_of(Type type) {
  switch (type) {
    case Type::kBf16:
    case Type::kBf16x2:
      return kBf16;
    case Type::kTf32:
      return kTf32;
    case Type::kE4m3:
    case Type::kE4m3x2:
      return kE4m3;
    case Type::kE5m2:
    case Type::kE5m2x2:
      return kE5m2;
    default:
      return kHalfFormat;
  }
}

double value_in(const Format& format, std::uint64_t bits) {
  const std::uint64_t sign_bit = std::uint64_t{1} << (format.bits() - 1);
  const double sign = (bits & sign_bit) != 0 ? -1.0 : 1.0;
  const std::uint64_t number = bits & (sign_bit - 1);
  if (format.has_infinity ? number > format.infinity() : number == format.nan())
    return std::numeric_limits<double>::quiet_NaN();
  if (format.has_infinity && number == format.infinity())
    return sign * std::numeric_limits<double>::infinity();
  const auto exponent = static_cast<int>(number >> format.mantissa_bits);
  const auto mantissa = static_cast<double>(number & ((std::uint64_t{1} << format.mantissa_bits) - 1));
  const double one = std::ldexp(1.0, format.mantissa_bits);
  const double significand = exponent == 0 ? mantissa : mantissa + one;
  return sign *
         std::ldexp(significand, (exponent == 0 ? 1 : exponent) - format.bias() - format.mantissa_bits);
}

Narrow narrow_mode(Rounding mode) {
  switch (mode) {
    case Rounding::kNearest:
      return Narrow::kNearestEven;
    case Rounding::kZero:
      return Narrow::kZero;
    case Rounding::kDown:
      return Narrow::kDown;
    case Rounding::kUp:
      return Narrow::kUp;
  }
  return Narrow::kNearestEven;
}

std::uint64_t rounded_to(const Format& format, double value, Narrow mode, bool saturates) {
  if (std::isnan(value)) return format.nan();
  const std::uint64_t sign = std::signbit(value) ? std::uint64_t{1} << (format.bits() - 1) : 0;
  const std::uint64_t overflow = saturates             ? format.largest()
                                 : format.has_infinity ? format.infinity()
                                                       : format.nan();
  if (std::isinf(value)) return sign | overflow;
  if (value == 0) return sign;
  const double magnitude = std::fabs(value);
  const int unit = std::max(std::ilogb(magnitude), format.least_exponent()) - format.mantissa_bits;
  const double scaled = std::ldexp(magnitude, -unit);  // exact
  const double below = std::floor(scaled);
  const double rest = scaled - below;
  const bool odd = std::fmod(below, 2.0) != 0;
  const bool up = mode == Narrow::kNearestEven   ? rest > 0.5 || (rest == 0.5 && odd)
                  : mode == Narrow::kNearestAway ? rest >= 0.5
                  : mode == Narrow::kUp          ? rest > 0 && sign == 0
                  : mode == Narrow::kDown        ? rest > 0 && sign != 0
                                                 : false;
  const double rounded = std::ldexp(below + (up ? 1 : 0), unit);
  if (rounded > value_in(format, format.largest())) {
    const bool to_largest =
        mode == Narrow::kZero || (mode == Narrow::kUp && sign != 0) || (mode == Narrow::kDown && sign == 0);
    return sign | (to_largest ? format.largest() : overflow);
  }
  if (rounded == 0) return sign;
  const int exponent = std::ilogb(rounded);
  if (exponent < format.least_exponent())
    return sign |
           static_cast<std::uint64_t>(std::ldexp(rounded, format.mantissa_bits - format.least_exponent()));
  const auto fraction = static_cast<std::uint64_t>(std::ldexp(rounded, format.mantissa_bits - exponent)) -
                        (std::uint64_t{1} << format.mantissa_bits);
  return sign | static_cast<std::uint64_t>(exponent + format.bias()) << format.mantissa_bits | fraction;
}

}  // namespace heddle::oracle
