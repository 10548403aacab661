// Functions of one word's bits: counting, finding, reversing, and the truth tables of lop3. Written with shifts and masks, so
// that they become vector code at every level. Internal linkage: see lanes.h.
#pragma once

#include "isa/lane/lanes.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

template <class U>
HEDDLE_INLINE std::uint32_t count_ones(U v) {
  constexpr U kAll = ~U{0};
  v = v - ((v >> 1) & (kAll / 3));
  v = (v & (kAll / 15 * 3)) + ((v >> 2) & (kAll / 15 * 3));
  v = (v + (v >> 4)) & (kAll / 255 * 15);
  return static_cast<std::uint32_t>((v * (kAll / 255)) >> (sizeof(U) * 8 - 8));
}
template <class U>
HEDDLE_INLINE std::uint32_t leading_zeros(U v) {
  v |= v >> 1;
  v |= v >> 2;
  v |= v >> 4;
  v |= v >> 8;
  v |= v >> 16;
  if constexpr (sizeof(U) == 8) v |= v >> 32;
  return static_cast<std::uint32_t>(sizeof(U) * 8) - count_ones(v);
}
template <class E>
struct Bfind {  // position of the highest non-sign bit; 0xffffffff if there is none
  using U = typename E::Unsigned;
  HEDDLE_INLINE static std::uint32_t apply(typename E::Value a) {
    const U v = static_cast<U>(E::kSigned && a < 0 ? ~a : a);
    return (E::kBits - 1u) - leading_zeros(v);
  }
};
template <class E>
struct Brev {
  using U = typename E::Value;
  HEDDLE_INLINE static U apply(U v) {
    constexpr U kAll = ~U{0};
    v = ((v >> 1) & (kAll / 3)) | ((v & (kAll / 3)) << 1);
    v = ((v >> 2) & (kAll / 5)) | ((v & (kAll / 5)) << 2);
    v = ((v >> 4) & (kAll / 17)) | ((v & (kAll / 17)) << 4);
    v = ((v >> 8) & (kAll / 257)) | ((v & (kAll / 257)) << 8);
    v = ((v >> 16) & (kAll / 65537)) | ((v & (kAll / 65537)) << 16);
    if constexpr (sizeof(U) == 8) v = (v >> 32) | (v << 32);
    return v;
  }
};

template <class E>
struct BfindShift {
  using U = typename E::Unsigned;
  HEDDLE_INLINE static std::uint32_t apply(typename E::Value a) {
    U v = static_cast<U>(E::kSigned && a < 0 ? ~a : a);
    std::uint32_t shift = v == 0 ? ~0u : 0u;
    for (unsigned step = E::kBits / 2; step != 0; step /= 2) {
      const bool room = (v >> (E::kBits - step)) == 0 && v != 0;
      v = room ? static_cast<U>(v << step) : v;
      shift += room ? step : 0u;
    }
    return shift;
  }
};

// Bit k of the table is the result for k = a:b:c.
HEDDLE_INLINE std::uint32_t look_up(std::uint32_t table, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  std::uint32_t result = 0;
  for (unsigned k = 0; k < 8; ++k) {
    const std::uint32_t chosen =
        ((k & 4u) != 0 ? a : ~a) & ((k & 2u) != 0 ? b : ~b) & ((k & 1u) != 0 ? c : ~c);
    result |= chosen & (0u - ((table >> k) & 1u));
  }
  return result;
}

}  // namespace
}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
