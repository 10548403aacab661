// bf16 and bf16x2 arithmetic, and what later PTX adds to that of f16 and f32: .relu of fma, minima and maxima with .NaN and
// .xorsign.abs.
//
// Sums and products are computed in double with round to odd, and rounded once. bf16 has no .ftz but that of ex2.
#include "isa/lane/bf16_functions.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

template <class F, LaneOp op, bool relu>
HEDDLE_INLINE std::uint32_t computed(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const double x = F::value(a & 0xffffu);
  const double y = F::value(b & 0xffffu);
  double exact = 0;
  if constexpr (op == LaneOp::kAdd) exact = sum_to_odd(x, y);
  if constexpr (op == LaneOp::kSub) exact = sum_to_odd(x, -y);
  if constexpr (op == LaneOp::kMul) exact = x * y;  // of 22 bits
  if constexpr (op == LaneOp::kFma) exact = sum_to_odd(x * y, F::value(c & 0xffffu));
  const std::uint32_t rounded = F::template round<Rounding::kRn>(exact, false);
  return relu && exact == exact && (rounded & F::kSign) != 0 ? 0u : rounded;
}

template <class F, LaneOp op, bool packed, bool relu>
void arithmetic_rows(const LaneArgs& args) {
  const auto* a = source<U32>(args, 0);
  const auto* b = source<U32>(args, 1);
  const auto* c = source<U32>(args, op == LaneOp::kFma ? 2 : 1);
  each_lane<U32>(args, [=](unsigned i) {
    const std::uint32_t low = computed<F, op, relu>(a[i], b[i], c[i]);
    return packed ? low | computed<F, op, relu>(a[i] >> 16, b[i] >> 16, c[i] >> 16) << 16 : low;
  });
}

template <class F, LaneOp op>
LaneFn arithmetic(const LaneSpec& spec, bool packed) {
  if (spec.ftz || spec.sat || spec.satfinite) return nullptr;
  if (spec.rounding != Rounding::kRn && (op == LaneOp::kFma || spec.rounding != Rounding::kDefault))
    return nullptr;
  if (op != LaneOp::kFma && spec.relu) return nullptr;
  return with_flag(packed, [&]<bool two>() -> LaneFn {
    return with_flag(op == LaneOp::kFma && spec.relu,
                     [&]<bool relu>() -> LaneFn { return arithmetic_rows<F, op, two, relu>; });
  });
}

// ---- Signs

template <bool negate, bool packed>
struct Bf16Sign {
  HEDDLE_INLINE static std::uint32_t one(std::uint32_t bits) {
    const std::uint32_t v = bits & 0xffffu;
    return Bf16Format::is_nan(v) ? Bf16Format::kNan : negate ? v ^ Bf16Format::kSign : v & ~Bf16Format::kSign;
  }
  HEDDLE_INLINE static std::uint32_t apply(std::uint32_t v) {
    return packed ? one(v) | one(v >> 16) << 16 : one(v);
  }
};
template <bool negate>
LaneFn bf16_sign(const LaneSpec& spec, bool packed) {
  if (spec.ftz || spec.sat || spec.rounding != Rounding::kDefault) return nullptr;
  return packed ? map1<Bf16Sign<negate, true>, U32, U32> : map1<Bf16Sign<negate, false>, U32, U32>;
}

// ---- Minima and maxima, in the order of the bits: -0 is less than +0

struct SingleBits {
  static constexpr std::uint32_t kSign = 0x8000'0000u;
  static constexpr std::uint32_t kNan = 0x7fff'ffffu;
  static constexpr std::uint32_t kInfinity = 0x7f80'0000u;
  static constexpr std::uint32_t kLeastNormal = 0x0080'0000u;
  HEDDLE_INLINE static bool is_nan(std::uint32_t bits) { return (bits & kNan) > kInfinity; }
};

template <class F, bool max, bool ftz, bool nan, bool xorsign>
HEDDLE_INLINE std::uint32_t extreme(std::uint32_t a, std::uint32_t b) {
  const auto flushed = [](std::uint32_t v) {
    return ftz && (v & (F::kSign - 1)) < F::kLeastNormal ? v & F::kSign : v;
  };
  std::uint32_t x = flushed(a);
  std::uint32_t y = flushed(b);
  const bool x_nan = F::is_nan(x);
  const bool y_nan = F::is_nan(y);
  const std::uint32_t sign = (x ^ y) & F::kSign;
  if constexpr (xorsign) {
    x &= F::kSign - 1;
    y &= F::kSign - 1;
  }
  const auto key = [](std::uint32_t v) {
    return (v & F::kSign) != 0 ? (F::kSign * 2 - 1) & ~v : v | F::kSign;
  };
  const bool first = max ? key(x) > key(y) : key(x) < key(y);
  std::uint32_t result = y_nan || (first && !x_nan) ? x : y;
  if constexpr (xorsign) result |= sign;
  if ((nan && (x_nan || y_nan)) || (x_nan && y_nan)) result = F::kNan;
  return result;
}

template <class F, bool max, bool ftz, bool nan, bool xorsign, bool packed>
void extreme_rows(const LaneArgs& args) {
  const auto* a = source<U32>(args, 0);
  const auto* b = source<U32>(args, 1);
  each_lane<U32>(args, [=](unsigned i) {
    if constexpr (F::kSign == SingleBits::kSign) {
      return extreme<F, max, ftz, nan, xorsign>(a[i], b[i]);
    } else {
      const std::uint32_t low = extreme<F, max, ftz, nan, xorsign>(a[i] & 0xffffu, b[i] & 0xffffu);
      return packed ? low | extreme<F, max, ftz, nan, xorsign>(a[i] >> 16, b[i] >> 16) << 16 : low;
    }
  });
}

template <class F, bool max>
LaneFn find_extreme(const LaneSpec& spec, bool packed) {
  if (spec.sat || spec.rounding != Rounding::kDefault) return nullptr;
  return with_flag(spec.ftz, [&]<bool ftz>() -> LaneFn {
    return with_flag(spec.nan, [&]<bool nan>() -> LaneFn {
      return with_flag(spec.xorsign, [&]<bool xorsign>() -> LaneFn {
        if constexpr (F::kSign == SingleBits::kSign)
          return extreme_rows<F, max, ftz, nan, xorsign, false>;
        else
          return packed ? extreme_rows<F, max, ftz, nan, xorsign, true>
                        : extreme_rows<F, max, ftz, nan, xorsign, false>;
      });
    });
  });
}

LaneFn min_or_max(const LaneSpec& spec) {
  const bool max = spec.op == LaneOp::kMax;
  switch (spec.type) {
    case Type::kF16:
    case Type::kF16x2: {
      const bool packed = spec.type == Type::kF16x2;
      return max ? find_extreme<HalfFormat, true>(spec, packed)
                 : find_extreme<HalfFormat, false>(spec, packed);
    }
    case Type::kBf16:
    case Type::kBf16x2: {
      const bool packed = spec.type == Type::kBf16x2;
      if (spec.ftz) return nullptr;
      return max ? find_extreme<Bf16Format, true>(spec, packed)
                 : find_extreme<Bf16Format, false>(spec, packed);
    }
    case Type::kF32:  // without these modifiers: float.cpp
      if (!spec.nan && !spec.xorsign) return nullptr;
      return max ? find_extreme<SingleBits, true>(spec, false) : find_extreme<SingleBits, false>(spec, false);
    default:
      return nullptr;
  }
}

// ---- Functions

template <bool tangent, bool packed>
struct Bf16Function {
  HEDDLE_INLINE static std::uint32_t apply(std::uint32_t v) {
    const std::uint32_t low = bf16_function<tangent>(v);
    return packed ? low | bf16_function<tangent>(v >> 16) << 16 : low;
  }
};
template <bool tangent>
LaneFn function_of_bf16(const LaneSpec& spec, bool packed) {
  if (spec.sat || spec.rounding != Rounding::kDefault || spec.ftz == tangent) return nullptr;
  return packed ? map1<Bf16Function<tangent, true>, U32, U32> : map1<Bf16Function<tangent, false>, U32, U32>;
}

}  // namespace

LaneFn find_narrow(const LaneSpec& spec) {
  if (spec.op == LaneOp::kMin || spec.op == LaneOp::kMax)
    return spec.relu || spec.satfinite ? nullptr : min_or_max(spec);
  if (spec.nan || spec.xorsign) return nullptr;
  const bool half = spec.type == Type::kF16 || spec.type == Type::kF16x2;
  if (half && spec.op == LaneOp::kFma && spec.relu)
    return arithmetic<HalfFormat, LaneOp::kFma>(spec, spec.type == Type::kF16x2);
  if (spec.type != Type::kBf16 && spec.type != Type::kBf16x2) return nullptr;
  const bool packed = spec.type == Type::kBf16x2;
  switch (spec.op) {
    case LaneOp::kAdd:
      return arithmetic<Bf16Format, LaneOp::kAdd>(spec, packed);
    case LaneOp::kSub:
      return arithmetic<Bf16Format, LaneOp::kSub>(spec, packed);
    case LaneOp::kMul:
      return arithmetic<Bf16Format, LaneOp::kMul>(spec, packed);
    case LaneOp::kFma:
      return arithmetic<Bf16Format, LaneOp::kFma>(spec, packed);
    case LaneOp::kAbs:
      return bf16_sign<false>(spec, packed);
    case LaneOp::kNeg:
      return bf16_sign<true>(spec, packed);
    case LaneOp::kEx2:
      return function_of_bf16<false>(spec, packed);
    case LaneOp::kTanh:
      return function_of_bf16<true>(spec, packed);
    default:
      return nullptr;
  }
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
