// Half precision (IEEE binary16): exact conversion to double, one rounding back.
#pragma once

#include <cstdint>

#include "oracle/program.h"

namespace heddle::oracle {

/// The bits of a value; a separate type so that templates over C++ types can distinguish it from u16.
struct Half {
  std::uint16_t bits = 0;
};

inline constexpr std::uint16_t kHalfNan = 0x7fff;  ///< every NaN result (PTX ISA)
inline constexpr std::uint16_t kHalfInfinity = 0x7c00;
inline constexpr std::uint16_t kHalfLargest = 0x7bff;  ///< 65504

[[nodiscard]] bool is_nan(Half a);
/// Subnormals flushed to zero of the same sign (.ftz).
[[nodiscard]] Half flushed(Half a);
/// Exact; NaN for NaN.
[[nodiscard]] double to_double(Half a);
/// Correctly rounded; overflow goes to infinity or the largest value, depending on the mode.
[[nodiscard]] Half to_half(double a, Rounding mode = Rounding::kNearest);
/// a * b + c with one rounding to nearest even.
[[nodiscard]] Half fused(Half a, Half b, Half c);
/// .sat: clamped to [0, 1], NaN to +0.
[[nodiscard]] Half saturated(Half a);

}  // namespace heddle::oracle
