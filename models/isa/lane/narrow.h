// Floats of fewer than 32 bits by format: bf16, tf32, the 8-bit ones, and f16. Values are held as doubles, which hold every
// one of them exactly.
#pragma once

#include "isa/lane/half.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

/// `has_infinity`: the largest exponent holds infinity and NaNs, as in IEEE; else only the pattern of all ones is a NaN.
template <unsigned exponent_bits, unsigned mantissa_bits, bool has_infinity>
struct NarrowFormat {
  static constexpr unsigned kMantissaBits = mantissa_bits;
  static constexpr unsigned kBits = 1 + exponent_bits + mantissa_bits;
  static constexpr int kBias = (1 << (exponent_bits - 1)) - 1;
  static constexpr std::uint32_t kExponentMask = (1u << exponent_bits) - 1;
  static constexpr std::uint32_t kMantissaMask = (1u << mantissa_bits) - 1;
  static constexpr std::uint32_t kSign = 1u << (kBits - 1);
  static constexpr std::uint32_t kNan = kSign - 1;  ///< canonical, as PTX names it
  static constexpr bool kHasInfinity = has_infinity;
  static constexpr std::uint32_t kInfinity = kExponentMask << mantissa_bits;
  static constexpr std::uint32_t kLargest = has_infinity ? kInfinity - 1 : kNan - 1;
  static constexpr std::uint32_t kLeastNormal = 1u << mantissa_bits;

  HEDDLE_INLINE static bool is_nan(std::uint32_t bits) {
    const std::uint32_t m = bits & (kSign - 1);
    return has_infinity ? m > kInfinity : m == kNan;
  }
  HEDDLE_INLINE static double value(std::uint32_t bits) {
    const std::uint64_t sign = static_cast<std::uint64_t>((bits & kSign) != 0 ? 1u : 0u) << 63;
    const std::uint32_t exponent = bits >> mantissa_bits & kExponentMask;
    const std::uint32_t mantissa = bits & kMantissaMask;
    if (is_nan(bits)) return from_bits(FloatFormat<double>::kNan & ~FloatFormat<double>::kSign);
    if (has_infinity && exponent == kExponentMask) return from_bits(sign | FloatFormat<double>::kInfinity);
    if (exponent == 0) {
      const double least =
          from_bits(static_cast<std::uint64_t>(1023 + 1 - kBias - static_cast<int>(mantissa_bits)) << 52);
      return from_bits(sign | bits_of(static_cast<double>(mantissa) * least));
    }
    return from_bits(sign | static_cast<std::uint64_t>(static_cast<int>(exponent) - kBias + 1023) << 52 |
                     static_cast<std::uint64_t>(mantissa) << (52 - mantissa_bits));
  }
  /// Rounded once. Above the largest value: `satfinite` gives that; else infinity where the mode rounds away or the format's NaN
  /// where it has none.
  template <Rounding r>
  HEDDLE_INLINE static std::uint32_t round(double v, bool satfinite) {
    if (v != v) return kNan;
    const bool negative = (bits_of(v) & FloatFormat<double>::kSign) != 0;
    const std::uint32_t sign = negative ? kSign : 0u;
    const std::uint32_t beyond = satfinite ? kLargest : has_infinity ? kInfinity : kNan;
    const double m = magnitude(v);
    if (m == from_bits(FloatFormat<double>::kInfinity)) return sign | beyond;
    const bool away = (r == Rounding::kRp && !negative) || (r == Rounding::kRm && negative);
    constexpr int kLeastExponent = 1 - kBias;
    const int own = static_cast<int>(bits_of(m) >> 52) - 1023;
    const int exponent = own < kLeastExponent ? kLeastExponent : own;
    if (exponent > kBias + 1)
      return sign | (r == Rounding::kRn || r == Rounding::kRna || away ? beyond : kLargest);
    const int unit = exponent - static_cast<int>(mantissa_bits);
    const double scaled = m * from_bits(static_cast<std::uint64_t>(1023 - unit) << 52);  // exact
    auto units = static_cast<std::uint32_t>(scaled);
    const double rest = scaled - static_cast<double>(units);
    if constexpr (r == Rounding::kRna)
      units += rest >= 0.5 ? 1u : 0u;
    else if constexpr (r == Rounding::kRn)
      units += rest > 0.5 || (rest == 0.5 && (units & 1u) != 0) ? 1u : 0u;
    else
      units += away && rest > 0.0 ? 1u : 0u;
    // A carry out of the mantissa increments the exponent by itself.
    const std::uint32_t bits =
        (static_cast<std::uint32_t>(exponent - kLeastExponent) << mantissa_bits) + units;
    if (bits <= kLargest) return sign | bits;
    return sign | (r == Rounding::kRn || r == Rounding::kRna || away ? beyond : kLargest);
  }
};

using HalfFormat = NarrowFormat<5, 10, true>;
using Bf16Format = NarrowFormat<8, 7, true>;
using Tf32Format = NarrowFormat<8, 10, true>;  ///< in the upper 19 bits of a register
using E4m3Format = NarrowFormat<4, 3, false>;
using E5m2Format = NarrowFormat<5, 2, true>;

/// The lower or upper half of a register as an element whose values are doubles.
template <class F, bool high>
struct NarrowOf {
  using Value = double;
  using Cell = CellU32;
  static constexpr bool kFloat = true;
  HEDDLE_INLINE static double get(std::uint32_t c) { return F::value(high ? c >> 16 : c & 0xffffu); }
};

}  // namespace
}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
