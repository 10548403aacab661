// f16 and f16x2 arithmetic: add, sub, mul, fma (all round to nearest even), abs, neg. Computed in double,
// where sums and products of two f16 are exact; .ftz acts on operands and results, .sat clamps to [0, 1].
#include "isa/lane/half.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

/// a * b + c with the last bit of the double set if the sum was inexact ("round to odd"), so that rounding
/// again to f16 gives the same result as rounding once.
HEDDLE_INLINE double fused(double a, double b, double c) {
  const double p = a * b;  // 22 bits: exact
  const double sum = p + c;
  const double from_c = sum - p;
  const double error = (p - (sum - from_c)) + (c - from_c);  // Knuth's TwoSum
  // Not for infinities and NaN, whose error is NaN.
  const bool inexact = error < 0.0 || error > 0.0;
  const std::uint64_t bits = bits_of(sum);
  const bool outwards = (error > 0.0) == (sum > 0.0);
  const std::uint64_t odd = (bits & 1u) != 0 ? bits : outwards ? bits + 1 : bits - 1;
  return from_bits(inexact ? odd : bits);
}

struct AddHalf {
  HEDDLE_INLINE static double apply(double a, double b, double) { return a + b; }
};
struct SubHalf {
  HEDDLE_INLINE static double apply(double a, double b, double) { return a - b; }
};
struct MulHalf {
  HEDDLE_INLINE static double apply(double a, double b, double) { return a * b; }
};
struct FmaHalf {
  HEDDLE_INLINE static double apply(double a, double b, double c) { return fused(a, b, c); }
};

template <class Op, bool ftz, bool sat>
HEDDLE_INLINE std::uint32_t half_result(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const double exact = Op::apply(half_to_double(flush_half<ftz>(a)), half_to_double(flush_half<ftz>(b)),
                                 half_to_double(flush_half<ftz>(c)));
  // Clamping first gives the same: 0 and 1 are f16 values.
  return flush_half<ftz>(double_to_half<Rounding::kRn>(sat ? saturate(exact) : exact));
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

// Sign operations act on the bits: NaNs keep their payload.
template <bool negate, bool packed, bool ftz>
struct HalfSign {
  HEDDLE_INLINE static std::uint32_t one(std::uint32_t half) {
    const std::uint32_t v = flush_half<ftz>(half);
    return negate ? v ^ kHalfSign : v & ~kHalfSign;
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
