#include "frontend/sass/number_text.h"

#include <fmt/format.h>

#include <cmath>

namespace heddle::sass {
namespace {

/// From here on all digits behind the point are printed. 16 777 216 is printed as an integer, 2^31 is not.
constexpr double kLarge = 1e9;

}  // namespace

std::string signed_hex(std::int64_t value) {
  return value < 0 ? fmt::format("-{:#x}", -static_cast<std::uint64_t>(value)) : fmt::format("{:#x}", value);
}

std::string float_text(float value) { return float_text(double{value}); }

std::string float_text(double value) {
  if (std::isnan(value)) return std::signbit(value) ? "-QNAN " : "+QNAN ";
  if (std::isinf(value)) return value < 0 ? "-INF " : "+INF ";
  return std::fabs(value) >= kLarge ? fmt::format("{:.20e}", value) : fmt::format("{:.20g}", value);
}

double half_value(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return fraction != 0 ? std::copysign(NAN, sign) : sign * INFINITY;
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25));
}

}  // namespace heddle::sass
