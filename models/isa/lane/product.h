// The halves of an integer product. Internal linkage: see lanes.h.
#pragma once

#include "isa/lane/integer_dispatch.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

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

}  // namespace
}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
