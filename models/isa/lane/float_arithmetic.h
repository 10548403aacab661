// f32 and f64 arithmetic over lanes. Internal linkage: see lanes.h.
#pragma once

#include "isa/lane/float_rules.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

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
  template <Rounding>
  HEDDLE_INLINE static double wide(float a, float b) {
    return static_cast<double>(a) * static_cast<double>(b);
  }
};
struct DivOp {
  static constexpr bool kFirstNan = true;
  template <class V>
  HEDDLE_INLINE static V apply(V a, V b) {
    return a / b;
  }
  template <Rounding>
  HEDDLE_INLINE static double wide(float a, float b) {
    return static_cast<double>(a) / static_cast<double>(b);
  }
};
struct FmaOp {  // a library call where the level has no fused multiply-add
  HEDDLE_INLINE static float apply(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
  HEDDLE_INLINE static double apply(double a, double b, double c) { return __builtin_fma(a, b, c); }
  // The product is exact. Of a sum to nearest the second rounding must see no tie that is none: where it is inexact its
  // last bit is set. In the other modes two roundings give what one does.
  template <Rounding r>
  HEDDLE_INLINE static double wide(float a, float b, float c) {
    const double product = static_cast<double>(a) * static_cast<double>(b);
    const double addend = static_cast<double>(c);
    const double sum = product + addend;
    if constexpr (r == Rounding::kRn) {
      const double added = sum - product;
      const double rest = (product - (sum - added)) + (addend - added);
      if (rest != 0.0 && (bits_of(sum) & 1u) == 0)
        return from_bits((rest > 0.0) == (sum > 0.0) ? bits_of(sum) + 1 : bits_of(sum) - 1);
    }
    return sum;
  }
};
struct RcpOp {
  template <class V>
  HEDDLE_INLINE static V apply(V a) {
    return V{1} / a;
  }
  template <Rounding>
  HEDDLE_INLINE static double wide(float a) {
    return 1.0 / static_cast<double>(a);
  }
};
struct SqrtOp {
  HEDDLE_INLINE static float apply(float a) { return __builtin_sqrtf(a); }
  HEDDLE_INLINE static double apply(double a) { return __builtin_sqrt(a); }
};

/// .ftz flushes a result that is below the least normal number when it is rounded to 24 bits whatever its exponent (measured
/// on an H200). The rounded value tells all but one of them: that number itself, seldom enough to be looked at lane by lane.
/// An Op has wide(operands) for it, a double that rounds like the exact result, if its result can be inexact and so small;
/// a sum cannot. The caller's rounding mode is in force throughout.
template <class Op, Rounding r, bool sat, class... Sources>
void flushed_rows(const LaneArgs& args, Sources... rows) {
  alignas(64) float rounded[32];
  unsigned at_least_normal = 0;
  HEDDLE_EACH_LANE rounded[i] = Op::apply(flush<true>(static_cast<float>(rows[i]))...);
  HEDDLE_EACH_LANE at_least_normal |= magnitude(rounded[i]) == FloatFormat<float>::kSmallestNormal ? 1u : 0u;
  if (at_least_normal != 0) {
    for (unsigned i = 0; i < 32; ++i)
      if (magnitude(rounded[i]) == FloatFormat<float>::kSmallestNormal &&
          rounds_below_normal(Op::template wide<r>(flush<true>(static_cast<float>(rows[i]))...)))
        rounded[i] = signed_zero(rounded[i]);
  }
  const float* results = rounded;
  each_lane<F32>(args, [=](unsigned i) { return finish<true, sat>(results[i]); });
}
template <class Op>
constexpr bool kCanBeTiny = requires {
  &Op::template wide<Rounding::kRn>;
};

/// Of several f64 operands that are NaNs the second is the result, then the third, then the first; of a quotient the first
/// (measured on an H200).
template <class Op>
constexpr bool kFirstNan = requires {
  Op::kFirstNan;
};

template <class Op, bool ftz, bool sat, class V>
HEDDLE_INLINE V rounded_value(V a) {
  return finish<ftz, sat>(Op::apply(flush<ftz>(a)), a);
}
template <class Op, bool ftz, bool sat, class V>
HEDDLE_INLINE V rounded_value(V a, V b) {
  const V result = Op::apply(flush<ftz>(a), flush<ftz>(b));
  return kFirstNan<Op> ? finish<ftz, sat>(result, a, b) : finish<ftz, sat>(result, b, a);
}
template <class Op, bool ftz, bool sat, class V>
HEDDLE_INLINE V rounded_value(V a, V b, V c) {
  return finish<ftz, sat>(Op::apply(flush<ftz>(a), flush<ftz>(b), flush<ftz>(c)), b, c, a);
}
/// dst[0] := Op of the rows' values, which are indexed by lane.
template <class Op, class E, Rounding r, bool ftz, bool sat, class... Rows>
HEDDLE_INLINE void rounded_rows(const LaneArgs& args, Rows... rows) {
  [[maybe_unused]] const RoundingScope<r> scope;
  if constexpr (ftz && kCanBeTiny<Op>)
    flushed_rows<Op, r, sat>(args, rows...);
  else
    each_lane<E>(args, [=](unsigned i) {
      return rounded_value<Op, ftz, sat>(static_cast<typename E::Value>(rows[i])...);
    });
}

}  // namespace
}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
