// cvt with a floating-point side: float to integer, integer to float, float to float, f16 included.
//
// PTX ISA, cvt: out-of-range values clamp to the integer type. NaN gives 0 if the source is f32 or f16 and
// the destination is narrower than 64 bits, otherwise only the top bit set (ISA 9.0).
#include "isa/lane/half.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

template <Rounding r>
HEDDLE_INLINE float to_integral(float v) {
  if constexpr (r == Rounding::kRni) return __builtin_rintf(v);
  if constexpr (r == Rounding::kRzi) return __builtin_truncf(v);
  if constexpr (r == Rounding::kRmi) return __builtin_floorf(v);
  if constexpr (r == Rounding::kRpi) return __builtin_ceilf(v);
  return v;
}
template <Rounding r>
HEDDLE_INLINE double to_integral(double v) {
  if constexpr (r == Rounding::kRni) return __builtin_rint(v);
  if constexpr (r == Rounding::kRzi) return __builtin_trunc(v);
  if constexpr (r == Rounding::kRmi) return __builtin_floor(v);
  if constexpr (r == Rounding::kRpi) return __builtin_ceil(v);
  return v;
}

// ---- float to integer ----

template <class D, class S, Rounding r, bool ftz>
struct FloatToInteger {
  using V = typename D::Value;
  using F = typename S::Value;
  static constexpr F kMin = D::kSigned ? -static_cast<F>(std::uint64_t{1} << (D::kBits - 1)) : F{0};
  static constexpr F kEnd = D::kSigned ? static_cast<F>(std::uint64_t{1} << (D::kBits - 1))
                                       : F{2} * static_cast<F>(std::uint64_t{1} << (D::kBits - 1));
  static constexpr V kLargest = static_cast<V>(~std::uint64_t{0} >> (64 - D::kBits + (D::kSigned ? 1 : 0)));
  static constexpr V kSmallest = D::kSigned ? static_cast<V>(INT64_MIN >> (64 - D::kBits)) : V{0};
  static constexpr bool kNanIsZero = D::kBits < 64 && sizeof(typename S::Cell) == 4;
  static constexpr V kTopBit =
      D::kSigned ? kSmallest : static_cast<V>(typename D::Unsigned{1} << (D::kBits - 1));
  static constexpr V kNan = kNanIsZero ? V{0} : kTopBit;
  HEDDLE_INLINE static V apply(F x) {
    const F v = to_integral<r>(flush<ftz>(x));
    const bool in_range = v >= kMin && v < kEnd;
    const V converted = static_cast<V>(in_range ? v : F{0});
    const V clamped = v < kMin ? kSmallest : kLargest;
    const V otherwise = v == v ? clamped : kNan;
    return in_range ? converted : otherwise;
  }
};

template <class D, class S, bool ftz>
LaneFn float_to_integer_rounded(Rounding r) {
  switch (r) {
    case Rounding::kRni:
      return map1<FloatToInteger<D, S, Rounding::kRni, ftz>, D, S>;
    case Rounding::kRzi:
      return map1<FloatToInteger<D, S, Rounding::kRzi, ftz>, D, S>;
    case Rounding::kRmi:
      return map1<FloatToInteger<D, S, Rounding::kRmi, ftz>, D, S>;
    case Rounding::kRpi:
      return map1<FloatToInteger<D, S, Rounding::kRpi, ftz>, D, S>;
    default:
      return nullptr;
  }
}
template <class D>
LaneFn float_to_integer_from(const LaneSpec& spec) {
  switch (spec.src_type) {
    case Type::kF16:
      return spec.ftz ? nullptr : float_to_integer_rounded<D, F16, false>(spec.rounding);
    case Type::kF32:
      return spec.ftz ? float_to_integer_rounded<D, F32, true>(spec.rounding)
                      : float_to_integer_rounded<D, F32, false>(spec.rounding);
    case Type::kF64:
      return spec.ftz ? nullptr : float_to_integer_rounded<D, F64, false>(spec.rounding);
    default:
      return nullptr;
  }
}
LaneFn float_to_integer(const LaneSpec& spec) {  // .sat changes nothing: the conversion clamps
  if (spec.dst_bits == 64 && spec.type != Type::kU64 && spec.type != Type::kS64) return nullptr;
  switch (spec.type) {
    case Type::kU8:
      return float_to_integer_from<U8>(spec);
    case Type::kU16:
      return float_to_integer_from<U16>(spec);
    case Type::kU32:
      return float_to_integer_from<U32>(spec);
    case Type::kU64:
      return float_to_integer_from<U64>(spec);
    case Type::kS8:
      if (spec.dst_bits == 32) return float_to_integer_from<InRegister<S8, 32>>(spec);
      return spec.dst_bits == 16 ? float_to_integer_from<InRegister<S8, 16>>(spec)
                                 : float_to_integer_from<S8>(spec);
    case Type::kS16:
      return spec.dst_bits == 32 ? float_to_integer_from<InRegister<S16, 32>>(spec)
                                 : float_to_integer_from<S16>(spec);
    case Type::kS32:
      return float_to_integer_from<S32>(spec);
    case Type::kS64:
      return float_to_integer_from<S64>(spec);
    default:
      return nullptr;
  }
}

// ---- to float: one function for every source, with the rounding the conversion needs ----

// NaNs (measured on an H200): a conversion to f64, and one from f64, keeps the sign and as much of the payload as fits, and
// makes it quiet; so do the integral forms of f64. cvt.ftz.f64.f32 widens f32's canonical NaN. f32 to f32 and f64 to f64
// without a modifier are moves. All others give the canonical NaN.
template <class D, class S, Rounding integral, bool ftz, bool sat>
constexpr bool kKeepsPayload =
    S::kFloat && !sat &&
    (sizeof(typename D::Cell) == 8 || sizeof(typename S::Cell) == 8 ||
     (sizeof(typename S::Value) == 4 && integral == Rounding::kRn && !ftz));

template <class D, class S, Rounding integral, bool ftz>
HEDDLE_INLINE typename D::Value converted_nan(typename S::Value nan) {
  if constexpr (sizeof(typename D::Value) == sizeof(typename S::Value)) {
    return integral == Rounding::kRn ? nan : quiet(nan);
  } else if constexpr (sizeof(typename D::Value) == 8) {
    const std::uint32_t bits = ftz ? FloatFormat<float>::kNan : bits_of(nan);
    return from_bits(static_cast<std::uint64_t>(bits & FloatFormat<float>::kSign) << 32 | FloatFormat<double>::kInfinity |
                     FloatFormat<double>::kQuiet | static_cast<std::uint64_t>(bits & 0x007f'ffffu) << 29);
  } else {
    const std::uint64_t bits = bits_of(nan);
    return from_bits(static_cast<std::uint32_t>(bits >> 32 & FloatFormat<float>::kSign) | FloatFormat<float>::kInfinity |
                     FloatFormat<float>::kQuiet | static_cast<std::uint32_t>(bits >> 29 & 0x007f'ffffu));
  }
}

template <class D, class S, Rounding r, Rounding integral, bool ftz, bool sat>
void to_float(const LaneArgs& args) {
  using V = typename D::Value;
  const auto* a = source<S>(args, 0);
  [[maybe_unused]] const RoundingScope<r> scope;
  each_lane<D>(args, [=](unsigned i) {
    const typename S::Value x = S::get(a[i]);
    if constexpr (S::kFloat) {
      V number = static_cast<V>(to_integral<integral>(flush<(ftz && sizeof(x) == 4)>(x)));
      if constexpr (ftz && sizeof(V) < sizeof(x)) number = rounds_below_normal(x) ? signed_zero(number) : number;
      if constexpr (kKeepsPayload<D, S, integral, ftz, sat>)
        return x == x ? flush<ftz>(number) : converted_nan<D, S, integral, ftz>(x);
      else
        return finish<ftz, sat>(number);
    } else
      return finish<false, sat>(static_cast<V>(x));
  });
}
// To f16. double holds every f16, f32 and f64 value, and every integer within the range of f16 exactly, so
// there is one rounding. .ftz changes nothing: a subnormal f32 operand counts in .rm and .rp (measured on an H200).
template <class S, Rounding r, Rounding integral, bool sat>
void to_half(const LaneArgs& args) {
  const auto* a = source<S>(args, 0);
  each_lane<U32>(args, [=](unsigned i) {
    const auto v = static_cast<double>(S::get(a[i]));
    const double integral_value = to_integral<integral>(v);
    if constexpr (sizeof(typename S::Cell) == 8 && S::kFloat && !sat)
      if (v != v)
        return static_cast<std::uint32_t>(bits_of(v) >> 48 & 0x8000u) | 0x7e00u |
               static_cast<std::uint32_t>(bits_of(v) >> 42 & 0x3ffu);
    return double_to_half<r>(sat ? saturate(integral_value) : integral_value);
  });
}

template <class D, class S>
LaneFn integer_to_float(const LaneSpec& spec) {
  if (spec.ftz || spec.rounding == Rounding::kDefault || (spec.src_bits == 64 && S::kBits < 64))
    return nullptr;
  constexpr bool kExact = S::kBits <= (D::kBits == 64 ? 32 : 16);  // one instance for all rounding modes
  return with_rounding(spec.rounding, [&]<Rounding requested>() -> LaneFn {
    constexpr Rounding kMode = kExact ? Rounding::kRn : requested;
    return spec.sat ? to_float<D, S, kMode, kMode, false, true> : to_float<D, S, kMode, kMode, false, false>;
  });
}
template <class S>
LaneFn integer_to_half(const LaneSpec& spec) {
  if (spec.ftz || spec.rounding == Rounding::kDefault || (spec.src_bits == 64 && S::kBits < 64))
    return nullptr;
  return with_rounding(spec.rounding, [&]<Rounding r>() -> LaneFn {
    return spec.sat ? to_half<S, r, r, true> : to_half<S, r, r, false>;
  });
}
template <class S>
LaneFn from_integer_type(const LaneSpec& spec) {
  switch (spec.type) {
    case Type::kF16:
      return integer_to_half<S>(spec);
    case Type::kF32:
      return integer_to_float<F32, S>(spec);
    case Type::kF64:
      return integer_to_float<F64, S>(spec);
    default:
      return nullptr;
  }
}
LaneFn from_integer(const LaneSpec& spec) {
  switch (spec.src_type) {
    case Type::kU8:
      return from_integer_type<U8>(spec);
    case Type::kU16:
      return from_integer_type<U16>(spec);
    case Type::kU32:
      return from_integer_type<U32>(spec);
    case Type::kU64:
      return from_integer_type<U64>(spec);
    case Type::kS8:
      return from_integer_type<S8>(spec);
    case Type::kS16:
      return from_integer_type<S16>(spec);
    case Type::kS32:
      return from_integer_type<S32>(spec);
    case Type::kS64:
      return from_integer_type<S64>(spec);
    default:
      return nullptr;
  }
}

// ---- float to float ----

template <class D, class S, bool has_ftz>
LaneFn rounded_float(const LaneSpec& spec) {  // narrowing, f64 to f32
  if (spec.rounding == Rounding::kDefault) return nullptr;
  return with_rounding(spec.rounding, [&]<Rounding r>() -> LaneFn {
    return with_flag(spec.ftz, [&]<bool ftz>() -> LaneFn {
      return spec.sat ? to_float<D, S, r, r, ftz, true> : to_float<D, S, r, r, ftz, false>;
    });
  });
}
template <class D, class S, bool ftz>
LaneFn exact_float(const LaneSpec& spec) {  // widening
  if (spec.rounding != Rounding::kDefault) return nullptr;
  return spec.sat ? to_float<D, S, Rounding::kRn, Rounding::kRn, ftz, true>
                  : to_float<D, S, Rounding::kRn, Rounding::kRn, ftz, false>;
}
template <class E, bool ftz, bool sat>
LaneFn same_float_integral(Rounding r) {  // same type: optionally to an integral value
  switch (r) {
    case Rounding::kDefault:
      return to_float<E, E, Rounding::kRn, Rounding::kRn, ftz, sat>;
    case Rounding::kRni:
      return to_float<E, E, Rounding::kRn, Rounding::kRni, ftz, sat>;
    case Rounding::kRzi:
      return to_float<E, E, Rounding::kRn, Rounding::kRzi, ftz, sat>;
    case Rounding::kRmi:
      return to_float<E, E, Rounding::kRn, Rounding::kRmi, ftz, sat>;
    case Rounding::kRpi:
      return to_float<E, E, Rounding::kRn, Rounding::kRpi, ftz, sat>;
    default:
      return nullptr;
  }
}
template <class S>
LaneFn float_to_half(const LaneSpec& spec) {
  if (spec.rounding == Rounding::kDefault) return nullptr;
  return with_rounding(spec.rounding, [&]<Rounding r>() -> LaneFn {
    return spec.sat ? to_half<S, r, r, true> : to_half<S, r, r, false>;
  });
}
template <bool sat>
LaneFn half_to_half(Rounding r) {
  switch (r) {
    case Rounding::kDefault:
      return to_half<F16, Rounding::kRn, Rounding::kRn, sat>;
    case Rounding::kRni:
      return to_half<F16, Rounding::kRn, Rounding::kRni, sat>;
    case Rounding::kRzi:
      return to_half<F16, Rounding::kRn, Rounding::kRzi, sat>;
    case Rounding::kRmi:
      return to_half<F16, Rounding::kRn, Rounding::kRmi, sat>;
    case Rounding::kRpi:
      return to_half<F16, Rounding::kRn, Rounding::kRpi, sat>;
    default:
      return nullptr;
  }
}

LaneFn float_to_f16(const LaneSpec& spec) {
  if (spec.src_type == Type::kF32) return float_to_half<F32>(spec);
  if (spec.ftz) return nullptr;
  if (spec.src_type == Type::kF64) return float_to_half<F64>(spec);
  return spec.sat ? half_to_half<true>(spec.rounding) : half_to_half<false>(spec.rounding);
}
LaneFn float_to_f32(const LaneSpec& spec) {
  if (spec.src_type == Type::kF16) return exact_float<F32, F16, false>(spec);  // no f16 is subnormal as f32
  if (spec.src_type == Type::kF64) return rounded_float<F32, F64, true>(spec);
  return with_flag(spec.ftz, [&]<bool ftz>() -> LaneFn {
    return spec.sat ? same_float_integral<F32, ftz, true>(spec.rounding)
                    : same_float_integral<F32, ftz, false>(spec.rounding);
  });
}
LaneFn float_to_f64(const LaneSpec& spec) {
  if (spec.src_type == Type::kF32)
    return spec.ftz ? exact_float<F64, F32, true>(spec) : exact_float<F64, F32, false>(spec);
  if (spec.ftz) return nullptr;
  if (spec.src_type == Type::kF16) return exact_float<F64, F16, false>(spec);
  return spec.sat ? same_float_integral<F64, false, true>(spec.rounding)
                  : same_float_integral<F64, false, false>(spec.rounding);
}

bool is_scalar_float(Type t) { return t == Type::kF16 || t == Type::kF32 || t == Type::kF64; }

}  // namespace

LaneFn find_convert_float(const LaneSpec& spec) {
  if (spec.op != LaneOp::kCvt) return nullptr;
  // Floats live in registers of their own width; only f16 shares the 32-bit rows.
  if (spec.src_bits == 64 && (spec.src_type == Type::kF16 || spec.src_type == Type::kF32)) return nullptr;
  if (spec.dst_bits == 64 && (spec.type == Type::kF16 || spec.type == Type::kF32)) return nullptr;
  if (!is_scalar_float(spec.src_type)) return is_scalar_float(spec.type) ? from_integer(spec) : nullptr;
  switch (spec.type) {
    case Type::kF16:
      return float_to_f16(spec);
    case Type::kF32:
      return float_to_f32(spec);
    case Type::kF64:
      return float_to_f64(spec);
    default:
      return float_to_integer(spec);
  }
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
