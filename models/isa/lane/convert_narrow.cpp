// cvt to and from bf16, tf32 and the 8-bit floats, and what later PTX adds to that of f16: .relu and .satfinite.
#include "isa/lane/convert_value.h"
#include "isa/lane/narrow.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

/// Negative values become 0 (-0 too); a NaN stays one.
template <bool relu>
HEDDLE_INLINE double rectified(double v) {
  return relu && (bits_of(v) & FloatFormat<double>::kSign) != 0 && v == v ? 0.0 : v;
}

// ---- One value to a format; tf32 fills the upper bits of its register

template <class F>
constexpr unsigned kShift = F::kBits == Tf32Format::kBits ? 13 : 0;

/// An integer as a double that rounds to any of these formats as it does itself: beyond 53 bits with round to odd.
template <class V>
HEDDLE_INLINE double number(V v) {
  if constexpr (sizeof(V) < 8 || !(V(0.5) == V(0))) {
    return static_cast<double>(v);
  } else {
    const bool negative = v < V{0};
    std::uint64_t m = negative ? ~static_cast<std::uint64_t>(v) + 1 : static_cast<std::uint64_t>(v);
    const bool long_one = m >> 52 != 0;
    if (long_one) m = m >> 12 | ((m & 0xfffu) != 0 ? 1u : 0u);
    const double magnitude_of = static_cast<double>(m) * (long_one ? 0x1p12 : 1.0);
    return negative ? -magnitude_of : magnitude_of;
  }
}

template <class F, class S, Rounding r, bool relu, bool satfinite>
void to_narrow(const LaneArgs& args) {
  const auto* a = source<S>(args, 0);
  each_lane<U32>(args, [=](unsigned i) {
    return F::template round<r>(rectified<relu>(number(S::get(a[i]))), satfinite) << kShift<F>;
  });
}

template <class F, class S, Rounding r>
LaneFn with_clamps(const LaneSpec& spec) {
  return with_flag(spec.relu, [&]<bool relu>() -> LaneFn {
    return with_flag(spec.satfinite,
                     [&]<bool satfinite>() -> LaneFn { return to_narrow<F, S, r, relu, satfinite>; });
  });
}

/// As a card does it in integer arithmetic (ptxas' code for sm_90): a NaN loses what lies below its upper bits, and .satfinite takes
/// 1 from all that is not finite then.
template <bool satfinite>
struct AwayFromZeroTf32 {
  HEDDLE_INLINE static std::uint32_t apply(std::uint32_t v) {
    constexpr std::uint32_t kMagnitude = 0x7fff'ffff, kInfinity = 0x7f80'0000, kUnit = 0x2000;
    const std::uint32_t rounded = (v + ((v & kMagnitude) < kInfinity ? kUnit / 2 : 0)) & ~(kUnit - 1);
    return satfinite && (rounded & kMagnitude) >= kInfinity ? rounded - kUnit : rounded;
  }
};

/// From f32: .rn and .rz, with .relu and .satfinite; tf32 has .rna.
template <class F>
LaneFn from_single(const LaneSpec& spec) {
  if (spec.ftz || spec.sat) return nullptr;
  switch (spec.rounding) {
    case Rounding::kRn:
      return with_clamps<F, F32, Rounding::kRn>(spec);
    case Rounding::kRz:
      return with_clamps<F, F32, Rounding::kRz>(spec);
    case Rounding::kRna:
      if constexpr (F::kBits == Tf32Format::kBits)
        return spec.relu        ? nullptr
               : spec.satfinite ? map1<AwayFromZeroTf32<true>, U32, U32>
                                : map1<AwayFromZeroTf32<false>, U32, U32>;
      return nullptr;
    default:
      return nullptr;
  }
}

template <class S>
LaneFn to_bf16(const LaneSpec& spec) {
  if (spec.ftz || spec.sat || spec.relu || spec.satfinite || spec.rounding == Rounding::kDefault)
    return nullptr;
  return with_rounding(spec.rounding,
                       [&]<Rounding r>() -> LaneFn { return to_narrow<Bf16Format, S, r, false, false>; });
}
/// To a whole number, which bf16 represents: a larger one is whole.
template <Rounding r>
struct WholeBf16 {
  HEDDLE_INLINE static std::uint32_t apply(std::uint32_t v) {
    return Bf16Format::round<Rounding::kRn>(to_integral<r>(Bf16Format::value(v & 0xffffu)), false);
  }
};
LaneFn bf16_to_whole(const LaneSpec& spec) {
  if (spec.ftz || spec.sat || spec.relu || spec.satfinite) return nullptr;
  switch (spec.rounding) {
    case Rounding::kRni:
      return map1<WholeBf16<Rounding::kRni>, U32, U32>;
    case Rounding::kRzi:
      return map1<WholeBf16<Rounding::kRzi>, U32, U32>;
    case Rounding::kRmi:
      return map1<WholeBf16<Rounding::kRmi>, U32, U32>;
    case Rounding::kRpi:
      return map1<WholeBf16<Rounding::kRpi>, U32, U32>;
    default:
      return nullptr;
  }
}
LaneFn find_to_bf16(const LaneSpec& spec) {
  switch (spec.src_type) {
    case Type::kBf16:
      return bf16_to_whole(spec);
    case Type::kF32:
      if (spec.rounding == Rounding::kRm || spec.rounding == Rounding::kRp) return to_bf16<F32>(spec);
      return from_single<Bf16Format>(spec);
    case Type::kF16:
      return to_bf16<F16>(spec);
    case Type::kF64:
      return to_bf16<F64>(spec);
    case Type::kU8:
      return to_bf16<U8>(spec);
    case Type::kS8:
      return to_bf16<S8>(spec);
    case Type::kU16:
      return to_bf16<U16>(spec);
    case Type::kS16:
      return to_bf16<S16>(spec);
    case Type::kU32:
      return to_bf16<U32>(spec);
    case Type::kS32:
      return to_bf16<S32>(spec);
    case Type::kU64:
      return to_bf16<U64>(spec);
    case Type::kS64:
      return to_bf16<S64>(spec);
    default:
      return nullptr;
  }
}

// ---- From bf16

using Bf16 = NarrowOf<Bf16Format, false>;

/// The upper half of an f32, NaNs too.
struct WidenBf16 {
  HEDDLE_INLINE static std::uint32_t apply(std::uint32_t v) { return v << 16; }
};
void bf16_to_double(const LaneArgs& args) {
  const auto* a = source<U32>(args, 0);
  each_lane<F64>(args, [=](unsigned i) {
    const double v = Bf16Format::value(a[i] & 0xffffu);
    // A NaN keeps its sign and payload, and becomes quiet, as that of f32 does.
    constexpr std::uint64_t kQuietNan = std::uint64_t{0x7ff8} << 48;
    return v == v ? v
                  : from_bits(kQuietNan | std::uint64_t{a[i] & 0x8000u} << 48 |
                              std::uint64_t{a[i] & 0x7fu} << 45);
  });
}
template <class D>
LaneFn bf16_to_integer(const LaneSpec& spec) {
  switch (spec.rounding) {
    case Rounding::kRni:
      return map1<FloatToInteger<D, Bf16, Rounding::kRni, false>, D, Bf16>;
    case Rounding::kRzi:
      return map1<FloatToInteger<D, Bf16, Rounding::kRzi, false>, D, Bf16>;
    case Rounding::kRmi:
      return map1<FloatToInteger<D, Bf16, Rounding::kRmi, false>, D, Bf16>;
    case Rounding::kRpi:
      return map1<FloatToInteger<D, Bf16, Rounding::kRpi, false>, D, Bf16>;
    default:
      return nullptr;
  }
}
LaneFn find_from_bf16(const LaneSpec& spec) {
  if (spec.ftz || spec.sat || spec.relu || spec.satfinite) return nullptr;
  const bool exact = spec.rounding == Rounding::kDefault;
  switch (spec.type) {
    case Type::kF32:
      return exact && spec.dst_bits == 0 ? map1<WidenBf16, U32, U32> : nullptr;
    case Type::kF64:
      return exact ? bf16_to_double : nullptr;
    case Type::kF16:
      if (exact) return nullptr;
      return with_rounding(spec.rounding, [&]<Rounding r>() -> LaneFn {
        return to_narrow<HalfFormat, Bf16, r, false, false>;
      });
    case Type::kU8:
      return bf16_to_integer<U8>(spec);
    case Type::kU16:
      return bf16_to_integer<U16>(spec);
    case Type::kU32:
      return bf16_to_integer<U32>(spec);
    case Type::kU64:
      return bf16_to_integer<U64>(spec);
    case Type::kS8:
      if (spec.dst_bits == 32) return bf16_to_integer<InRegister<S8, 32>>(spec);
      return spec.dst_bits == 16 ? bf16_to_integer<InRegister<S8, 16>>(spec) : bf16_to_integer<S8>(spec);
    case Type::kS16:
      return spec.dst_bits == 32 ? bf16_to_integer<InRegister<S16, 32>>(spec) : bf16_to_integer<S16>(spec);
    case Type::kS32:
      return bf16_to_integer<S32>(spec);
    case Type::kS64:
      return bf16_to_integer<S64>(spec);
    default:
      return nullptr;
  }
}

// ---- Pairs

/// Two f32, the first into the upper half of the result.
template <class F, Rounding r, bool relu, bool satfinite>
void pair_from_singles(const LaneArgs& args) {
  const auto* a = source<F32>(args, 0);
  const auto* b = source<F32>(args, 1);
  each_lane<U32>(args, [=](unsigned i) {
    return F::template round<r>(rectified<relu>(a[i]), satfinite) << F::kBits |
           F::template round<r>(rectified<relu>(b[i]), satfinite);
  });
}
template <class F>
LaneFn find_pair(const LaneSpec& spec) {
  if (spec.ftz || spec.sat) return nullptr;
  return with_flag(spec.relu, [&]<bool relu>() -> LaneFn {
    return with_flag(spec.satfinite, [&]<bool satfinite>() -> LaneFn {
      if (spec.rounding == Rounding::kRn) return pair_from_singles<F, Rounding::kRn, relu, satfinite>;
      if constexpr (F::kBits == 16)
        if (spec.rounding == Rounding::kRz) return pair_from_singles<F, Rounding::kRz, relu, satfinite>;
      return nullptr;
    });
  });
}
/// 8-bit floats always saturate.
template <class F>
LaneFn find_bytes(const LaneSpec& spec) {
  return spec.satfinite ? find_pair<F>(spec) : nullptr;
}

/// An f16x2 to two 8-bit floats, and back.
template <class F, bool relu>
struct HalvesToBytes {
  HEDDLE_INLINE static std::uint32_t apply(std::uint32_t v) {
    const auto one = [](std::uint32_t half) {
      return F::template round<Rounding::kRn>(rectified<relu>(HalfFormat::value(half)), true);
    };
    return one(v >> 16) << 8 | one(v & 0xffffu);
  }
};
template <class F, bool relu>
struct BytesToHalves {
  HEDDLE_INLINE static std::uint32_t apply(std::uint32_t v) {
    const auto one = [](std::uint32_t byte) {
      return HalfFormat::round<Rounding::kRn>(rectified<relu>(F::value(byte)), false);
    };
    return one(v >> 8 & 0xffu) << 16 | one(v & 0xffu);
  }
};
template <class F>
LaneFn bytes_of_halves(const LaneSpec& spec) {
  if (spec.rounding != Rounding::kRn || !spec.satfinite || spec.ftz || spec.sat) return nullptr;
  return spec.relu ? map1<HalvesToBytes<F, true>, U32, U32> : map1<HalvesToBytes<F, false>, U32, U32>;
}
template <class F>
LaneFn halves_of_bytes(const LaneSpec& spec) {
  if (spec.rounding != Rounding::kRn || spec.satfinite || spec.ftz || spec.sat) return nullptr;
  return spec.relu ? map1<BytesToHalves<F, true>, U32, U32> : map1<BytesToHalves<F, false>, U32, U32>;
}

}  // namespace

LaneFn find_convert_narrow(const LaneSpec& spec) {
  if (spec.op == LaneOp::kCvtPair) {
    if (spec.src_type != Type::kF32) return nullptr;
    switch (spec.type) {
      case Type::kF16x2:
        return find_pair<HalfFormat>(spec);
      case Type::kBf16x2:
        return find_pair<Bf16Format>(spec);
      case Type::kE4m3x2:
        return find_bytes<E4m3Format>(spec);
      case Type::kE5m2x2:
        return find_bytes<E5m2Format>(spec);
      default:
        return nullptr;
    }
  }
  if (spec.op != LaneOp::kCvt) return nullptr;
  // Floats live in registers of their own width, or share the 32-bit rows.
  const bool wide_source =
      spec.src_type == Type::kU64 || spec.src_type == Type::kS64 || spec.src_type == Type::kF64;
  const bool wide_result = spec.type == Type::kU64 || spec.type == Type::kS64 || spec.type == Type::kF64;
  if ((spec.src_bits == 64 && !wide_source) || (spec.dst_bits == 64 && !wide_result)) return nullptr;
  switch (spec.type) {
    case Type::kBf16:
      return find_to_bf16(spec);
    case Type::kTf32:
      return spec.src_type == Type::kF32 && spec.dst_bits == 0 ? from_single<Tf32Format>(spec) : nullptr;
    case Type::kE4m3x2:
      return spec.src_type == Type::kF16x2 ? bytes_of_halves<E4m3Format>(spec) : nullptr;
    case Type::kE5m2x2:
      return spec.src_type == Type::kF16x2 ? bytes_of_halves<E5m2Format>(spec) : nullptr;
    case Type::kF16x2:
      if (spec.src_type == Type::kE4m3x2) return halves_of_bytes<E4m3Format>(spec);
      return spec.src_type == Type::kE5m2x2 ? halves_of_bytes<E5m2Format>(spec) : nullptr;
    case Type::kF16:
      if (spec.src_type == Type::kF32 && (spec.relu || spec.satfinite)) return from_single<HalfFormat>(spec);
      break;
    default:
      break;
  }
  return spec.src_type == Type::kBf16 ? find_from_bf16(spec) : nullptr;
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
