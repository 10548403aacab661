// The approximate functions of PTX as ptxas compiles them for sm_75 and later: MUFU, with its operand and result scaled where
// PTX has subnormals (LaneSpec::mufu).
#include "isa/lane/float_rules.h"
#include "isa/mufu/functions.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

HEDDLE_INLINE bool subnormal_or_zero(float x) { return magnitude(x) < FloatFormat<float>::kSmallestNormal; }
HEDDLE_INLINE float select(bool condition, float yes, float no) { return condition ? yes : no; }

template <bool ftz>
struct MufuRcp {
  HEDDLE_INLINE static float apply(float x) {
    if constexpr (ftz) return from_bits(mufu::rcp(bits_of(x)));
    const float scale = select(subnormal_or_zero(x), 0x1p24f, select(magnitude(x) > 0x1p126f, 0.25f, 1.0f));
    return canonical(from_bits(mufu::rcp(bits_of(x * scale))) * scale);
  }
};
template <bool ftz>
struct MufuRsqrt {
  HEDDLE_INLINE static float apply(float x) {
    if constexpr (ftz) return from_bits(mufu::rsq(bits_of(x)));
    const bool scaled = subnormal_or_zero(x);
    return canonical(from_bits(mufu::rsq(bits_of(x * select(scaled, 0x1p24f, 1.0f)))) *
                     select(scaled, 0x1p12f, 1.0f));
  }
};
template <bool ftz>
struct MufuSqrt {
  HEDDLE_INLINE static float apply(float x) {
    if constexpr (ftz) return from_bits(mufu::sqrt(bits_of(x)));
    const bool scaled = subnormal_or_zero(x);
    return canonical(from_bits(mufu::sqrt(bits_of(x * select(scaled, 0x1p24f, 1.0f)))) *
                     select(scaled, 0x1p-12f, 1.0f));
  }
};
template <bool ftz>
struct MufuLg2 {
  HEDDLE_INLINE static float apply(float x) {
    if constexpr (ftz) return from_bits(mufu::lg2(bits_of(x)));
    const bool scaled = subnormal_or_zero(x);
    const float result = from_bits(mufu::lg2(bits_of(x * select(scaled, 0x1p24f, 1.0f))));
    return canonical(select(scaled, result - 24.0f, result));
  }
};
template <bool ftz>
struct MufuEx2 {
  HEDDLE_INLINE static float apply(float x) {
    if constexpr (ftz) return from_bits(mufu::ex2(bits_of(x)));
    const bool halved = x < -126.0f;
    const float result = from_bits(mufu::ex2(bits_of(select(halved, x * 0.5f, x))));
    return canonical(select(halved, result * result, result));
  }
};

/// x / (2 pi) towards zero: FMUL.RZ.
HEDDLE_INLINE float revolutions(float x) {
  const double exact = static_cast<double>(x) * static_cast<double>(0x1.45f306p-3f);
  const auto rounded = static_cast<float>(exact);
  const bool beyond = magnitude(static_cast<double>(rounded)) > magnitude(exact);
  return from_bits(bits_of(rounded) - (beyond ? 1u : 0u));
}
// MUFU flushes its operand, so .ftz makes no difference.
template <bool ftz>
struct MufuSin {
  HEDDLE_INLINE static float apply(float x) { return from_bits(mufu::sine<false>(bits_of(revolutions(x)))); }
};
template <bool ftz>
struct MufuCos {
  HEDDLE_INLINE static float apply(float x) { return from_bits(mufu::sine<true>(bits_of(revolutions(x)))); }
};
template <bool ftz>
struct MufuTanh {
  HEDDLE_INLINE static float apply(float x) { return from_bits(mufu::tanh(bits_of(x))); }
};

/// A product that ptxas makes of a quotient. With .ftz it is 0 if it is subnormal when rounded with unbounded exponent.
template <bool ftz>
HEDDLE_INLINE float product(float a, float b) {
  const double exact = static_cast<double>(a) * static_cast<double>(b);
  const auto result = static_cast<float>(exact);
  const bool tiny = magnitude(static_cast<float>(exact * 0x1p64)) < 0x1p-62f;
  return canonical(ftz && tiny ? signed_zero(result) : result);
}
template <bool ftz, bool full>
struct MufuDiv {
  HEDDLE_INLINE static float apply(float a, float b) {
    const bool large = full && magnitude(flush<ftz>(b)) > 0x1p126f;
    const bool small = !ftz && subnormal_or_zero(b);
    const float scale = select(large, 0.25f, select(small, 0x1p24f, 1.0f));
    const float dividend = flush<ftz>(flush<ftz>(a) * scale);
    return product<ftz>(from_bits(mufu::rcp(bits_of(b * scale))), dividend);
  }
};
LaneFn quotient(const LaneSpec& spec) {
  if (spec.type != Type::kF32 || !spec.approx) return nullptr;
  return with_flag(spec.ftz, [&]<bool ftz>() -> LaneFn {
    return spec.full ? map2<MufuDiv<ftz, true>, F32, F32, F32> : map2<MufuDiv<ftz, false>, F32, F32, F32>;
  });
}

template <template <bool> class Function>
LaneFn of_single(const LaneSpec& spec) {
  if (spec.type != Type::kF32) return nullptr;
  return spec.ftz ? map1<Function<true>, F32, F32> : map1<Function<false>, F32, F32>;
}

template <std::uint32_t (*function)(std::uint32_t), bool packed>
struct MufuHalf {
  HEDDLE_INLINE static std::uint32_t apply(std::uint32_t v) {
    return packed ? function(v & 0xffffu) | function(v >> 16) << 16 : function(v);
  }
};
template <std::uint32_t (*function)(std::uint32_t)>
LaneFn of_half(const LaneSpec& spec) {
  if (spec.ftz) return nullptr;
  return spec.type == Type::kF16     ? map1<MufuHalf<function, false>, U32, U32>
         : spec.type == Type::kF16x2 ? map1<MufuHalf<function, true>, U32, U32>
                                     : nullptr;
}

template <std::uint32_t (*function)(std::uint32_t)>
struct MufuHighWord {
  HEDDLE_INLINE static std::uint64_t apply(std::uint64_t v) {
    return static_cast<std::uint64_t>(function(static_cast<std::uint32_t>(v >> 32))) << 32;
  }
};

}  // namespace

LaneFn find_mufu(const LaneSpec& spec) {
  if (spec.sat || spec.rounding != Rounding::kDefault) return nullptr;
  const bool coarse = spec.type == Type::kF64 && spec.ftz;
  switch (spec.op) {
    case LaneOp::kRcp:
      if (!spec.approx) return nullptr;
      return coarse ? map1<MufuHighWord<mufu::rcp64h>, U64, U64> : of_single<MufuRcp>(spec);
    case LaneOp::kRsqrt:
      return coarse ? map1<MufuHighWord<mufu::rsq64h>, U64, U64> : of_single<MufuRsqrt>(spec);
    case LaneOp::kSqrt:
      return spec.approx ? of_single<MufuSqrt>(spec) : nullptr;
    case LaneOp::kDiv:
      return quotient(spec);
    case LaneOp::kSin:
      return of_single<MufuSin>(spec);
    case LaneOp::kCos:
      return of_single<MufuCos>(spec);
    case LaneOp::kLg2:
      return of_single<MufuLg2>(spec);
    case LaneOp::kEx2:
      return spec.type == Type::kF32 ? of_single<MufuEx2>(spec) : of_half<mufu::ex2_half>(spec);
    case LaneOp::kTanh:
      if (spec.type != Type::kF32) return of_half<mufu::tanh_half>(spec);
      return spec.ftz ? nullptr : map1<MufuTanh<false>, F32, F32>;
    default:
      return nullptr;
  }
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
