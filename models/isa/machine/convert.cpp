// F2I, I2F, F2F, FRND: conversions whose 64-bit side is a register pair, with signs of floating-point sources and parts of
// integer ones. The values are those of cvt (lane/convert_value.h).
#include <type_traits>

#include "isa/lane/convert_value.h"
#include "isa/lane/narrow.h"
#include "isa/machine/sources.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

// ---- Sources, indexed by lane; the value has the type of the element.

struct HalfRow {
  const CellU32* row;
  Sign<std::uint32_t> sign;
  unsigned shift;
  HEDDLE_INLINE double operator[](unsigned i) const {
    return half_to_double(sign.apply(row[i] >> shift << 16) >> 16);
  }
};
/// The element of a bf16, which a single holds.
struct Bfloat {
  using Cell = std::uint32_t;
  using Value = float;
};
struct BfloatRow {
  const CellU32* row;
  Sign<std::uint32_t> sign;
  unsigned shift;
  HEDDLE_INLINE float operator[](unsigned i) const { return from_bits(sign.apply(row[i] >> shift << 16)); }
};
struct DoubleRow {
  PairRow row;
  Sign<std::uint64_t> sign;
  HEDDLE_INLINE double operator[](unsigned i) const { return from_bits(sign.apply(row[i])); }
};
template <class S>
HEDDLE_INLINE auto float_source(const LaneArgs& args) {
  const unsigned shift = 8 * field(args, kOperationBits + 1, 2);
  if constexpr (std::is_same_v<S, Bfloat>)
    return BfloatRow{source<U32>(args, 0), sign_of<std::uint32_t>(args, 0), shift};
  else if constexpr (sizeof(typename S::Cell) == 8)
    return DoubleRow{pair_row(args, 0), sign_of<std::uint64_t>(args, 0)};
  else if constexpr (sizeof(typename S::Value) == 8)
    return HalfRow{source<U32>(args, 0), sign_of<std::uint32_t>(args, 0), shift};
  else
    return signed_row(args, 0);
}
/// A byte, a half or a word of a register, extended.
template <class S>
struct PartRow {
  const CellU32* row;
  unsigned shift;
  HEDDLE_INLINE typename S::Value operator[](unsigned i) const {
    return S::get(static_cast<typename S::Cell>(row[i] >> shift));
  }
};
template <class S>
struct WideRow {
  PairRow row;
  HEDDLE_INLINE typename S::Value operator[](unsigned i) const {
    return static_cast<typename S::Value>(row[i]);
  }
};
template <class S>
HEDDLE_INLINE auto integer_source(const LaneArgs& args) {
  if constexpr (sizeof(typename S::Cell) == 8)
    return WideRow<S>{pair_row(args, 0)};
  else
    return PartRow<S>{source<U32>(args, 0), 8 * field(args, kOperationBits + 1, 2)};
}

// ---- Results

HEDDLE_INLINE std::uint32_t word_of(float v) { return bits_of(v); }
HEDDLE_INLINE std::uint64_t word_of(double v) { return bits_of(v); }
HEDDLE_INLINE std::uint32_t word_of(std::uint32_t v) { return v; }
HEDDLE_INLINE std::uint32_t word_of(std::int32_t v) { return static_cast<std::uint32_t>(v); }
HEDDLE_INLINE std::uint64_t word_of(std::uint64_t v) { return v; }
HEDDLE_INLINE std::uint64_t word_of(std::int64_t v) { return static_cast<std::uint64_t>(v); }

/// The result row or pair := fn(lane).
template <class Fn>
HEDDLE_INLINE void write_results(const LaneArgs& args, Fn fn) {
  if constexpr (sizeof(decltype(fn(0u))) == 8) {
    alignas(64) std::uint64_t values[32];
    HEDDLE_EACH_LANE values[i] = word_of(fn(i));
    write_pair(args, values);
  } else {
    each_lane<U32>(args, [=](unsigned i) { return word_of(fn(i)); });
  }
}

// ---- Float to integer. Rounding to an integer value comes first, by the mode; double holds every source.

HEDDLE_INLINE void make_integral(Rounding mode, double* values) {
  switch (mode) {
    case Rounding::kRmi:
      HEDDLE_EACH_LANE values[i] = __builtin_floor(values[i]);
      break;
    case Rounding::kRpi:
      HEDDLE_EACH_LANE values[i] = __builtin_ceil(values[i]);
      break;
    case Rounding::kRzi:
      HEDDLE_EACH_LANE values[i] = __builtin_trunc(values[i]);
      break;
    default:
      HEDDLE_EACH_LANE values[i] = __builtin_rint(values[i]);
  }
}
template <class D, class S, bool ftz>
void float_to_integer(const LaneArgs& args) {
  const auto a = float_source<S>(args);
  const bool nan_is_zero = has_bit(args, kOperationBits);
  alignas(64) double values[32];
  HEDDLE_EACH_LANE values[i] = static_cast<double>(flush<ftz>(a[i]));
  make_integral(static_cast<Rounding>(field(args, kOperationBits + 3, 4)), values);
  const double* integral = values;
  write_results(args, [=](unsigned i) {
    using V = typename D::Value;
    const double x = integral[i];
    const V value = FloatToInteger<D, F64, Rounding::kDefault, false>::apply(x);
    return nan_is_zero && x != x ? V{0} : value;
  });
}

/// FRND of bf16: whole numbers of 8 bits are exact.
template <Rounding mode>
void integral_bfloat(const LaneArgs& args) {
  const auto a = float_source<Bfloat>(args);
  alignas(64) double values[32];
  HEDDLE_EACH_LANE values[i] = static_cast<double>(a[i]);
  make_integral(mode, values);
  const double* integral = values;
  each_lane<U32>(args, [=](unsigned i) {
    constexpr std::uint32_t kNan = 0x7fff;
    return integral[i] != integral[i] ? kNan : bits_of(static_cast<float>(integral[i])) >> 16;
  });
}

void pack_bytes(const LaneArgs& args) {
  const auto* c = source<U32>(args, 2);
  const auto mode = static_cast<Rounding>(field(args, kOperationBits + 3, 4));
  alignas(64) std::uint32_t bytes[2][32];
  for (unsigned k = 0; k < 2; ++k) {
    const auto a = signed_row(args, k);
    alignas(64) double values[32];
    HEDDLE_EACH_LANE values[i] = static_cast<double>(a[i]);
    make_integral(mode, values);
    HEDDLE_EACH_LANE bytes[k][i] =
        values[i] > 0 ? static_cast<std::uint32_t>(values[i] < 255 ? values[i] : 255) : 0u;
  }
  const std::uint32_t* const high = bytes[0];
  const std::uint32_t* const low = bytes[1];
  each_lane<U32>(args, [=](unsigned i) { return c[i] << 16 | high[i] << 8 | low[i]; });
}

template <class Fn>
LaneFn with_integral(Rounding mode, Fn fn) {
  switch (mode) {
    case Rounding::kRni:
      return fn.template operator()<Rounding::kRni>();
    case Rounding::kRzi:
      return fn.template operator()<Rounding::kRzi>();
    case Rounding::kRmi:
      return fn.template operator()<Rounding::kRmi>();
    case Rounding::kRpi:
      return fn.template operator()<Rounding::kRpi>();
    default:
      return nullptr;
  }
}
/// fn.template operator()<E>() with the integer element of the type.
template <class Fn>
LaneFn with_integer(Type type, Fn fn) {
  switch (type) {
    case Type::kU8:
      return fn.template operator()<U8>();
    case Type::kS8:
      return fn.template operator()<S8>();
    case Type::kU16:
      return fn.template operator()<U16>();
    case Type::kS16:
      return fn.template operator()<S16>();
    case Type::kU32:
      return fn.template operator()<U32>();
    case Type::kS32:
      return fn.template operator()<S32>();
    case Type::kU64:
      return fn.template operator()<U64>();
    case Type::kS64:
      return fn.template operator()<S64>();
    default:
      return nullptr;
  }
}
template <class D>
LaneFn find_to_integer(const MachineSpec& spec) {
  switch (spec.src_type) {
    case Type::kF16:
      return spec.ftz ? nullptr : float_to_integer<D, F16, false>;
    case Type::kBf16:
      return spec.ftz ? nullptr : float_to_integer<D, Bfloat, false>;
    case Type::kF32:
      return spec.ftz ? float_to_integer<D, F32, true> : float_to_integer<D, F32, false>;
    case Type::kF64:
      return spec.ftz ? nullptr : float_to_integer<D, F64, false>;
    default:
      return nullptr;
  }
}

// ---- Integer to float

template <class D, class S, Rounding r>
void integer_to_float(const LaneArgs& args) {
  const auto a = integer_source<S>(args);
  [[maybe_unused]] const RoundingScope<r> scope;
  write_results(args, [=](unsigned i) { return float_value<D, S, r, false, false>(a[i]); });
}
template <class S, Rounding r>
void integer_to_half(const LaneArgs& args) {
  const auto a = integer_source<S>(args);
  each_lane<U32>(args, [=](unsigned i) { return half_value<S, r, r, false>(a[i]); });
}
/// Exact, or odd where double does not hold it.
template <class V>
HEDDLE_INLINE double number_to_odd(V v) {
  if constexpr (sizeof(V) < 8) return static_cast<double>(v);
  const bool negative = v < V{0};
  const auto m = negative ? std::uint64_t{0} - static_cast<std::uint64_t>(v) : static_cast<std::uint64_t>(v);
  const bool large = m >> 53 != 0;
  const std::uint64_t odd = large ? m >> 11 | ((m & 0x7ff) != 0 ? 1u : 0u) : m;
  const double number = static_cast<double>(odd) * (large ? 0x1p11 : 1.0);
  return negative ? -number : number;
}
template <class S, Rounding r>
void integer_to_bfloat(const LaneArgs& args) {
  const auto a = integer_source<S>(args);
  each_lane<U32>(args, [=](unsigned i) { return Bf16Format::round<r>(number_to_odd(a[i]), false); });
}
template <class S>
LaneFn find_from_integer(const MachineSpec& spec) {
  return with_rounding(spec.rounding, [&]<Rounding r>() -> LaneFn {
    switch (spec.type) {
      case Type::kF16:
        return integer_to_half<S, r>;
      case Type::kBf16:
        return integer_to_bfloat<S, r>;
      case Type::kF32:
        return integer_to_float<F32, S, r>;
      case Type::kF64:
        return integer_to_float<F64, S, r>;
      default:
        return nullptr;
    }
  });
}

// ---- Float to float

template <class D, class S, Rounding r, Rounding integral, bool ftz, bool sat>
void float_to_float(const LaneArgs& args) {
  const auto a = float_source<S>(args);
  [[maybe_unused]] const RoundingScope<r> scope;
  write_results(args, [=](unsigned i) { return float_value<D, S, integral, ftz, sat>(a[i]); });
}
template <class S, Rounding r, Rounding integral, bool sat>
void float_to_half(const LaneArgs& args) {
  const auto a = float_source<S>(args);
  each_lane<U32>(args, [=](unsigned i) { return half_value<S, r, integral, sat>(a[i]); });
}

template <class D, class S, bool has_ftz>
LaneFn find_rounded(const MachineSpec& spec) {
  if (spec.ftz && !has_ftz) return nullptr;
  return with_rounding(spec.rounding, [&]<Rounding r>() -> LaneFn {
    return with_flag(spec.sat, [&]<bool sat>() -> LaneFn {
      if constexpr (has_ftz)
        if (spec.ftz) return float_to_float<D, S, r, r, true, sat>;
      return float_to_float<D, S, r, r, false, sat>;
    });
  });
}
template <class S>
LaneFn find_to_half(const MachineSpec& spec) {
  return with_rounding(spec.rounding, [&]<Rounding r>() -> LaneFn {
    return spec.sat ? float_to_half<S, r, r, true> : float_to_half<S, r, r, false>;
  });
}
/// F2F.F32.F32 only flushes and clamps. As in arithmetic, a NaN becomes the canonical one.
template <bool ftz, bool sat>
void same_float(const LaneArgs& args) {
  const SignedRow a = signed_row(args, 0);
  each_lane<U32>(args, [=](unsigned i) { return bits_of(finish<ftz, sat>(a[i])); });
}
/// FRND.
template <class E, bool has_ftz>
LaneFn find_integral(const MachineSpec& spec) {
  if (spec.sat || (spec.ftz && !has_ftz)) return nullptr;
  return with_integral(spec.rounding, [&]<Rounding integral>() -> LaneFn {
    if constexpr (has_ftz)
      if (spec.ftz) return float_to_float<E, E, Rounding::kRn, integral, true, false>;
    return float_to_float<E, E, Rounding::kRn, integral, false, false>;
  });
}
constexpr bool is_integral(Rounding r) {
  return r == Rounding::kRni || r == Rounding::kRzi || r == Rounding::kRmi || r == Rounding::kRpi;
}
LaneFn find_float_to_float(const MachineSpec& spec) {
  const Type from = spec.src_type;
  switch (spec.type) {
    case Type::kF16:
      if (from == Type::kF32) return find_to_half<F32>(spec);
      if (spec.ftz) return nullptr;
      if (from == Type::kF64) return find_to_half<F64>(spec);
      if (spec.sat || spec.rounding == Rounding::kRn) return nullptr;
      return with_integral(spec.rounding, []<Rounding integral>() -> LaneFn {
        return float_to_half<F16, Rounding::kRn, integral, false>;
      });
    case Type::kF32:
      if (from == Type::kF16) return find_rounded<F32, F16, false>(spec);
      if (from == Type::kF64) return find_rounded<F32, F64, true>(spec);
      if (is_integral(spec.rounding)) return find_integral<F32, true>(spec);
      if (spec.ftz) return spec.sat ? same_float<true, true> : same_float<true, false>;
      return spec.sat ? same_float<false, true> : same_float<false, false>;
    case Type::kF64:
      if (from == Type::kF16) return find_rounded<F64, F16, false>(spec);
      return from == Type::kF32 ? find_rounded<F64, F32, true>(spec) : find_integral<F64, false>(spec);
    default:
      return nullptr;
  }
}

template <class S>
LaneFn find_to_bfloat(const MachineSpec& spec) {
  return with_rounding(spec.rounding, []<Rounding r>() -> LaneFn {
    return [](const LaneArgs& args) {
      const auto a = float_source<S>(args);
      each_lane<U32>(args,
                     [=](unsigned i) { return Bf16Format::round<r>(static_cast<double>(a[i]), false); });
    };
  });
}
/// Of a NaN double keeps the payload.
template <class D>
void wider_bfloat(const LaneArgs& args) {
  const auto a = float_source<Bfloat>(args);
  write_results(args, [=](unsigned i) {
    if constexpr (sizeof(typename D::Value) == 8)
      return static_cast<double>(a[i]);
    else
      return canonical(a[i]);
  });
}
/// F2F with bf16 on one side, FRND with it on both.
LaneFn find_with_bfloat(const MachineSpec& spec) {
  if (spec.src_type == Type::kBf16) switch (spec.type) {
      case Type::kBf16:
        return with_integral(spec.rounding, []<Rounding mode>() -> LaneFn { return integral_bfloat<mode>; });
      case Type::kF16:
        return with_rounding(spec.rounding, []<Rounding r>() -> LaneFn {
          return [](const LaneArgs& args) {
            const auto a = float_source<Bfloat>(args);
            each_lane<U32>(args, [=](unsigned i) { return double_to_half<r>(static_cast<double>(a[i])); });
          };
        });
      case Type::kF32:
        return wider_bfloat<F32>;
      default:
        return wider_bfloat<F64>;
    }
  return spec.src_type == Type::kF16   ? find_to_bfloat<F16>(spec)
         : spec.src_type == Type::kF32 ? find_to_bfloat<F32>(spec)
                                       : find_to_bfloat<F64>(spec);
}

constexpr bool is_scalar_float(Type t) { return t == Type::kF16 || t == Type::kF32 || t == Type::kF64; }

}  // namespace

LaneFn find_machine_convert(const MachineSpec& spec) {
  if (spec.op == MachineOp::kPackBytes) return pack_bytes;
  if (spec.op != MachineOp::kConvert) return nullptr;
  if (is_scalar_float(spec.src_type) || spec.src_type == Type::kBf16) {
    if (spec.type == Type::kBf16 || (spec.src_type == Type::kBf16 && is_scalar_float(spec.type)))
      return find_with_bfloat(spec);
    if (is_scalar_float(spec.type)) return find_float_to_float(spec);
    if (spec.sat) return nullptr;
    return with_integer(spec.type, [&]<class D>() -> LaneFn { return find_to_integer<D>(spec); });
  }
  if (spec.ftz || spec.sat) return nullptr;
  return with_integer(spec.src_type, [&]<class S>() -> LaneFn { return find_from_integer<S>(spec); });
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
