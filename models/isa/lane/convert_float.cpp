// cvt with a floating-point side: float to integer, integer to float, float to float, f16 included.
#include "isa/lane/convert_value.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

// ---- float to integer

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

// ---- to float: one function for every source, with the rounding the conversion needs

template <class D, class S, Rounding r, Rounding integral, bool ftz, bool sat>
void to_float(const LaneArgs& args) {
  const auto* a = source<S>(args, 0);
  [[maybe_unused]] const RoundingScope<r> scope;
  each_lane<D>(args, [=](unsigned i) { return float_value<D, S, integral, ftz, sat>(S::get(a[i])); });
}
template <class S, Rounding r, Rounding integral, bool sat>
void to_half(const LaneArgs& args) {
  const auto* a = source<S>(args, 0);
  each_lane<U32>(args, [=](unsigned i) { return half_value<S, r, integral, sat>(S::get(a[i])); });
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
