// Integer add, sub, div, rem, abs, neg, min, max, sad (PTX ISA "Integer Arithmetic Instructions").
// All arithmetic is done unsigned, so it wraps as PTX says and is never undefined.
#include "isa/lane/integer_dispatch.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

template <class E>
struct Add {
  using V = typename E::Value;
  using U = typename E::Unsigned;
  HEDDLE_INLINE static V apply(V a, V b) { return static_cast<V>(static_cast<U>(a) + static_cast<U>(b)); }
};
template <class E>
struct Sub {
  using V = typename E::Value;
  using U = typename E::Unsigned;
  HEDDLE_INLINE static V apply(V a, V b) { return static_cast<V>(static_cast<U>(a) - static_cast<U>(b)); }
};

// add.sat.s32 / sub.sat.s32. On overflow the true sign is the opposite of the wrapped one.
HEDDLE_INLINE std::int32_t overflowed(std::int32_t wrapped) { return (wrapped >> 31) ^ INT32_MIN; }
struct AddSat {
  HEDDLE_INLINE static std::int32_t apply(std::int32_t a, std::int32_t b) {
    const std::int32_t sum = Add<S32>::apply(a, b);
    return ((a ^ sum) & (b ^ sum)) < 0 ? overflowed(sum) : sum;
  }
};
struct SubSat {
  HEDDLE_INLINE static std::int32_t apply(std::int32_t a, std::int32_t b) {
    const std::int32_t difference = Sub<S32>::apply(a, b);
    return ((a ^ b) & (a ^ difference)) < 0 ? overflowed(difference) : difference;
  }
};

// Division by zero is unspecified in PTX. An H200 yields all ones, for rem as well. The most negative value divided by -1 wraps to itself, with remainder 0.
template <class E>
struct Div {
  using V = typename E::Value;
  using U = typename E::Unsigned;
  HEDDLE_INLINE static V apply(V a, V b) {
    if (b == 0) return static_cast<V>(~U{0});
    if constexpr (E::kSigned) {
      if (b == -1) return static_cast<V>(U{0} - static_cast<U>(a));
    }
    return static_cast<V>(a / b);
  }
};
template <class E>
struct Rem {
  using V = typename E::Value;
  using U = typename E::Unsigned;
  HEDDLE_INLINE static V apply(V a, V b) {
    if (b == 0) return static_cast<V>(~U{0});
    if constexpr (E::kSigned) {
      if (b == -1) return 0;
    }
    return static_cast<V>(a % b);
  }
};

template <class E>
struct Neg {
  using V = typename E::Value;
  using U = typename E::Unsigned;
  HEDDLE_INLINE static V apply(V a) { return static_cast<V>(U{0} - static_cast<U>(a)); }
};
template <class E>
struct Abs {
  using V = typename E::Value;
  HEDDLE_INLINE static V apply(V a) { return a < 0 ? Neg<E>::apply(a) : a; }
};
template <class E>
struct Min {
  using V = typename E::Value;
  HEDDLE_INLINE static V apply(V a, V b) { return a < b ? a : b; }
};
template <class E>
struct Max {
  using V = typename E::Value;
  HEDDLE_INLINE static V apply(V a, V b) { return a < b ? b : a; }
};

template <class E>
struct Sad {  // c + |a - b|; the distance of two signed values needs the unsigned type
  using V = typename E::Value;
  using U = typename E::Unsigned;
  HEDDLE_INLINE static V apply(V a, V b, V c) {
    const U distance = a < b ? static_cast<U>(b) - static_cast<U>(a) : static_cast<U>(a) - static_cast<U>(b);
    return static_cast<V>(static_cast<U>(c) + distance);
  }
};

LaneFn saturating(const LaneSpec& spec, LaneFn fn) { return spec.type == Type::kS32 ? fn : nullptr; }

template <template <class> class Op>
LaneFn signed1(Type type) {
  switch (type) {
    case Type::kS16:
      return map1<Op<S16>, S16, S16>;
    case Type::kS32:
      return map1<Op<S32>, S32, S32>;
    case Type::kS64:
      return map1<Op<S64>, S64, S64>;
    default:
      return nullptr;
  }
}

}  // namespace

LaneFn find_integer(const LaneSpec& spec) {
  if (is_sized_bits(spec.type)) return nullptr;  // PTX arithmetic has no .b types
  if (spec.sat && spec.op != LaneOp::kAdd && spec.op != LaneOp::kSub) return nullptr;
  switch (spec.op) {
    case LaneOp::kAdd:
      return spec.sat ? saturating(spec, map2<AddSat, S32, S32, S32>) : integer2<Add>(spec.type);
    case LaneOp::kSub:
      return spec.sat ? saturating(spec, map2<SubSat, S32, S32, S32>) : integer2<Sub>(spec.type);
    case LaneOp::kDiv:
      return integer2<Div>(spec.type);
    case LaneOp::kRem:
      return integer2<Rem>(spec.type);
    case LaneOp::kNeg:
      return signed1<Neg>(spec.type);
    case LaneOp::kAbs:
      return signed1<Abs>(spec.type);
    case LaneOp::kMin:
      return integer2<Min>(spec.type);
    case LaneOp::kMax:
      return integer2<Max>(spec.type);
    case LaneOp::kSad:
      return integer3<Sad>(spec.type);
    default:
      return nullptr;
  }
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
