// f32 and f64 arithmetic: add, sub, mul, fma (and mad, which is fma), div, rcp, sqrt in the four rounding
// modes; abs, neg, min, max, copysign. Approximate forms of div, rcp and sqrt are computed correctly rounded.
#include "isa/lane/float_arithmetic.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

template <class Op, class E, Rounding r, bool ftz, bool sat>
void rounded1(const LaneArgs& args) {
  rounded_rows<Op, E, r, ftz, sat>(args, source<E>(args, 0));
}
template <class Op, class E, Rounding r, bool ftz, bool sat>
void rounded2(const LaneArgs& args) {
  rounded_rows<Op, E, r, ftz, sat>(args, source<E>(args, 0), source<E>(args, 1));
}
template <class Op, class E, Rounding r, bool ftz, bool sat>
void rounded3(const LaneArgs& args) {
  rounded_rows<Op, E, r, ftz, sat>(args, source<E>(args, 0), source<E>(args, 1), source<E>(args, 2));
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
