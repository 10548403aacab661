// Conversions of one value with a floating-point side: float to integer, integer to float, float to float, f16 included.
// Internal linkage: see lanes.h.
//
// PTX ISA, cvt: out-of-range values clamp to the integer type. NaN gives 0 if the source is f32 or f16 and
// the destination is narrower than 64 bits, otherwise only the top bit set (ISA 9.0).
#pragma once

#include "isa/lane/half.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

template <Rounding r>
HEDDLE_INLINE float to_integral(float v) {
  if constexpr (r == Rounding::kRni) return __builtin_rintf(v);
  if constexpr (r == Rounding::kRzi) return __builtin_truncf(v);
  if constexpr (r == Rounding::kRmi) return __builtin_floorf(v);
  if constexpr (r == Rounding::kRpi) return __builtin_ceilf(v);
  return v;
}
template <Rounding r>
HEDDLE_INLINE double to_integral(double v) {
  if constexpr (r == Rounding::kRni) return __builtin_rint(v);
  if constexpr (r == Rounding::kRzi) return __builtin_trunc(v);
  if constexpr (r == Rounding::kRmi) return __builtin_floor(v);
  if constexpr (r == Rounding::kRpi) return __builtin_ceil(v);
  return v;
}

// ---- float to integer ----

/// `nan_is_zero`: what PTX has for a NaN where nothing else is said.
template <class D, class S>
constexpr bool kNanIsZero = D::kBits < 64 && sizeof(typename S::Cell) == 4;
template <class D, class S, Rounding r, bool ftz, bool nan_is_zero = kNanIsZero<D, S>>
struct FloatToInteger {
  using V = typename D::Value;
  using F = typename S::Value;
  static constexpr F kMin = D::kSigned ? -static_cast<F>(std::uint64_t{1} << (D::kBits - 1)) : F{0};
  static constexpr F kEnd = D::kSigned ? static_cast<F>(std::uint64_t{1} << (D::kBits - 1))
                                       : F{2} * static_cast<F>(std::uint64_t{1} << (D::kBits - 1));
  static constexpr V kLargest = static_cast<V>(~std::uint64_t{0} >> (64 - D::kBits + (D::kSigned ? 1 : 0)));
  static constexpr V kSmallest = D::kSigned ? static_cast<V>(INT64_MIN >> (64 - D::kBits)) : V{0};
  static constexpr V kTopBit =
      D::kSigned ? kSmallest : static_cast<V>(typename D::Unsigned{1} << (D::kBits - 1));
  static constexpr V kNan = nan_is_zero ? V{0} : kTopBit;
  HEDDLE_INLINE static V apply(F x) {
    const F v = to_integral<r>(flush<ftz>(x));
    const bool in_range = v >= kMin && v < kEnd;
    const V converted = static_cast<V>(in_range ? v : F{0});
    const V clamped = v < kMin ? kSmallest : kLargest;
    const V otherwise = v == v ? clamped : kNan;
    return in_range ? converted : otherwise;
  }
};

// NaNs (measured on an H200): a conversion to f64, and one from f64, keeps the sign and as much of the payload as fits, and
// makes it quiet; so do the integral forms of f64. cvt.ftz.f64.f32 widens f32's canonical NaN. f32 to f32 and f64 to f64
// without a modifier are moves. All others give the canonical NaN.
template <class D, class S, Rounding integral, bool ftz, bool sat>
constexpr bool kKeepsPayload = S::kFloat && !sat &&
                               (sizeof(typename D::Cell) == 8 || sizeof(typename S::Cell) == 8 ||
                                (sizeof(typename S::Value) == 4 && integral == Rounding::kRn && !ftz));

template <class D, class S, Rounding integral, bool ftz>
HEDDLE_INLINE typename D::Value converted_nan(typename S::Value nan) {
  if constexpr (sizeof(typename D::Value) == sizeof(typename S::Value)) {
    return integral == Rounding::kRn ? nan : quiet(nan);
  } else if constexpr (sizeof(typename D::Value) == 8) {
    const std::uint32_t bits = ftz ? FloatFormat<float>::kNan : bits_of(nan);
    return from_bits(static_cast<std::uint64_t>(bits & FloatFormat<float>::kSign) << 32 |
                     FloatFormat<double>::kInfinity | FloatFormat<double>::kQuiet |
                     static_cast<std::uint64_t>(bits & 0x007f'ffffu) << 29);
  } else {
    const std::uint64_t bits = bits_of(nan);
    return from_bits(static_cast<std::uint32_t>(bits >> 32 & FloatFormat<float>::kSign) |
                     FloatFormat<float>::kInfinity | FloatFormat<float>::kQuiet |
                     static_cast<std::uint32_t>(bits >> 29 & 0x007f'ffffu));
  }
}

/// The value of type D of an S. The rounding mode of the machine is in force.
template <class D, class S, Rounding integral, bool ftz, bool sat>
HEDDLE_INLINE typename D::Value float_value(typename S::Value x) {
  using V = typename D::Value;
  if constexpr (S::kFloat) {
    V number = static_cast<V>(to_integral<integral>(flush<(ftz && sizeof(x) == 4)>(x)));
    if constexpr (ftz && sizeof(V) < sizeof(x))
      number = rounds_below_normal(x) ? signed_zero(number) : number;
    if constexpr (kKeepsPayload<D, S, integral, ftz, sat>)
      return x == x ? flush<ftz>(number) : converted_nan<D, S, integral, ftz>(x);
    else
      return finish<ftz, sat>(number);
  } else
    return finish<false, sat>(static_cast<V>(x));
}
/// The f16 of an S. double holds every f16, f32 and f64 value, and every integer within the range of f16 exactly, so
/// there is one rounding. .ftz changes nothing: a subnormal f32 operand counts in .rm and .rp (measured on an H200).
template <class S, Rounding r, Rounding integral, bool sat>
HEDDLE_INLINE std::uint32_t half_value(typename S::Value x) {
  const auto v = static_cast<double>(x);
  const double integral_value = to_integral<integral>(v);
  if constexpr (sizeof(typename S::Cell) == 8 && S::kFloat && !sat)
    if (v != v)
      return static_cast<std::uint32_t>(bits_of(v) >> 48 & 0x8000u) | 0x7e00u |
             static_cast<std::uint32_t>(bits_of(v) >> 42 & 0x3ffu);
  return double_to_half<r>(sat ? saturate(integral_value) : integral_value);
}

}  // namespace
}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
