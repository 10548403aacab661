// f16 on the CPU, as bits.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace heddle::workloads {

/// Rounded to the nearest f16, ties to even; |value| below 65 504 (no infinities, no NaN).
[[nodiscard]] inline std::uint16_t to_half(double value) {
  int exponent = 0;
  std::frexp(value, &exponent);  // value in [2^(exponent - 1), 2^exponent)
  // 11 bits from the leading one, but none below 2^-24.
  const double unit = std::ldexp(1.0, std::max(exponent - 11, -24));
  const double rounded = std::nearbyint(std::abs(value) / unit) * unit;
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  if (rounded < std::ldexp(1.0, -14))
    return static_cast<std::uint16_t>(sign | std::lround(std::ldexp(rounded, 24)));
  std::frexp(rounded, &exponent);
  const long fraction = std::lround(std::ldexp(rounded, 11 - exponent)) - 1024;
  return static_cast<std::uint16_t>(sign | static_cast<long>(exponent + 14) << 10 | fraction);
}

[[nodiscard]] inline float from_half(std::uint16_t half) {
  const int exponent = half >> 10 & 31;
  const double fraction = half & 1023;
  const double size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return static_cast<float>((half & 0x8000) != 0 ? -size : size);
}

}  // namespace heddle::workloads
