// Integer mul and mad in all widths: .lo, .hi, .wide, and the 24-bit forms.
#include "isa/lane/integer_dispatch.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

__extension__ using Int128 = __int128;
__extension__ using Uint128 = unsigned __int128;

template <class E>
struct MulLo {
  using V = typename E::Value;
  using U = typename E::Unsigned;
  HEDDLE_INLINE static V apply(V a, V b) { return static_cast<V>(static_cast<U>(a) * static_cast<U>(b)); }
};
template <class E>
struct MulHi {
  using V = typename E::Value;
  HEDDLE_INLINE static V apply(V a, V b) {
    if constexpr (E::kBits == 16)
      return static_cast<V>(a * b) >> 16;  // the product of two 16-bit values fits the 32-bit Value
    else if constexpr (E::kBits == 32 && E::kSigned)
      return static_cast<V>((static_cast<std::int64_t>(a) * b) >> 32);
    else if constexpr (E::kBits == 32)
      return static_cast<V>((static_cast<std::uint64_t>(a) * b) >> 32);
    else if constexpr (E::kSigned)
      return static_cast<V>((static_cast<Int128>(a) * b) >> 64);
    else
      return static_cast<V>((static_cast<Uint128>(a) * b) >> 64);
  }
};

template <class E>
struct MadLo {
  using V = typename E::Value;
  using U = typename E::Unsigned;
  HEDDLE_INLINE static V apply(V a, V b, V c) {
    return static_cast<V>(static_cast<U>(MulLo<E>::apply(a, b)) + static_cast<U>(c));
  }
};
template <class E>
struct MadHi {
  using V = typename E::Value;
  using U = typename E::Unsigned;
  HEDDLE_INLINE static V apply(V a, V b, V c) {
    return static_cast<V>(static_cast<U>(MulHi<E>::apply(a, b)) + static_cast<U>(c));
  }
};
struct MadHiSat {  // mad.hi.sat.s32
  HEDDLE_INLINE static std::int32_t apply(std::int32_t a, std::int32_t b, std::int32_t c) {
    const std::int64_t sum = static_cast<std::int64_t>(MulHi<S32>::apply(a, b)) + c;
    return static_cast<std::int32_t>(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
  }
};

/// D has twice the bits of the operands.
template <class D>
struct MulWide {
  using V = typename D::Value;
  using U = typename D::Unsigned;
  HEDDLE_INLINE static V apply(V a, V b) { return static_cast<V>(static_cast<U>(a) * static_cast<U>(b)); }
};
template <class D>
struct MadWide {
  using V = typename D::Value;
  using U = typename D::Unsigned;
  HEDDLE_INLINE static V apply(V a, V b, V c) {
    return static_cast<V>(static_cast<U>(a) * static_cast<U>(b) + static_cast<U>(c));
  }
};

// mul24.lo: low 32 bits of the 48-bit product of the operands' low 24 bits.
template <class E>
HEDDLE_INLINE typename E::Value low24(typename E::Value v) {
  return static_cast<typename E::Value>(static_cast<std::uint32_t>(v) << 8) >> 8;
}
template <class E>
struct Mul24 {
  using V = typename E::Value;
  HEDDLE_INLINE static V apply(V a, V b) { return MulLo<E>::apply(low24<E>(a), low24<E>(b)); }
};
template <class E>
struct Mad24 {
  using V = typename E::Value;
  HEDDLE_INLINE static V apply(V a, V b, V c) { return MadLo<E>::apply(low24<E>(a), low24<E>(b), c); }
};

LaneFn find_wide(const LaneSpec& spec) {
  const bool mad = spec.op == LaneOp::kMadWide;
  switch (spec.type) {
    case Type::kU32:
      return mad ? map3<MadWide<U32>, U32, U16, U16, U32> : map2<MulWide<U32>, U32, U16, U16>;
    case Type::kS32:
      return mad ? map3<MadWide<S32>, S32, S16, S16, S32> : map2<MulWide<S32>, S32, S16, S16>;
    case Type::kU64:
      return mad ? map3<MadWide<U64>, U64, U32, U32, U64> : map2<MulWide<U64>, U64, U32, U32>;
    case Type::kS64:
      return mad ? map3<MadWide<S64>, S64, S32, S32, S64> : map2<MulWide<S64>, S64, S32, S32>;
    default:
      return nullptr;
  }
}

LaneFn find_24(const LaneSpec& spec) {
  const bool mad = spec.op == LaneOp::kMad24;
  switch (spec.type) {
    case Type::kU32:
      return mad ? map3<Mad24<U32>, U32, U32, U32, U32> : map2<Mul24<U32>, U32, U32, U32>;
    case Type::kS32:
      return mad ? map3<Mad24<S32>, S32, S32, S32, S32> : map2<Mul24<S32>, S32, S32, S32>;
    default:
      return nullptr;
  }
}

}  // namespace

LaneFn find_multiply(const LaneSpec& spec) {
  if (is_sized_bits(spec.type)) return nullptr;
  if (spec.sat)
    return spec.op == LaneOp::kMadHi && spec.type == Type::kS32 ? map3<MadHiSat, S32, S32, S32, S32>
                                                                : nullptr;
  switch (spec.op) {
    case LaneOp::kMul:
      return integer2<MulLo>(spec.type);
    case LaneOp::kMulHi:
      return integer2<MulHi>(spec.type);
    case LaneOp::kMad:
      return integer3<MadLo>(spec.type);
    case LaneOp::kMadHi:
      return integer3<MadHi>(spec.type);
    case LaneOp::kMulWide:
    case LaneOp::kMadWide:
      return find_wide(spec);
    case LaneOp::kMul24:
    case LaneOp::kMad24:
      return find_24(spec);
    default:
      return nullptr;
  }
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
