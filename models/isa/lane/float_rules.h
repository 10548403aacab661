// What PTX adds to IEEE arithmetic: canonical NaNs, flushing of subnormals (.ftz), saturation (.sat),
// rounding modes.
//
// NaN results: every f32 operation yields 0x7fffffff, which the PTX ISA names as the canonical NaN. PTX leaves
// those of f64 open. An H200 gives an operand that is a NaN, quiet and with its own sign, and 0xfff8000000000000 where none
// is; which of several, the operations say.
#pragma once

#include <cfenv>

#include "isa/lane/lanes.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

template <class V>
struct FloatFormat;
template <>
struct FloatFormat<float> {
  using Bits = std::uint32_t;
  static constexpr float kSmallestNormal = 0x1p-126f;
  static constexpr Bits kNan = 0x7fff'ffffu;
  static constexpr Bits kSign = 0x8000'0000u;
  static constexpr Bits kInfinity = 0x7f80'0000u;
  static constexpr Bits kQuiet = 0x0040'0000u;
};
template <>
struct FloatFormat<double> {
  using Bits = std::uint64_t;
  static constexpr double kSmallestNormal = 0x1p-1022;
  static constexpr Bits kNan = 0xfff8'0000'0000'0000u;
  static constexpr Bits kSign = 0x8000'0000'0000'0000u;
  static constexpr Bits kInfinity = 0x7ff0'0000'0000'0000u;
  static constexpr Bits kQuiet = 0x0008'0000'0000'0000u;
};

template <class V>
HEDDLE_INLINE typename FloatFormat<V>::Bits bits_of(V v) {
  return __builtin_bit_cast(typename FloatFormat<V>::Bits, v);
}
HEDDLE_INLINE float from_bits(std::uint32_t bits) { return __builtin_bit_cast(float, bits); }
HEDDLE_INLINE double from_bits(std::uint64_t bits) { return __builtin_bit_cast(double, bits); }

HEDDLE_INLINE float magnitude(float v) { return __builtin_fabsf(v); }
HEDDLE_INLINE double magnitude(double v) { return __builtin_fabs(v); }
template <class V>
HEDDLE_INLINE V signed_zero(V sign_of) {
  return from_bits(bits_of(sign_of) & FloatFormat<V>::kSign);
}

/// .ftz: subnormals become zero of the same sign.
template <bool ftz, class V>
HEDDLE_INLINE V flush(V v) {
  if constexpr (ftz)
    return magnitude(v) < FloatFormat<V>::kSmallestNormal ? signed_zero(v) : v;
  else
    return v;
}
/// Whether .ftz flushes a result whose value before rounding is `exact`: rounded to 24 bits with an unbounded exponent it is
/// below the least normal f32. In the rounding mode that is in force.
HEDDLE_INLINE bool rounds_below_normal(double exact) {
  return magnitude(static_cast<float>(exact * 0x1p24)) < 0x1p-102f;
}
template <class V>
HEDDLE_INLINE V canonical(V v) {
  return v == v ? v : from_bits(FloatFormat<V>::kNan);
}
template <class V>
HEDDLE_INLINE V quiet(V nan) {
  return from_bits(bits_of(nan) | FloatFormat<V>::kQuiet);
}
/// The NaN of an operation without a numeric result: f32's canonical one, or the first f64 of the list that is one.
HEDDLE_INLINE float nan_result(float v) { return canonical(v); }
HEDDLE_INLINE double nan_result(double v) { return canonical(v); }
template <class... Rest>
HEDDLE_INLINE float nan_result(float v, float, Rest...) {
  return canonical(v);
}
template <class... Rest>
HEDDLE_INLINE double nan_result(double v, double a, Rest... rest) {
  const double others = nan_result(v, rest...);
  const double nan = a == a ? others : quiet(a);
  return v == v ? v : nan;
}
/// .sat: clamp to [0, 1]; NaN and -0 become +0.
template <class V>
HEDDLE_INLINE V saturate(V v) {
  const V below_one = v < V{1} ? v : V{1};
  return v > V{0} ? below_one : V{0};
}
template <bool ftz, bool sat, class V, class... Operands>
HEDDLE_INLINE V finish(V v, Operands... operands) {
  if constexpr (sat)
    return saturate(flush<ftz>(v));
  else
    return nan_result(flush<ftz>(v), operands...);
}

constexpr int fenv_rounding(Rounding r) {
  switch (r) {
    case Rounding::kRz:
      return FE_TOWARDZERO;
    case Rounding::kRm:
      return FE_DOWNWARD;
    case Rounding::kRp:
      return FE_UPWARD;
    default:
      return FE_TONEAREST;
  }
}

/// Directed rounding around a loop over lanes. The compiler cannot move the arithmetic out of the scope: its
/// operands are loaded from, and its results stored to, memory that fesetround() might access for all it
/// knows.
template <Rounding r>
class RoundingScope {
 public:
  HEDDLE_INLINE RoundingScope() {
    if constexpr (fenv_rounding(r) != FE_TONEAREST) std::fesetround(fenv_rounding(r));
  }
  HEDDLE_INLINE ~RoundingScope() {
    if constexpr (fenv_rounding(r) != FE_TONEAREST) std::fesetround(FE_TONEAREST);
  }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;
};

/// Calls fn.template operator()<r>() with the rounding mode as a constant; no modifier means nearest even.
template <class Fn>
HEDDLE_INLINE LaneFn with_rounding(Rounding r, Fn fn) {
  switch (r) {
    case Rounding::kDefault:
    case Rounding::kRn:
      return fn.template operator()<Rounding::kRn>();
    case Rounding::kRz:
      return fn.template operator()<Rounding::kRz>();
    case Rounding::kRm:
      return fn.template operator()<Rounding::kRm>();
    case Rounding::kRp:
      return fn.template operator()<Rounding::kRp>();
    default:
      return nullptr;
  }
}
/// Calls fn.template operator()<flag>().
template <class Fn>
HEDDLE_INLINE LaneFn with_flag(bool flag, Fn fn) {
  return flag ? fn.template operator()<true>() : fn.template operator()<false>();
}

}  // namespace
}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
