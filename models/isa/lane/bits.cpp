// Logic, shifts and bit fields (PTX ISA "Logic and Shift Instructions", bfe, bfi, bfind, brev, clz, popc,
// prmt).
#include "isa/lane/bit_functions.h"
#include "isa/lane/integer_dispatch.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

template <class E>
struct And {
  using V = typename E::Value;
  HEDDLE_INLINE static V apply(V a, V b) { return a & b; }
};
template <class E>
struct Or {
  using V = typename E::Value;
  HEDDLE_INLINE static V apply(V a, V b) { return a | b; }
};
template <class E>
struct Xor {
  using V = typename E::Value;
  HEDDLE_INLINE static V apply(V a, V b) { return a ^ b; }
};
template <class E>
struct Not {
  using V = typename E::Value;
  HEDDLE_INLINE static V apply(V a) { return ~a; }
};
template <class E>
struct Cnot {  // C's !a
  using V = typename E::Value;
  HEDDLE_INLINE static V apply(V a) { return a == 0 ? V{1} : V{0}; }
};

// Shift amounts are unsigned 32-bit values clamped to the width.
template <class E>
struct Shl {
  using U = typename E::Unsigned;
  using V = typename E::Value;
  HEDDLE_INLINE static V apply(V a, std::uint32_t n) {
    constexpr U kMax = E::kBits - 1;
    const U amount = n;
    const U shifted = static_cast<U>(a) << (amount & kMax);
    return static_cast<V>(amount > kMax ? U{0} : shifted);
  }
};
template <class E>
struct Shr {
  using U = typename E::Unsigned;
  using V = typename E::Value;
  HEDDLE_INLINE static V apply(V a, std::uint32_t n) {
    constexpr U kMax = E::kBits - 1;
    const U amount = n;
    if constexpr (E::kSigned) {
      return a >> (amount > kMax ? kMax : amount);
    } else {
      const U shifted = a >> (amount & kMax);
      return amount > kMax ? U{0} : shifted;
    }
  }
};

// shf: funnel shift of b:a, amount in c, clamped to 32 or taken modulo 32.
template <bool clamp>
HEDDLE_INLINE std::uint64_t funnel_amount(std::uint32_t c) {
  return clamp ? (c > 32 ? 32u : c) : (c & 31u);
}
HEDDLE_INLINE std::uint64_t funnel(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint64_t>(b) << 32 | a;
}
template <bool clamp>
struct ShfL {
  HEDDLE_INLINE static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return static_cast<std::uint32_t>((funnel(a, b) << funnel_amount<clamp>(c)) >> 32);
  }
};
template <bool clamp>
struct ShfR {
  HEDDLE_INLINE static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return static_cast<std::uint32_t>(funnel(a, b) >> funnel_amount<clamp>(c));
  }
};

template <class E>
struct Popc {
  HEDDLE_INLINE static std::uint32_t apply(typename E::Value a) { return count_ones(a); }
};
template <class E>
struct Clz {
  HEDDLE_INLINE static std::uint32_t apply(typename E::Value a) { return leading_zeros(a); }
};
/// The lowest `n` bits, n clamped to the width.
template <class U>
HEDDLE_INLINE U low_bits(U n) {
  constexpr U kWidth = sizeof(U) * 8;
  return n >= kWidth ? ~U{0} : (U{1} << (n & (kWidth - 1))) - U{1};
}
// bfe: position and length are the low bytes of b and c. Bits past the top read as the sign (signed) or 0.
template <class E>
struct Bfe {
  using V = typename E::Value;
  using U = typename E::Unsigned;
  HEDDLE_INLINE static V apply(V a, std::uint32_t b, std::uint32_t c) {
    const U length = c & 0xffu;
    const V shifted = Shr<E>::apply(a, b & 0xffu);
    if constexpr (E::kSigned) {
      const U up = length == 0 || length > E::kBits ? U{0} : E::kBits - length;
      const V field = static_cast<V>(static_cast<U>(shifted) << up) >> up;
      return length == 0 ? V{0} : field;
    } else {
      return shifted & low_bits<U>(length);
    }
  }
};
// bfi: a inserted into b at position c, length d (low bytes).
template <class E>
struct Bfi {
  using U = typename E::Value;
  HEDDLE_INLINE static U apply(U a, U b, std::uint32_t c, std::uint32_t d) {
    const U field = Shl<E>::apply(low_bits<U>(d & 0xffu), c & 0xffu);
    return (b & ~field) | (Shl<E>::apply(a, c & 0xffu) & field);
  }
};
template <class E>
void bfi(const LaneArgs& args) {
  const auto* a = source<E>(args, 0);
  const auto* b = source<E>(args, 1);
  const auto* c = source<U32>(args, 2);
  const auto* d = source<U32>(args, 3);
  each_lane<E>(args, [=](unsigned i) { return Bfi<E>::apply(a[i], b[i], c[i], d[i]); });
}

struct Prmt {  // default mode: selector nibbles pick bytes of b:a; bit 3 replicates the byte's sign
  HEDDLE_INLINE static std::uint32_t byte(std::uint64_t bytes, std::uint32_t selector) {
    const auto value = static_cast<std::uint32_t>(bytes >> ((selector & 7u) * 8u)) & 0xffu;
    const std::uint32_t sign = (value & 0x80u) != 0 ? 0xffu : 0u;
    return (selector & 8u) != 0 ? sign : value;
  }
  HEDDLE_INLINE static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const std::uint64_t bytes = funnel(a, b);
    return byte(bytes, c) | byte(bytes, c >> 4) << 8 | byte(bytes, c >> 8) << 16 | byte(bytes, c >> 12) << 24;
  }
};

template <template <class> class Op>
LaneFn logic2(Type type) {
  return is_sized_bits(type) ? integer2<Op>(type) : nullptr;
}
template <template <class> class Op>
LaneFn logic1(Type type) {
  return is_sized_bits(type) ? integer1<Op>(type) : nullptr;
}
template <template <class> class Op>
LaneFn count(Type type) {  // b32 and b64 in, u32 out
  if (type == Type::kB32) return map1<Op<U32>, U32, U32>;
  if (type == Type::kB64) return map1<Op<U64>, U32, U64>;
  return nullptr;
}

LaneFn find_shift(const LaneSpec& spec) {
  if (spec.op == LaneOp::kShl) {
    if (spec.type == Type::kB16) return map2<Shl<U16>, U16, U16, U32>;
    if (spec.type == Type::kB32) return map2<Shl<U32>, U32, U32, U32>;
    if (spec.type == Type::kB64) return map2<Shl<U64>, U64, U64, U32>;
    return nullptr;
  }
  switch (spec.type) {
    case Type::kB16:
    case Type::kU16:
      return map2<Shr<U16>, U16, U16, U32>;
    case Type::kS16:
      return map2<Shr<S16>, S16, S16, U32>;
    case Type::kB32:
    case Type::kU32:
      return map2<Shr<U32>, U32, U32, U32>;
    case Type::kS32:
      return map2<Shr<S32>, S32, S32, U32>;
    case Type::kB64:
    case Type::kU64:
      return map2<Shr<U64>, U64, U64, U32>;
    case Type::kS64:
      return map2<Shr<S64>, S64, S64, U32>;
    default:
      return nullptr;
  }
}

LaneFn find_field(const LaneSpec& spec) {
  const Type t = spec.type;
  switch (spec.op) {
    case LaneOp::kBfe:
      if (t == Type::kU32) return map3<Bfe<U32>, U32, U32, U32, U32>;
      if (t == Type::kS32) return map3<Bfe<S32>, S32, S32, U32, U32>;
      if (t == Type::kU64) return map3<Bfe<U64>, U64, U64, U32, U32>;
      if (t == Type::kS64) return map3<Bfe<S64>, S64, S64, U32, U32>;
      return nullptr;
    case LaneOp::kBfi:
      return t == Type::kB32 ? bfi<U32> : t == Type::kB64 ? bfi<U64> : nullptr;
    case LaneOp::kBfind:
      if (t == Type::kU32) return map1<Bfind<U32>, U32, U32>;
      if (t == Type::kS32) return map1<Bfind<S32>, U32, S32>;
      if (t == Type::kU64) return map1<Bfind<U64>, U32, U64>;
      if (t == Type::kS64) return map1<Bfind<S64>, U32, S64>;
      return nullptr;
    case LaneOp::kBrev:
      return t == Type::kB32   ? map1<Brev<U32>, U32, U32>
             : t == Type::kB64 ? map1<Brev<U64>, U64, U64>
                               : nullptr;
    case LaneOp::kPrmt:
      return t == Type::kB32 ? map3<Prmt, U32, U32, U32, U32> : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace

LaneFn find_bits(const LaneSpec& spec) {
  const bool b32 = spec.type == Type::kB32;
  switch (spec.op) {
    case LaneOp::kAnd:
      return logic2<And>(spec.type);
    case LaneOp::kOr:
      return logic2<Or>(spec.type);
    case LaneOp::kXor:
      return logic2<Xor>(spec.type);
    case LaneOp::kNot:
      return logic1<Not>(spec.type);
    case LaneOp::kCnot:
      return logic1<Cnot>(spec.type);
    case LaneOp::kShl:
    case LaneOp::kShr:
      return find_shift(spec);
    case LaneOp::kShfL:
      return !b32         ? nullptr
             : spec.clamp ? map3<ShfL<true>, U32, U32, U32, U32>
                          : map3<ShfL<false>, U32, U32, U32, U32>;
    case LaneOp::kShfR:
      return !b32         ? nullptr
             : spec.clamp ? map3<ShfR<true>, U32, U32, U32, U32>
                          : map3<ShfR<false>, U32, U32, U32, U32>;
    case LaneOp::kPopc:
      return count<Popc>(spec.type);
    case LaneOp::kClz:
      return count<Clz>(spec.type);
    default:
      return find_field(spec);
  }
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
