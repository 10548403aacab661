// f32 and f64 arithmetic over lanes, with .ftz by the exact value. Internal linkage: see lanes.h.
#pragma once

#include "isa/lane/float_rules.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

constexpr double kLeast = 0x1p-126;  // the least normal f32

/// What .ftz flushes: results below `limit`, or not above it.
struct Flushed {
  double limit;
  bool inclusive;
  HEDDLE_INLINE bool operator()(double value) const { return below(value, 0.0); }
  /// Whether value + offset is flushed; the difference of limit and offset is exact, or far from what decides.
  HEDDLE_INLINE bool below(double value, double offset) const {
    return inclusive ? value <= limit - offset : value < limit - offset;
  }
};
/// By the exact value, as PTX's functions do.
struct ExactRule {
  HEDDLE_INLINE static Flushed flushed(bool /*negative*/) { return {kLeast, false}; }
};
/// By the value rounded to 24 bits with an unbounded exponent, as cards do.
template <Rounding r>
struct RoundedRule {
  HEDDLE_INLINE static Flushed flushed(bool negative) {
    const bool away = (r == Rounding::kRp && !negative) || (r == Rounding::kRm && negative);
    if (away) return {kLeast - 0x1p-150, true};
    return {r == Rounding::kRn ? kLeast - 0x1p-151 : kLeast, false};
  }
};

struct AddOp {
  template <class V>
  HEDDLE_INLINE static V apply(V a, V b) {
    return a + b;
  }
};
struct SubOp {
  template <class V>
  HEDDLE_INLINE static V apply(V a, V b) {
    return a - b;
  }
};
struct MulOp {
  template <class V>
  HEDDLE_INLINE static V apply(V a, V b) {
    return a * b;
  }
  HEDDLE_INLINE static bool below(float a, float b, float /*rounded*/, Flushed flushed) {
    return flushed(magnitude(static_cast<double>(a) * static_cast<double>(b)));
  }
};
struct DivOp {
  template <class V>
  HEDDLE_INLINE static V apply(V a, V b) {
    return a / b;
  }
  HEDDLE_INLINE static bool below(float a, float b, float, Flushed flushed) {
    return magnitude(static_cast<double>(a)) < magnitude(static_cast<double>(b)) * flushed.limit;
  }
};
struct FmaOp {  // a library call where the level has no fused multiply-add
  HEDDLE_INLINE static float apply(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
  HEDDLE_INLINE static double apply(double a, double b, double c) { return __builtin_fma(a, b, c); }
  // Exact: the product has 48 bits. The difference is exact where |c| < 2^-97; where it is more, a sum that rounds to
  // the least normal number is that number.
  HEDDLE_INLINE static bool below(float a, float b, float c, float rounded, Flushed flushed) {
    const double sign = rounded < 0.0f ? -1.0 : 1.0;
    return flushed.below(sign * static_cast<double>(a) * static_cast<double>(b),
                         sign * static_cast<double>(c));
  }
};
struct RcpOp {
  template <class V>
  HEDDLE_INLINE static V apply(V a) {
    return V{1} / a;
  }
  HEDDLE_INLINE static bool below(float a, float, Flushed flushed) {
    return magnitude(static_cast<double>(a)) * flushed.limit > 1.0;
  }
};
struct SqrtOp {
  HEDDLE_INLINE static float apply(float a) { return __builtin_sqrtf(a); }
  HEDDLE_INLINE static double apply(double a) { return __builtin_sqrt(a); }
};

/// .ftz flushes a result that is below the least normal number by a rule. The rounded value tells all but one of them:
/// that number itself, seldom enough to be looked at lane by lane. An Op has below(operands, rounded, flushed) for it if its
/// result can be inexact and so small; a sum cannot. The caller's rounding mode is in force throughout.
template <class Op, bool sat, class Rule, class... Sources>
void flushed_rows(const LaneArgs& args, Sources... rows) {
  alignas(64) float rounded[32];
  unsigned at_least_normal = 0;
  HEDDLE_EACH_LANE rounded[i] = Op::apply(flush<true>(static_cast<float>(rows[i]))...);
  HEDDLE_EACH_LANE at_least_normal |= magnitude(rounded[i]) == FloatFormat<float>::kSmallestNormal ? 1u : 0u;
  if (at_least_normal != 0) {
    for (unsigned i = 0; i < 32; ++i)
      if (magnitude(rounded[i]) == FloatFormat<float>::kSmallestNormal &&
          Op::below(flush<true>(static_cast<float>(rows[i]))..., rounded[i],
                    Rule::flushed(rounded[i] < 0.0f)))
        rounded[i] = signed_zero(rounded[i]);
  }
  const float* results = rounded;
  each_lane<F32>(args, [=](unsigned i) { return finish<true, sat>(results[i]); });
}
template <class Op>
constexpr bool kCanBeTiny = requires {
  &Op::below;
};

template <class Op, bool ftz, bool sat, class... Values>
HEDDLE_INLINE auto rounded_value(Values... values) {
  return finish<ftz, sat>(Op::apply(flush<ftz>(values)...), values...);
}
/// dst[0] := Op of the rows' values, which are indexed by lane.
template <class Op, class E, Rounding r, bool ftz, bool sat, class Rule = ExactRule, class... Rows>
HEDDLE_INLINE void rounded_rows(const LaneArgs& args, Rows... rows) {
  [[maybe_unused]] const RoundingScope<r> scope;
  if constexpr (ftz && kCanBeTiny<Op>)
    flushed_rows<Op, sat, Rule>(args, rows...);
  else
    each_lane<E>(args, [=](unsigned i) {
      return rounded_value<Op, ftz, sat>(static_cast<typename E::Value>(rows[i])...);
    });
}

}  // namespace
}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
