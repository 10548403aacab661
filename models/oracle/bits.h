// Conversions between a register's 64 bits and the C++ value an instruction computes with.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "oracle/program.h"

namespace heddle::oracle {

template <class T>
[[nodiscard]] T value_of(std::uint64_t bits) {
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<double>(bits);
  else
    return static_cast<T>(bits);
}

/// Zero-extended.
template <class T>
[[nodiscard]] std::uint64_t bits_of(T value) {
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<std::uint32_t>(value);
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<std::uint64_t>(value);
  else
    return static_cast<std::make_unsigned_t<T>>(value);
}

[[nodiscard]] constexpr std::uint64_t low_bits(unsigned count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

/// Single-precision subnormals flushed to zero of the same sign (.ftz).
[[nodiscard]] inline float flushed(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}

/// A computed float result as a register holds it. NaNs are canonical: 0x7fffffff in single precision (PTX
/// ISA); in double precision, where PTX does not define the payload, CUDA's 0xfff8000000000000.
template <class F>
[[nodiscard]] std::uint64_t float_result(F value) {
  if (std::isnan(value)) return sizeof(F) == 4 ? 0x7fff'ffffull : 0xfff8'0000'0000'0000ull;
  return bits_of(value);
}

/// fn.operator()<T>() for the C++ type of an integer type (bit types are unsigned); nullptr for any other.
template <class Fn>
[[nodiscard]] Eval for_integer(Type type, Fn fn) {
  switch (type) {
    case Type::kB8:
    case Type::kU8:
      return fn.template operator()<std::uint8_t>();
    case Type::kB16:
    case Type::kU16:
      return fn.template operator()<std::uint16_t>();
    case Type::kB32:
    case Type::kU32:
      return fn.template operator()<std::uint32_t>();
    case Type::kB64:
    case Type::kU64:
      return fn.template operator()<std::uint64_t>();
    case Type::kS8:
      return fn.template operator()<std::int8_t>();
    case Type::kS16:
      return fn.template operator()<std::int16_t>();
    case Type::kS32:
      return fn.template operator()<std::int32_t>();
    case Type::kS64:
      return fn.template operator()<std::int64_t>();
    default:
      return nullptr;
  }
}

template <class Fn>
[[nodiscard]] Eval for_float(Type type, Fn fn) {
  switch (type) {
    case Type::kF32:
      return fn.template operator()<float>();
    case Type::kF64:
      return fn.template operator()<double>();
    default:
      return nullptr;
  }
}

}  // namespace heddle::oracle
