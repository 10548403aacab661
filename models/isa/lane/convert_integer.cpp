// cvt between integers.
//
// Every cvt without .sat truncates the source to some width and extends it, so extend<...>() is the only one
// needed. The destination register may be wider than the destination type (PTX ISA "Operand Size Exceeding
// Instruction-Type Size"): a signed result is then sign-extended to the register's width.
#include "isa/lane/lanes.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

template <class U>
struct SignedOf {
  using Type = std::int32_t;
};
template <>
struct SignedOf<std::uint64_t> {
  using Type = std::int64_t;
};
/// The low `bits` of v, sign- or zero-extended to the width of U, cut to `keep` bits.
template <unsigned bits, bool is_signed_value, unsigned keep, class U>
HEDDLE_INLINE U extended(U v) {
  constexpr unsigned kWidth = sizeof(U) * 8;
  U result = v;
  if constexpr (bits < kWidth) {
    using S = typename SignedOf<U>::Type;
    constexpr unsigned kUp = kWidth - bits;
    result = is_signed_value ? static_cast<U>(static_cast<S>(v << kUp) >> kUp) : (v << kUp) >> kUp;
  }
  if constexpr (keep < kWidth) result &= (U{1} << (keep % kWidth)) - U{1};
  return result;
}

template <class D, class S, unsigned bits, bool is_signed_value, unsigned keep>
struct Extend {
  HEDDLE_INLINE static typename D::Value apply(typename S::Value v) {
    if constexpr (S::kBits == 64 && D::kBits == 32 && bits <= 32) {
      // Truncate first, for 32-bit lanes.
      return extended<bits, is_signed_value, (keep < 32 ? keep : 32), std::uint32_t>(
          static_cast<std::uint32_t>(v));
    } else {
      using U = typename D::Value;
      return extended<bits, is_signed_value, keep, U>(static_cast<U>(v));
    }
  }
};

template <class D, class S, unsigned bits>
LaneFn extend_signed(unsigned keep) {
  if (keep <= bits) return map1<Extend<D, S, bits, false, 64>, D, S>;
  if (keep == 16) return map1<Extend<D, S, bits, true, 16>, D, S>;
  if (keep == 32) return map1<Extend<D, S, bits, true, 32>, D, S>;
  return map1<Extend<D, S, bits, true, 64>, D, S>;
}
template <class D, class S>
LaneFn extend_rows(unsigned bits, bool is_signed_value, unsigned keep) {
  switch (bits) {
    case 8:
      return is_signed_value ? extend_signed<D, S, 8>(keep) : map1<Extend<D, S, 8, false, 64>, D, S>;
    case 16:
      return is_signed_value ? extend_signed<D, S, 16>(keep) : map1<Extend<D, S, 16, false, 64>, D, S>;
    case 32:
      return is_signed_value ? extend_signed<D, S, 32>(keep) : map1<Extend<D, S, 32, false, 64>, D, S>;
    case 64:
      return map1<Extend<D, S, 64, false, 64>, D, S>;
    default:
      return nullptr;
  }
}

struct Format {
  unsigned bits = 0;  ///< 0: not an integer
  bool is_signed = false;
};
Format format_of(Type t) {
  switch (t) {
    case Type::kB8:
    case Type::kU8:
      return {8, false};
    case Type::kB16:
    case Type::kU16:
      return {16, false};
    case Type::kB32:
    case Type::kU32:
      return {32, false};
    case Type::kB64:
    case Type::kU64:
      return {64, false};
    case Type::kS8:
      return {8, true};
    case Type::kS16:
      return {16, true};
    case Type::kS32:
      return {32, true};
    case Type::kS64:
      return {64, true};
    default:
      return {};
  }
}

LaneFn find_plain(const LaneSpec& spec) {
  const Format to = format_of(spec.type);
  const Format from = format_of(spec.src_type);
  if (to.bits == 0 || from.bits == 0) return nullptr;
  const unsigned to_register = spec.dst_bits > to.bits ? spec.dst_bits : to.bits;
  const bool wide_to = to_register == 64;
  const bool wide_from = from.bits == 64 || spec.src_bits == 64;
  // Which bits of the source survive, how they are extended, and how far.
  Format kept = to;
  unsigned keep = to_register;
  if (to.bits > from.bits) {
    kept = from;
    if (!to.is_signed) keep = to.bits;  // signed source, unsigned destination: zeros above its width
  }
  if (wide_to)
    return wide_from ? extend_rows<U64, U64>(kept.bits, kept.is_signed, keep)
                     : extend_rows<U64, U32>(kept.bits, kept.is_signed, keep);
  return wide_from ? extend_rows<U32, U64>(kept.bits, kept.is_signed, keep)
                   : extend_rows<U32, U32>(kept.bits, kept.is_signed, keep);
}

// cvt.sat: clamp to the range of the destination type.
template <class D, class S>
struct Clamp {
  static constexpr std::int64_t kMin = D::kSigned ? INT64_MIN >> (64 - D::kBits) : 0;
  static constexpr std::uint64_t kMax = ~std::uint64_t{0} >> (64 - D::kBits + (D::kSigned ? 1 : 0));
  HEDDLE_INLINE static typename D::Value apply(typename S::Value v) {
    if constexpr (S::kSigned) {
      const std::int64_t wide = v;
      if (wide < kMin) return static_cast<typename D::Value>(kMin);
      if (wide > 0 && static_cast<std::uint64_t>(wide) > kMax) return static_cast<typename D::Value>(kMax);
    } else {
      const std::uint64_t wide = v;
      if (wide > kMax) return static_cast<typename D::Value>(kMax);
    }
    return static_cast<typename D::Value>(v);
  }
};

/// Whether D holds every value of S. Such a conversion cannot saturate, and PTX does not allow it to ask for that.
template <class D, class S>
constexpr bool kHolds = S::kSigned ? D::kSigned&& D::kBits >= S::kBits
                                   : D::kBits - (D::kSigned ? 1 : 0) >= S::kBits;

template <class D, class S>
LaneFn clamp() {
  if constexpr (kHolds<D, S>)
    return nullptr;
  else
    return map1<Clamp<D, S>, D, S>;
}
template <class D>
LaneFn clamp_to(Type from) {
  switch (from) {
    case Type::kU8:
      return clamp<D, U8>();
    case Type::kU16:
      return clamp<D, U16>();
    case Type::kU32:
      return clamp<D, U32>();
    case Type::kU64:
      return clamp<D, U64>();
    case Type::kS8:
      return clamp<D, S8>();
    case Type::kS16:
      return clamp<D, S16>();
    case Type::kS32:
      return clamp<D, S32>();
    case Type::kS64:
      return clamp<D, S64>();
    default:
      return nullptr;
  }
}

LaneFn find_saturating_conversion(const LaneSpec& spec) {
  const Format to = format_of(spec.type);
  const Format from = format_of(spec.src_type);
  if ((spec.dst_bits == 64 && to.bits < 64) || (spec.src_bits == 64 && from.bits < 64)) return nullptr;
  switch (spec.type) {
    case Type::kU8:
      return clamp_to<U8>(spec.src_type);
    case Type::kU16:
      return clamp_to<U16>(spec.src_type);
    case Type::kU32:
      return clamp_to<U32>(spec.src_type);
    case Type::kU64:
      return clamp_to<U64>(spec.src_type);
    case Type::kS8:
      if (spec.dst_bits == 32) return clamp_to<InRegister<S8, 32>>(spec.src_type);
      return spec.dst_bits == 16 ? clamp_to<InRegister<S8, 16>>(spec.src_type) : clamp_to<S8>(spec.src_type);
    case Type::kS16:
      return spec.dst_bits == 32 ? clamp_to<InRegister<S16, 32>>(spec.src_type)
                                 : clamp_to<S16>(spec.src_type);
    case Type::kS32:
      return clamp_to<S32>(spec.src_type);
    case Type::kS64:
      return clamp_to<S64>(spec.src_type);
    default:
      return nullptr;
  }
}

}  // namespace

LaneFn find_convert_integer(const LaneSpec& spec) {
  if (spec.op != LaneOp::kCvt || spec.ftz || spec.rounding != Rounding::kDefault) return nullptr;
  return spec.sat ? find_saturating_conversion(spec) : find_plain(spec);
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
