// From a PTX integer type to the instance of an operation template. Internal linkage: see lanes.h.
#pragma once

#include "isa/lane/lanes.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

/// Op<E>::apply(a), E one of the 16- to 64-bit integers. kB types count as unsigned.
template <template <class> class Op>
LaneFn integer1(Type type) {
  switch (type) {
    case Type::kB16:
    case Type::kU16:
      return map1<Op<U16>, U16, U16>;
    case Type::kS16:
      return map1<Op<S16>, S16, S16>;
    case Type::kB32:
    case Type::kU32:
      return map1<Op<U32>, U32, U32>;
    case Type::kS32:
      return map1<Op<S32>, S32, S32>;
    case Type::kB64:
    case Type::kU64:
      return map1<Op<U64>, U64, U64>;
    case Type::kS64:
      return map1<Op<S64>, S64, S64>;
    default:
      return nullptr;
  }
}
template <template <class> class Op>
LaneFn integer2(Type type) {
  switch (type) {
    case Type::kB16:
    case Type::kU16:
      return map2<Op<U16>, U16, U16, U16>;
    case Type::kS16:
      return map2<Op<S16>, S16, S16, S16>;
    case Type::kB32:
    case Type::kU32:
      return map2<Op<U32>, U32, U32, U32>;
    case Type::kS32:
      return map2<Op<S32>, S32, S32, S32>;
    case Type::kB64:
    case Type::kU64:
      return map2<Op<U64>, U64, U64, U64>;
    case Type::kS64:
      return map2<Op<S64>, S64, S64, S64>;
    default:
      return nullptr;
  }
}
template <template <class> class Op>
LaneFn integer3(Type type) {
  switch (type) {
    case Type::kU16:
      return map3<Op<U16>, U16, U16, U16, U16>;
    case Type::kS16:
      return map3<Op<S16>, S16, S16, S16, S16>;
    case Type::kU32:
      return map3<Op<U32>, U32, U32, U32, U32>;
    case Type::kS32:
      return map3<Op<S32>, S32, S32, S32, S32>;
    case Type::kU64:
      return map3<Op<U64>, U64, U64, U64, U64>;
    case Type::kS64:
      return map3<Op<S64>, S64, S64, S64, S64>;
    default:
      return nullptr;
  }
}

HEDDLE_INLINE bool is_sized_bits(Type t) {
  return t == Type::kB8 || t == Type::kB16 || t == Type::kB32 || t == Type::kB64;
}

}  // namespace
}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
