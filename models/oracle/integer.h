// Integers in twice their width, as integer instructions compute.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "oracle/bits.h"
#include "oracle/builder.h"

namespace heddle::oracle {

__extension__ using Int128 = __int128;
__extension__ using Uint128 = unsigned __int128;

template <class T>
using WideOf = std::conditional_t<std::is_signed_v<T>, Int128, Uint128>;

/// A 64-bit result from a value of type T computed in 128 bits: low half of the product.
template <class T>
[[nodiscard]] std::uint64_t low(WideOf<T> value) {
  return bits_of(static_cast<T>(value));
}

template <class T>
[[nodiscard]] WideOf<T> wide(std::uint64_t bits) {
  return static_cast<WideOf<T>>(value_of<T>(bits));
}

[[nodiscard]] inline std::uint64_t saturate_s32(Int128 value) {
  const Int128 least = std::numeric_limits<std::int32_t>::min();
  const Int128 most = std::numeric_limits<std::int32_t>::max();
  return bits_of(static_cast<std::int32_t>(std::clamp(value, least, most)));
}

[[nodiscard]] inline bool is_integer(Type type) {
  return type != Type::kPred && type != Type::kNone && !isa::is_float(type);
}
[[nodiscard]] inline bool is_bits(Type type) {
  return type == Type::kB8 || type == Type::kB16 || type == Type::kB32 || type == Type::kB64;
}

/// u16..u64, s16..s64.
inline void take_arithmetic_type(Builder& b) {
  b.step.type = b.take_type();
  if (!is_integer(b.step.type) || is_bits(b.step.type) || type_bits(b.step.type) < 16) b.refuse();
}

// add.cc, sub.cc, mad.cc: the forms of add, sub and mad that write the carry.
void add_with_carry(Builder& b);
void subtract_with_carry(Builder& b);
void multiply_with_carry(Builder& b);

}  // namespace heddle::oracle
