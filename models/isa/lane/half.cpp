// f16 and f16x2 arithmetic: add, sub, mul, fma (all round to nearest even), abs, neg. Computed in double,
// where sums and products of two f16 are exact; .ftz acts on operands and results, .sat clamps to [0, 1].
#include "isa/lane/half.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

struct AddHalf {
  HEDDLE_INLINE static double apply(double a, double b, double) { return a + b; }
};
struct SubHalf {
  HEDDLE_INLINE static double apply(double a, double b, double) { return a - b; }
};
struct MulHalf {
  HEDDLE_INLINE static double apply(double a, double b, double) { return a * b; }
};
/// The product has 22 bits: exact. Its sum with c is rounded twice, here and to f16, which gives the same: it is
/// inexact only if c is more than 2^30 times the product, so the f16 is c, or if the product exceeds the largest f16.
struct FmaHalf {
  HEDDLE_INLINE static double apply(double a, double b, double c) { return a * b + c; }
};

template <class Op, bool ftz, bool sat>
HEDDLE_INLINE std::uint32_t half_result(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const double exact = Op::apply(half_to_double(flush_half<ftz>(a)), half_to_double(flush_half<ftz>(b)),
                                 half_to_double(flush_half<ftz>(c)));
  // Clamping first gives the same: 0 and 1 are f16 values.
  const double clamped = sat ? saturate(exact) : exact;
  // .ftz flushes what is below 2^-14 when it is rounded to 11 bits whatever its exponent (measured on an H200): there the
  // last place is 2^-25. Near 2^-14 sums of flushed operands are exact in double.
  constexpr double kBorder = 0x1p-14 - 0x1p-26;
  return double_to_half<Rounding::kRn>(ftz && magnitude(clamped) < kBorder ? signed_zero(clamped) : clamped);
}

template <class Op, bool packed, unsigned sources, bool ftz, bool sat>
void half_rows(const LaneArgs& args) {
  const auto* a = source<U32>(args, 0);
  const auto* b = source<U32>(args, 1);
  const auto* c = source<U32>(args, sources == 3 ? 2 : 1);
  each_lane<U32>(args, [=](unsigned i) {
    const std::uint32_t low = half_result<Op, ftz, sat>(a[i], b[i], c[i]);
    if constexpr (packed)
      return low | half_result<Op, ftz, sat>(a[i] >> 16, b[i] >> 16, c[i] >> 16) << 16;
    else
      return low;
  });
}

template <class Op, unsigned sources>
LaneFn arithmetic(const LaneSpec& spec) {
  if (spec.rounding != Rounding::kDefault && spec.rounding != Rounding::kRn) return nullptr;
  return with_flag(spec.ftz, [&]<bool ftz>() -> LaneFn {
    return with_flag(spec.sat, [&]<bool sat>() -> LaneFn {
      return spec.type == Type::kF16x2 ? half_rows<Op, true, sources, ftz, sat>
                                       : half_rows<Op, false, sources, ftz, sat>;
    });
  });
}

template <bool negate, bool packed, bool ftz>
struct HalfSign {
  HEDDLE_INLINE static std::uint32_t one(std::uint32_t half) {
    const std::uint32_t v = flush_half<ftz>(half);
    const std::uint32_t number = negate ? v ^ kHalfSign : v & ~kHalfSign;
    return (v & ~kHalfSign) > 0x7c00u ? kNanF16 : number;
  }
  HEDDLE_INLINE static std::uint32_t apply(std::uint32_t v) {
    return packed ? one(v) | one(v >> 16) << 16 : one(v);
  }
};
template <bool negate>
LaneFn sign(const LaneSpec& spec) {
  if (spec.sat || spec.rounding != Rounding::kDefault) return nullptr;
  return with_flag(spec.ftz, [&]<bool ftz>() -> LaneFn {
    return spec.type == Type::kF16x2 ? map1<HalfSign<negate, true, ftz>, U32, U32>
                                     : map1<HalfSign<negate, false, ftz>, U32, U32>;
  });
}

}  // namespace

LaneFn find_half(const LaneSpec& spec) {
  if ((spec.type != Type::kF16 && spec.type != Type::kF16x2) || spec.approx) return nullptr;
  switch (spec.op) {
    case LaneOp::kAdd:
      return arithmetic<AddHalf, 2>(spec);
    case LaneOp::kSub:
      return arithmetic<SubHalf, 2>(spec);
    case LaneOp::kMul:
      return arithmetic<MulHalf, 2>(spec);
    case LaneOp::kFma:
      return spec.rounding == Rounding::kRn ? arithmetic<FmaHalf, 3>(spec) : nullptr;
    case LaneOp::kAbs:
      return sign<false>(spec);
    case LaneOp::kNeg:
      return sign<true>(spec);
    default:
      return nullptr;
  }
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
