// MUFU as cards compute it: a segment by the upper bits of the operand's significand, and a quadratic polynomial of the lower
// ones in fixed point, with a squarer that leaves out the lower columns of its partial products. Subnormal operands and results
// are zeros. Internal linkage: see lane/lanes.h.
#pragma once

#include "isa/lane/float_rules.h"
#include "isa/special_segments.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

constexpr std::uint32_t kFraction = 0x7f'ffffu;  // of f32
constexpr unsigned kFractionBits = 23;

/// x * x without the partial products of the squarer's lowest 19 columns. x has 17 bits.
HEDDLE_INLINE std::uint64_t squared(std::uint32_t x) {
  constexpr std::uint32_t kDropped = (1u << 19) - 1;
  std::uint32_t diagonal = 0;
  std::uint32_t dropped = 0;
  for (unsigned i = 0; i < 10; ++i) {
    const std::uint32_t bit = (x >> i) & 1u;
    diagonal |= bit << (2 * i);
    // x_i x_j for j > i, in column i + j + 1.
    dropped += (0u - bit) & ((x >> (i + 1)) << (2 * i + 2)) & kDropped;
  }
  return std::uint64_t{x} * x - (diagonal & kDropped) - dropped;
}

/// How a function's terms are added. The sum has `weight` bits behind the point.
struct Terms {
  unsigned index_bits;
  unsigned weight;
  unsigned c0_at;
  unsigned c1_at;
  int c1_sign;
  int c2_sign;
  std::uint64_t bias;  ///< rounds the sum, which is then cut off
};
constexpr Terms kRcpTerms{7, 56, 30, 17, -1, 1, 0xcfce'0000u};
constexpr Terms kRsqTerms{6, 57, 31, 17, -1, 1, 0x1'fffe'0000u};
constexpr Terms kSqrtTerms{6, 58, 33, 18, 1, -1, 0x3'fffc'0000u};
constexpr Terms kEx2Terms{6, 57, 32, 19, 1, 1, 0x1'bf10'0000u};
constexpr Terms kLg2Terms{6, 56, 30, 18, 1, -1, 0x1'0d16'0000u};
constexpr Terms kSinTerms{6, 56, 31, 19, 1, -1, 0};

/// `low`: the bits behind the index, 16 (then the squarer sees them one column higher) or 17.
template <const Terms& terms>
HEDDLE_INLINE std::uint64_t polynomial(const Segment& of, std::uint32_t low) {
  const std::uint64_t square = terms.index_bits == 7 ? squared(low << 1) >> 2 : squared(low);
  const std::uint64_t c1 = (std::uint64_t{of.c1} * low) << terms.c1_at;
  const std::uint64_t c2 = of.c2 * square;
  const std::uint64_t sum = (std::uint64_t{of.c0} << terms.c0_at) + terms.bias;
  return (terms.c1_sign > 0 ? sum + c1 : sum - c1) + (terms.c2_sign > 0 ? c2 : 0u - c2);
}
template <const Terms& terms, unsigned size>
HEDDLE_INLINE std::uint64_t interpolate(const Segment (&segments)[size], unsigned table,
                                        std::uint32_t fraction) {
  constexpr unsigned kLowBits = kFractionBits - terms.index_bits;
  return polynomial<terms>(segments[table << terms.index_bits | fraction >> kLowBits],
                           fraction & ((1u << kLowBits) - 1u));
}
/// The sum as a number times 2^exponent, its leading bit wherever it is; 0 is 0, and what is too small for a normal number.
template <const Terms& terms>
HEDDLE_INLINE float from_sum(std::uint64_t sum, int exponent, std::uint32_t sign) {
  if (sum == 0) return from_bits(sign);
  const int leading = 63 - __builtin_clzll(sum);
  const int biased = exponent + leading - static_cast<int>(terms.weight) + 127;
  if (biased <= 0) return from_bits(sign);
  if (biased >= 255) return from_bits(sign | FloatFormat<float>::kInfinity);
  const std::uint64_t fraction = leading >= static_cast<int>(kFractionBits)
                                     ? sum >> (leading - static_cast<int>(kFractionBits))
                                     : sum << (static_cast<int>(kFractionBits) - leading);
  return from_bits(sign | static_cast<std::uint32_t>(biased) << kFractionBits |
                   (static_cast<std::uint32_t>(fraction) & kFraction));
}

constexpr float kNanF32 = __builtin_bit_cast(float, FloatFormat<float>::kNan);
constexpr float kInfinityF32 = __builtin_bit_cast(float, FloatFormat<float>::kInfinity);

struct Parts {
  std::uint32_t sign;
  int exponent;  ///< unbiased
  std::uint32_t fraction;
};
HEDDLE_INLINE Parts parts_of(float x) {
  const std::uint32_t bits = bits_of(x);
  return {bits & FloatFormat<float>::kSign, static_cast<int>((bits >> kFractionBits) & 0xffu) - 127,
          bits & kFraction};
}
HEDDLE_INLINE float with_sign(float magnitude, std::uint32_t sign) {
  return from_bits(bits_of(magnitude) | sign);
}

HEDDLE_INLINE float mufu_rcp(float x) {
  const Parts of = parts_of(x);
  if (x != x) return kNanF32;
  if (of.exponent == 128) return from_bits(of.sign);
  if (of.exponent == -127) return with_sign(kInfinityF32, of.sign);
  return from_sum<kRcpTerms>(interpolate<kRcpTerms>(kRcpSegments, 0, of.fraction), -of.exponent, of.sign);
}
/// An even exponent uses the first half of the table, an odd one the second.
HEDDLE_INLINE float mufu_rsq(float x) {
  const Parts of = parts_of(x);
  if (x != x) return kNanF32;
  if (of.exponent == -127) return with_sign(kInfinityF32, of.sign);
  if (of.sign != 0) return kNanF32;
  if (of.exponent == 128) return 0.0f;
  const unsigned odd = static_cast<unsigned>(of.exponent) & 1u;
  const int half = (of.exponent - static_cast<int>(odd)) / 2;
  if (odd == 0 && of.fraction == 0) return from_bits(static_cast<std::uint32_t>(127 - half) << kFractionBits);
  return from_sum<kRsqTerms>(interpolate<kRsqTerms>(kRsqSegments, odd, of.fraction), -half, 0);
}
HEDDLE_INLINE float mufu_sqrt(float x) {
  const Parts of = parts_of(x);
  if (x != x) return kNanF32;
  if (of.exponent == -127) return from_bits(of.sign);
  if (of.sign != 0) return kNanF32;
  if (of.exponent == 128) return x;
  const unsigned odd = static_cast<unsigned>(of.exponent) & 1u;
  return from_sum<kSqrtTerms>(interpolate<kSqrtTerms>(kSqrtSegments, odd, of.fraction),
                              (of.exponent - static_cast<int>(odd)) / 2, 0);
}
/// The operand becomes a fixed-point number with 23 bits behind the point, cut off. Its complement is that of a negative one.
HEDDLE_INLINE float mufu_ex2(float x) {
  const Parts of = parts_of(x);
  if (x != x) return kNanF32;
  if (of.exponent >= 8) return of.sign != 0 ? 0.0f : kInfinityF32;
  const std::uint32_t significand = of.fraction | 1u << kFractionBits;
  std::uint32_t fixed = of.exponent >= 0    ? significand << of.exponent
                        : of.exponent > -24 ? significand >> -of.exponent
                                            : 0u;
  int whole = static_cast<int>(fixed >> kFractionBits);
  fixed &= kFraction;
  if (of.sign != 0) {
    whole = -whole;
    if (fixed != 0) {
      fixed = ~fixed & kFraction;
      --whole;
    }
  }
  return from_sum<kEx2Terms>(interpolate<kEx2Terms>(kEx2Segments, 0, fixed), whole, 0);
}
/// The sum with the exponent loses its 20 lowest bits.
HEDDLE_INLINE float mufu_lg2(float x) {
  const Parts of = parts_of(x);
  if (x != x) return kNanF32;
  if (of.exponent == -127) return -kInfinityF32;
  if (of.sign != 0) return kNanF32;
  if (of.exponent == 128) return x;
  if (of.exponent == 0 && of.fraction == 0) return 0.0f;
  const auto sum = static_cast<std::int64_t>(interpolate<kLg2Terms>(kLg2Segments, 0, of.fraction)) +
                   (static_cast<std::int64_t>(of.exponent) << kLg2Terms.weight);
  constexpr std::uint64_t kKept = ~std::uint64_t{0} << 20;
  const std::uint64_t size = static_cast<std::uint64_t>(sum < 0 ? -sum : sum) & kKept;
  return from_sum<kLg2Terms>(size, 0, of.exponent < 0 ? FloatFormat<float>::kSign : 0u);
}
/// Of revolutions: a quarter of one has 23 bits, cut off. The cosine is the sine a quarter later.
HEDDLE_INLINE float mufu_sine(float x, bool cosine) {
  const Parts of = parts_of(x);
  if (of.exponent == 128) return kNanF32;
  const std::uint64_t significand = of.fraction | 1u << kFractionBits;
  const int shift = of.exponent + 2;
  std::uint64_t quarters = 0;
  if (of.exponent != -127 && shift > -24)
    quarters = shift >= 0 ? shift < 40 ? significand << shift : 0u : significand >> -shift;
  const auto quadrant = static_cast<unsigned>(quarters >> kFractionBits);
  const auto fraction = static_cast<std::uint32_t>(quarters) & kFraction;
  const bool falls = ((quadrant & 1u) != 0) != cosine;
  const bool negative = (((quadrant + (cosine ? 1u : 0u)) & 2u) != 0) != (!cosine && of.sign != 0);
  const std::uint32_t sign = negative ? FloatFormat<float>::kSign : 0u;
  return from_sum<kSinTerms>(
      interpolate<kSinTerms>(kSinSegments, 0, falls ? ~fraction & kFraction : fraction), 0, sign);
}

}  // namespace
}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
