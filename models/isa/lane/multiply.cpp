// Integer mul and mad in all widths: .lo, .hi, .wide, and the 24-bit forms.
#include "isa/lane/product.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

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

/// mul24.hi: bits 16 to 47 of the 48-bit product.
template <class E>
struct Mul24Hi {
  using V = typename E::Value;
  HEDDLE_INLINE static V apply(V a, V b) {
    const auto product = static_cast<std::int64_t>(low24<E>(a)) * static_cast<std::int64_t>(low24<E>(b));
    return static_cast<V>(static_cast<std::uint32_t>(static_cast<std::uint64_t>(product) >> 16));
  }
};
template <class E>
struct Mad24Hi {
  using V = typename E::Value;
  HEDDLE_INLINE static V apply(V a, V b, V c) {
    return static_cast<V>(static_cast<std::uint32_t>(Mul24Hi<E>::apply(a, b)) +
                          static_cast<std::uint32_t>(c));
  }
};
struct Mad24HiSat {  // mad24.hi.sat.s32
  HEDDLE_INLINE static std::int32_t apply(std::int32_t a, std::int32_t b, std::int32_t c) {
    const std::int64_t sum = static_cast<std::int64_t>(Mul24Hi<S32>::apply(a, b)) + c;
    return static_cast<std::int32_t>(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
  }
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

template <class E>
LaneFn find_24_of(LaneOp op) {
  switch (op) {
    case LaneOp::kMul24:
      return map2<Mul24<E>, E, E, E>;
    case LaneOp::kMad24:
      return map3<Mad24<E>, E, E, E, E>;
    case LaneOp::kMul24Hi:
      return map2<Mul24Hi<E>, E, E, E>;
    case LaneOp::kMad24Hi:
      return map3<Mad24Hi<E>, E, E, E, E>;
    default:
      return nullptr;
  }
}
LaneFn find_24(const LaneSpec& spec) {
  if (spec.type == Type::kU32) return find_24_of<U32>(spec.op);
  return spec.type == Type::kS32 ? find_24_of<S32>(spec.op) : nullptr;
}
LaneFn find_saturating(const LaneSpec& spec) {
  if (spec.type != Type::kS32) return nullptr;
  if (spec.op == LaneOp::kMadHi) return map3<MadHiSat, S32, S32, S32, S32>;
  return spec.op == LaneOp::kMad24Hi ? map3<Mad24HiSat, S32, S32, S32, S32> : nullptr;
}

}  // namespace

LaneFn find_multiply(const LaneSpec& spec) {
  if (is_sized_bits(spec.type)) return nullptr;
  if (spec.sat) return find_saturating(spec);
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
    case LaneOp::kMul24Hi:
    case LaneOp::kMad24Hi:
      return find_24(spec);
    default:
      return nullptr;
  }
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
