// f32 and f64 arithmetic: add, sub, mul, fma (and mad, which is fma), div, rcp, sqrt in the four rounding
// modes; abs, neg, min, max, copysign. Approximate forms of div, rcp and sqrt are computed correctly rounded.
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
constexpr bool kCanBeTiny = requires { &Op::template wide<Rounding::kRn>; };

/// Of several f64 operands that are NaNs the second is the result, then the third, then the first; of a quotient the first
/// (measured on an H200).
template <class Op>
constexpr bool kFirstNan = requires { Op::kFirstNan; };

template <class Op, class E, Rounding r, bool ftz, bool sat>
void rounded1(const LaneArgs& args) {
  const auto* a = source<E>(args, 0);
  [[maybe_unused]] const RoundingScope<r> scope;
  if constexpr (ftz && kCanBeTiny<Op>)
    flushed_rows<Op, r, sat>(args, a);
  else
    each_lane<E>(args, [=](unsigned i) {
      const typename E::Value x = a[i];
      return finish<ftz, sat>(Op::apply(flush<ftz>(x)), x);
    });
}
template <class Op, class E, Rounding r, bool ftz, bool sat>
void rounded2(const LaneArgs& args) {
  const auto* a = source<E>(args, 0);
  const auto* b = source<E>(args, 1);
  [[maybe_unused]] const RoundingScope<r> scope;
  if constexpr (ftz && kCanBeTiny<Op>)
    flushed_rows<Op, r, sat>(args, a, b);
  else
    each_lane<E>(args, [=](unsigned i) {
      const typename E::Value x = a[i];
      const typename E::Value y = b[i];
      const typename E::Value result = Op::apply(flush<ftz>(x), flush<ftz>(y));
      return kFirstNan<Op> ? finish<ftz, sat>(result, x, y) : finish<ftz, sat>(result, y, x);
    });
}
template <class Op, class E, Rounding r, bool ftz, bool sat>
void rounded3(const LaneArgs& args) {
  const auto* a = source<E>(args, 0);
  const auto* b = source<E>(args, 1);
  const auto* c = source<E>(args, 2);
  [[maybe_unused]] const RoundingScope<r> scope;
  if constexpr (ftz && kCanBeTiny<Op>)
    flushed_rows<Op, r, sat>(args, a, b, c);
  else
    each_lane<E>(args, [=](unsigned i) {
      const typename E::Value x = a[i];
      const typename E::Value y = b[i];
      const typename E::Value z = c[i];
      return finish<ftz, sat>(Op::apply(flush<ftz>(x), flush<ftz>(y), flush<ftz>(z)), y, z, x);
    });
}

// .ftz exists for f32 only, and so does .sat here.
template <class Op>
LaneFn find1(const LaneSpec& spec) {
  if (spec.sat) return nullptr;
  return with_rounding(spec.rounding, [&]<Rounding r>() -> LaneFn {
    if (spec.type == Type::kF64) return spec.ftz ? nullptr : rounded1<Op, F64, r, false, false>;
    return with_flag(spec.ftz, []<bool ftz>() -> LaneFn { return rounded1<Op, F32, r, ftz, false>; });
  });
}
template <class Op, bool has_sat>
LaneFn find2(const LaneSpec& spec) {
  return with_rounding(spec.rounding, [&]<Rounding r>() -> LaneFn {
    if (spec.type == Type::kF64) return spec.ftz || spec.sat ? nullptr : rounded2<Op, F64, r, false, false>;
    return with_flag(spec.ftz, [&]<bool ftz>() -> LaneFn {
      if constexpr (has_sat) {
        if (spec.sat) return rounded2<Op, F32, r, ftz, true>;
      }
      return spec.sat ? nullptr : rounded2<Op, F32, r, ftz, false>;
    });
  });
}
template <class Op>
LaneFn find3(const LaneSpec& spec) {
  return with_rounding(spec.rounding, [&]<Rounding r>() -> LaneFn {
    if (spec.type == Type::kF64) return spec.ftz || spec.sat ? nullptr : rounded3<Op, F64, r, false, false>;
    return with_flag(spec.ftz, [&]<bool ftz>() -> LaneFn {
      return spec.sat ? rounded3<Op, F32, r, ftz, true> : rounded3<Op, F32, r, ftz, false>;
    });
  });
}

// A NaN does not change its sign (measured on an H200).
template <class E, bool ftz>
struct AbsFloat {
  using V = typename E::Value;
  HEDDLE_INLINE static V apply(V a) { return nan_result(magnitude(flush<ftz>(a)), a); }
};
template <class E, bool ftz>
struct NegFloat {
  using V = typename E::Value;
  HEDDLE_INLINE static V apply(V a) {
    return nan_result(from_bits(bits_of(flush<ftz>(a)) ^ FloatFormat<V>::kSign), a);
  }
};
template <class E, bool>
struct Copysign {  // the sign of a on the value of b
  using V = typename E::Value;
  HEDDLE_INLINE static V apply(V a, V b) {
    constexpr auto kSign = FloatFormat<V>::kSign;
    return from_bits((bits_of(a) & kSign) | (bits_of(b) & ~kSign));
  }
};

// min, max: a NaN loses to a number, of two f64 NaNs the second one stays (measured on an H200), and -0 is below +0. Where a == b the bits differ in the sign at most.
template <class E, bool ftz>
struct MinFloat {
  using V = typename E::Value;
  HEDDLE_INLINE static V apply(V x, V y) {
    const V a = flush<ftz>(x);
    const V b = flush<ftz>(y);
    const V smaller = a < b ? a : b;
    const V ordered = a == b ? from_bits(bits_of(a) | bits_of(b)) : smaller;
    const V not_nan_b = b == b ? ordered : a;
    return nan_result(a == a ? not_nan_b : b, b);
  }
};
template <class E, bool ftz>
struct MaxFloat {
  using V = typename E::Value;
  HEDDLE_INLINE static V apply(V x, V y) {
    const V a = flush<ftz>(x);
    const V b = flush<ftz>(y);
    const V larger = a < b ? b : a;
    const V ordered = a == b ? from_bits(bits_of(a) & bits_of(b)) : larger;
    const V not_nan_b = b == b ? ordered : a;
    return nan_result(a == a ? not_nan_b : b, b);
  }
};

template <template <class, bool> class Op>
LaneFn unary(const LaneSpec& spec) {
  if (spec.sat) return nullptr;
  if (spec.type == Type::kF64) return spec.ftz ? nullptr : map1<Op<F64, false>, F64, F64>;
  return spec.ftz ? map1<Op<F32, true>, F32, F32> : map1<Op<F32, false>, F32, F32>;
}
template <template <class, bool> class Op>
LaneFn binary(const LaneSpec& spec) {
  if (spec.sat) return nullptr;
  if (spec.type == Type::kF64) return spec.ftz ? nullptr : map2<Op<F64, false>, F64, F64, F64>;
  return spec.ftz ? map2<Op<F32, true>, F32, F32, F32> : map2<Op<F32, false>, F32, F32, F32>;
}

}  // namespace

LaneFn find_float(const LaneSpec& spec) {
  if (spec.type != Type::kF32 && spec.type != Type::kF64) return nullptr;
  const bool approx_f64 = spec.approx && spec.type == Type::kF64;  // rcp.approx.ftz.f64: special.cpp
  switch (spec.op) {
    case LaneOp::kAdd:
      return find2<AddOp, true>(spec);
    case LaneOp::kSub:
      return find2<SubOp, true>(spec);
    case LaneOp::kMul:
      return find2<MulOp, true>(spec);
    case LaneOp::kMad:
    case LaneOp::kFma:
      return find3<FmaOp>(spec);
    case LaneOp::kDiv:
      return approx_f64 ? nullptr : find2<DivOp, false>(spec);
    case LaneOp::kRcp:
      return approx_f64 ? nullptr : find1<RcpOp>(spec);
    case LaneOp::kSqrt:
      return approx_f64 ? nullptr : find1<SqrtOp>(spec);
    case LaneOp::kAbs:
      return unary<AbsFloat>(spec);
    case LaneOp::kNeg:
      return unary<NegFloat>(spec);
    case LaneOp::kMin:
      return binary<MinFloat>(spec);
    case LaneOp::kMax:
      return binary<MaxFloat>(spec);
    case LaneOp::kCopysign:
      return spec.ftz ? nullptr : binary<Copysign>(spec);
    default:
      return nullptr;
  }
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
