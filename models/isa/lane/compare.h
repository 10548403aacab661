// The comparisons of setp and set: 32 lanes in, one lane mask out. Internal linkage: see lanes.h.
#pragma once

#include "isa/lane/float_rules.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

/// Ordered comparisons are false, the unordered ones (.equ ...) true if an operand is NaN.
template <Compare c, class V>
HEDDLE_INLINE bool holds(V a, V b) {
  switch (c) {
    case Compare::kEq:
      return a == b;
    case Compare::kNe:
      return a < b || a > b;  // integers go through kNeu: != is true on NaN
    case Compare::kLt:
      return a < b;
    case Compare::kLe:
      return a <= b;
    case Compare::kGt:
      return a > b;
    case Compare::kGe:
      return a >= b;
    case Compare::kEqu:
      return !(a < b || a > b);
    case Compare::kNeu:
      return a != b;
    case Compare::kLtu:
      return !(a >= b);
    case Compare::kLeu:
      return !(a > b);
    case Compare::kGtu:
      return !(a <= b);
    case Compare::kGeu:
      return !(a < b);
    case Compare::kNum:
      return a == a && b == b;
    case Compare::kNan:
      return a != a || b != b;
    default:
      return false;
  }
}

/// The lanes, active or not, where src[0] c src[1].
template <class E, Compare c, bool ftz>
[[gnu::noinline]] std::uint32_t compare_rows(const LaneArgs& args) {
  const auto* a = source<E>(args, 0);
  const auto* b = source<E>(args, 1);
  return collect<sizeof(typename E::Value)>([=](unsigned i) {
    const typename E::Value x = E::get(a[i]);
    const typename E::Value y = E::get(b[i]);
    if constexpr (E::kFloat)
      return holds<c>(flush<ftz>(x), flush<ftz>(y));
    else
      return holds<c>(x, y);
  });
}

// setp.CmpOp.BoolOp: the comparison combined with the predicate src[2].
template <Combine combine>
HEDDLE_INLINE std::uint32_t combined(const LaneArgs& args, std::uint32_t bits) {
  if constexpr (combine == Combine::kAnd) return bits & predicate(args, 2);
  if constexpr (combine == Combine::kOr) return bits | predicate(args, 2);
  if constexpr (combine == Combine::kXor) return bits ^ predicate(args, 2);
  return bits;
}

// Each of the following passes its choice to fn as a template argument, until a single instance is left.

template <class E, bool ftz, class Fn>
LaneFn with_float_compare(Compare c, Fn fn) {
  switch (c) {
    case Compare::kEq:
      return fn.template operator()<E, Compare::kEq, ftz>();
    case Compare::kNe:
      return fn.template operator()<E, Compare::kNe, ftz>();
    case Compare::kLt:
      return fn.template operator()<E, Compare::kLt, ftz>();
    case Compare::kLe:
      return fn.template operator()<E, Compare::kLe, ftz>();
    case Compare::kGt:
      return fn.template operator()<E, Compare::kGt, ftz>();
    case Compare::kGe:
      return fn.template operator()<E, Compare::kGe, ftz>();
    case Compare::kEqu:
      return fn.template operator()<E, Compare::kEqu, ftz>();
    case Compare::kNeu:
      return fn.template operator()<E, Compare::kNeu, ftz>();
    case Compare::kLtu:
      return fn.template operator()<E, Compare::kLtu, ftz>();
    case Compare::kLeu:
      return fn.template operator()<E, Compare::kLeu, ftz>();
    case Compare::kGtu:
      return fn.template operator()<E, Compare::kGtu, ftz>();
    case Compare::kGeu:
      return fn.template operator()<E, Compare::kGeu, ftz>();
    case Compare::kNum:
      return fn.template operator()<E, Compare::kNum, ftz>();
    case Compare::kNan:
      return fn.template operator()<E, Compare::kNan, ftz>();
    default:
      return nullptr;
  }
}

/// Equality does not depend on the sign: Equal is the unsigned type of the width. .lo .ls .hi .hs are
/// unsigned only.
template <class E, class Equal, class Fn>
LaneFn with_integer_compare(Compare c, Fn fn) {
  switch (c) {
    case Compare::kEq:
      return fn.template operator()<Equal, Compare::kEq, false>();
    case Compare::kNe:
      return fn.template operator()<Equal, Compare::kNeu, false>();
    case Compare::kLo:
      if (E::kSigned) return nullptr;
      [[fallthrough]];
    case Compare::kLt:
      return fn.template operator()<E, Compare::kLt, false>();
    case Compare::kLs:
      if (E::kSigned) return nullptr;
      [[fallthrough]];
    case Compare::kLe:
      return fn.template operator()<E, Compare::kLe, false>();
    case Compare::kHi:
      if (E::kSigned) return nullptr;
      [[fallthrough]];
    case Compare::kGt:
      return fn.template operator()<E, Compare::kGt, false>();
    case Compare::kHs:
      if (E::kSigned) return nullptr;
      [[fallthrough]];
    case Compare::kGe:
      return fn.template operator()<E, Compare::kGe, false>();
    default:
      return nullptr;
  }
}

template <class Fn>
LaneFn with_compare(Type type, Compare c, bool ftz, Fn fn) {
  if (ftz && type != Type::kF32) return nullptr;
  const bool equality = c == Compare::kEq || c == Compare::kNe;
  switch (type) {
    case Type::kB16:
      return equality ? with_integer_compare<U16, U16>(c, fn) : nullptr;
    case Type::kB32:
      return equality ? with_integer_compare<U32, U32>(c, fn) : nullptr;
    case Type::kB64:
      return equality ? with_integer_compare<U64, U64>(c, fn) : nullptr;
    case Type::kU16:
      return with_integer_compare<U16, U16>(c, fn);
    case Type::kU32:
      return with_integer_compare<U32, U32>(c, fn);
    case Type::kU64:
      return with_integer_compare<U64, U64>(c, fn);
    case Type::kS16:
      return with_integer_compare<S16, U16>(c, fn);
    case Type::kS32:
      return with_integer_compare<S32, U32>(c, fn);
    case Type::kS64:
      return with_integer_compare<S64, U64>(c, fn);
    case Type::kF32:
      return ftz ? with_float_compare<F32, true>(c, fn) : with_float_compare<F32, false>(c, fn);
    case Type::kF64:
      return with_float_compare<F64, false>(c, fn);
    default:
      return nullptr;
  }
}

template <class Fn>
LaneFn with_combine(Combine combine, Fn fn) {
  switch (combine) {
    case Combine::kNone:
      return fn.template operator()<Combine::kNone>();
    case Combine::kAnd:
      return fn.template operator()<Combine::kAnd>();
    case Combine::kOr:
      return fn.template operator()<Combine::kOr>();
    case Combine::kXor:
      return fn.template operator()<Combine::kXor>();
  }
  return nullptr;
}

}  // namespace
}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
