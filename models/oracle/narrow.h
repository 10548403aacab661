// Floating-point formats of 19 bits and fewer beside half precision: bf16, tf32 and the 8-bit ones (PTX ISA, Alternate Floating
// Point Data Formats). Each value is exact in double precision.
#pragma once

#include <cfenv>
#include <cmath>
#include <cstdint>

#include "oracle/bits.h"
#include "oracle/program.h"

namespace heddle::oracle {

struct Format {
  int exponent_bits = 0;
  int mantissa_bits = 0;
  bool has_infinity =
      true;  ///< else only the pattern of all ones is a NaN, and the largest exponent holds numbers

  [[nodiscard]] int bits() const { return 1 + exponent_bits + mantissa_bits; }
  [[nodiscard]] int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  [[nodiscard]] int least_exponent() const { return 1 - bias(); }
  [[nodiscard]] std::uint64_t nan() const { return (std::uint64_t{1} << (bits() - 1)) - 1; }
  [[nodiscard]] std::uint64_t infinity() const {
    return ((std::uint64_t{1} << exponent_bits) - 1) << mantissa_bits;
  }
  [[nodiscard]] std::uint64_t largest() const { return has_infinity ? infinity() - 1 : nan() - 1; }
};

inline constexpr Format kBf16{8, 7, true};
inline constexpr Format kTf32{8, 10, true};
inline constexpr Format kHalfFormat{5, 10, true};
inline constexpr Format kE4m3{4, 3, false};
inline constexpr Format kE5m2{5, 2, true};
/// Of f16, bf16, tf32, e4m3, e5m2 and pairs of them.
[[nodiscard]] const Format& format_of(Type type);

/// A bf16's bits, apart from other 16-bit types.
struct Bfloat {
  std::uint16_t bits = 0;
};

[[nodiscard]] double value_in(const Format& format, std::uint64_t bits);
/// fn computed towards zero, with the last bit set if it was not exact: rounded again to a few bits it gives what one rounding would.
template <class Fn>
double to_odd(Fn fn) {
  std::fesetround(FE_TOWARDZERO);
  std::feclearexcept(FE_INEXACT);
  const volatile double result = fn();
  const bool inexact = std::fetestexcept(FE_INEXACT) != 0;
  std::fesetround(FE_TONEAREST);
  const double value = result;
  if (!inexact || std::isnan(value) || std::isinf(value)) return value;
  return value_of<double>(bits_of(value) | 1);
}

enum class Narrow : std::uint8_t { kNearestEven, kNearestAway, kZero, kDown, kUp };
/// Rounded once. Beyond the largest value: that with `saturates`; otherwise infinity, or NaN in a format without one.
[[nodiscard]] std::uint64_t rounded_to(const Format& format, double value, Narrow mode, bool saturates);
[[nodiscard]] Narrow narrow_mode(Rounding mode);

}  // namespace heddle::oracle
