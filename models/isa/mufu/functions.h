// MUFU's functions, of bits. Straight-line code: loops over lanes become vector code. README.md describes the hardware.
//
// Internal linkage: the lane functions, which are built for several x86-64 levels, include this as well as mufu.cpp
// (lane/lanes.h says why).
#pragma once

#include <cstdint>

#include "isa/mufu/tables.h"

namespace heddle::isa::mufu {
namespace {

#define HEDDLE_MUFU [[gnu::always_inline]] inline

constexpr std::uint32_t kSign = 0x8000'0000u;
constexpr std::uint32_t kInfinity = 0x7f80'0000u;
constexpr std::uint32_t kNan = 0x7fff'ffffu;
constexpr std::uint32_t kOne = 0x3f80'0000u;
constexpr std::uint32_t kHiddenBit = 0x0080'0000u;  // also the bits of the least normal number
constexpr std::uint32_t kFraction = 0x007f'ffffu;
constexpr unsigned kFractionBits = 23;
constexpr std::uint32_t kLowMask = 0x1'ffffu;  // x, the bits that do not choose the segment

HEDDLE_MUFU std::uint32_t exponent_of(std::uint32_t bits) { return (bits >> kFractionBits) & 0xffu; }
HEDDLE_MUFU bool is_nan(std::uint32_t bits) { return (bits & ~kSign) > kInfinity; }

/// x * x of 17 bits without the partial products in columns below 2^19, in units of 2^19.
HEDDLE_MUFU std::uint32_t square(std::uint32_t x) {
  const std::uint32_t high = x >> 9;
  std::uint32_t sum = (high * high) >> 1;
  for (unsigned i = 1; i < 9; ++i) sum += (0u - ((x >> i) & 1u)) & (high >> (9 - i));
  return sum;
}

/// Alignment of the terms of a sum.
struct Terms {
  unsigned c0_shift;
  unsigned c2_shift;
  std::int64_t rounding;  ///< added before the lower bits are cut off
};
constexpr Terms kRcpTerms{13, 0, 0x47e7};
constexpr Terms kRsqTerms{14, 2, 0x7fff};
constexpr std::int64_t kSqrtRounding = 0x7fff;
constexpr Terms kEx2Terms{13, 0, 0x77e2};
constexpr Terms kLg2Terms{12, 1, 0x3345};
constexpr Terms kSinTerms{11, 0, 0};
constexpr Terms kTanhTerms{15, 1, 0};

HEDDLE_MUFU std::int64_t interpolate(const Segment& of, std::uint32_t x, std::uint32_t squared, Terms terms) {
  const std::int64_t c2 = of.c2 * static_cast<std::int32_t>(squared);
  return (static_cast<std::int64_t>(of.c0) << terms.c0_shift) +
         static_cast<std::int64_t>(of.c1) * static_cast<std::int32_t>(x) +
         c2 * (std::int64_t{1} << terms.c2_shift) + terms.rounding;
}

/// A significand with 23 bits behind the point, 1 to 2, and a biased exponent, which may be out of range.
HEDDLE_MUFU std::uint32_t compose(std::int32_t exponent, std::uint32_t significand) {
  return (static_cast<std::uint32_t>(exponent) << kFractionBits) + significand - kHiddenBit;
}
/// What is less than the least normal number becomes 0.
HEDDLE_MUFU std::uint32_t flushed(std::uint32_t composed) {
  return static_cast<std::int32_t>(composed) < static_cast<std::int32_t>(kHiddenBit) ? 0u : composed;
}
/// Bits of value / 2^weight, cut off. 0 <= value < 2^52.
HEDDLE_MUFU std::uint32_t normalized(std::int64_t value, std::uint32_t weight) {
  constexpr std::uint64_t kTwo52 = 0x4330'0000'0000'0000u;
  const double wide =
      __builtin_bit_cast(double, static_cast<std::uint64_t>(value) | kTwo52) - 0x1p52;  // exact
  const std::uint64_t exponent_difference = std::uint64_t{1023 - 127 + weight} << kFractionBits;
  const auto bits =
      static_cast<std::uint32_t>((__builtin_bit_cast(std::uint64_t, wide) >> 29) - exponent_difference);
  return value == 0 ? 0u : bits;
}

/// Significand of the reciprocal of 1.fraction, 1 to 2 for 1/2 to 1.
HEDDLE_MUFU std::uint32_t rcp_significand(std::uint32_t fraction) {
  const std::uint32_t x = fraction & 0xffffu;
  const std::int64_t sum = interpolate(kRcpSegments[fraction >> 16], x, square(x << 1), kRcpTerms);
  return static_cast<std::uint32_t>(sum >> 15);
}
/// Of the reciprocal root of a number in [1, 4) whose lowest exponent bit is above its fraction; 1 to 2 for 1/2 to 1.
HEDDLE_MUFU std::uint32_t rsq_significand(std::uint32_t odd_and_fraction) {
  const std::uint32_t x = odd_and_fraction & kLowMask;
  const std::int64_t sum = interpolate(kRsqSegments[odd_and_fraction >> 17], x, square(x), kRsqTerms);
  return odd_and_fraction == 0 ? 2 * kHiddenBit : static_cast<std::uint32_t>(sum >> 16);
}

HEDDLE_MUFU std::uint32_t rcp(std::uint32_t bits) {
  const std::uint32_t sign = bits & kSign, exponent = exponent_of(bits);
  const std::uint32_t value =
      flushed(compose(253 - static_cast<std::int32_t>(exponent), rcp_significand(bits & kFraction)));
  const std::uint32_t number = exponent == 0 ? kInfinity : exponent == 255 ? 0u : value;
  return is_nan(bits) ? kNan : sign | number;
}

/// The unbiased exponent's lowest bit, above the fraction.
HEDDLE_MUFU std::uint32_t odd_and_fraction(std::uint32_t bits) {
  return (bits & kFraction) | (((bits >> kFractionBits) + 1) & 1u) << kFractionBits;
}
HEDDLE_MUFU std::int32_t half_exponent(std::uint32_t bits) {
  return (static_cast<std::int32_t>(exponent_of(bits)) - 127) >> 1;
}

HEDDLE_MUFU std::uint32_t rsq(std::uint32_t bits) {
  const std::uint32_t value = compose(126 - half_exponent(bits), rsq_significand(odd_and_fraction(bits)));
  const std::uint32_t positive = bits == kInfinity ? 0u : value;
  const std::uint32_t number = (bits & kSign) != 0 ? kNan : positive;
  return is_nan(bits) ? kNan : exponent_of(bits) == 0 ? (bits & kSign) | kInfinity : number;
}

HEDDLE_MUFU std::uint32_t sqrt(std::uint32_t bits) {
  const std::uint32_t argument = odd_and_fraction(bits), x = argument & kLowMask;
  const Segment& of = kSqrtSegments[argument >> 17];
  const std::uint32_t even = 1u - (argument >> kFractionBits);  // one bit more behind the point in [1, 2)
  const std::int64_t c2 = of.c2 * static_cast<std::int32_t>(square(x)) * (std::int32_t{1} << even);
  const std::int64_t sum = (static_cast<std::int64_t>(of.c0) << (14 + even)) +
                           static_cast<std::int64_t>(of.c1) * static_cast<std::int32_t>(x) + c2 +
                           kSqrtRounding;
  const auto significand = static_cast<std::uint32_t>(static_cast<std::uint64_t>(sum) >> (16 + even));
  const std::uint32_t value = compose(127 + half_exponent(bits), argument == 0 ? kHiddenBit : significand);
  const std::uint32_t positive = bits == kInfinity ? kInfinity : value;
  const std::uint32_t number = (bits & kSign) != 0 ? kNan : positive;
  return is_nan(bits) ? kNan : exponent_of(bits) == 0 ? bits & kSign : number;
}

/// |bits| times 2^shift as a fixed-point number with 23 bits behind the point, cut off; its upper bits are lost.
HEDDLE_MUFU std::uint32_t fixed_point(std::uint32_t bits, std::int32_t shift) {
  const std::uint32_t significand = (bits & kFraction) | kHiddenBit;
  const std::int32_t by = static_cast<std::int32_t>(exponent_of(bits)) - 127 + shift;
  const std::int32_t left = by < 0 ? 0 : by > 31 ? 31 : by;
  const std::int32_t right = by > 0 ? 0 : by < -31 ? 31 : -by;
  return (significand << left) >> right;
}

HEDDLE_MUFU std::uint32_t ex2(std::uint32_t bits) {
  const bool negative = (bits & kSign) != 0, small = exponent_of(bits) < 127 + 7;  // |x| < 128
  const std::uint32_t size = fixed_point(small ? bits : 0u, 0);
  // The ones' complement stands for a negative number, except where its fraction is 0.
  const std::uint32_t fixed = !negative ? size : (size & kFraction) == 0 ? 0u - size : ~size;
  const std::uint32_t fraction = fixed & kFraction, x = fraction & kLowMask;
  const std::int64_t sum = interpolate(kEx2Segments[fraction >> 17], x, square(x), kEx2Terms);
  const std::int32_t exponent = 127 + (static_cast<std::int32_t>(fixed) >> kFractionBits);
  const std::uint32_t value = flushed(compose(exponent, static_cast<std::uint32_t>(sum >> 15)));
  const std::uint32_t number = small ? value : negative ? 0u : kInfinity;
  return is_nan(bits) ? kNan : number;
}

HEDDLE_MUFU std::uint32_t lg2(std::uint32_t bits) {
  const std::uint32_t fraction = bits & kFraction, x = fraction & kLowMask;
  const std::int64_t sum = interpolate(kLg2Segments[fraction >> 17], x, square(x), kLg2Terms) >> 2;
  const std::int64_t fixed =
      sum + (static_cast<std::int64_t>(exponent_of(bits)) - 127) * (std::int64_t{1} << 36);
  const std::uint32_t value = normalized(fixed < 0 ? ~fixed : fixed, 36) | (fixed < 0 ? kSign : 0u);
  const std::uint32_t finite = bits == kOne ? 0u : value;
  const std::uint32_t positive = bits == kInfinity ? kInfinity : finite;
  const std::uint32_t number = (bits & kSign) != 0 ? kNan : positive;
  return is_nan(bits) ? kNan : exponent_of(bits) == 0 ? kSign | kInfinity : number;
}

/// Of revolutions. The cosine is the sine of |x| and a quarter more.
template <bool cosine>
HEDDLE_MUFU std::uint32_t sine(std::uint32_t bits) {
  const std::uint32_t quarters = fixed_point(bits, 2);
  const std::uint32_t quadrant = (quarters >> kFractionBits) + (cosine ? 1u : 0u);
  const std::uint32_t fraction = ((quadrant & 1u) != 0 ? ~quarters : quarters) & kFraction,
                      x = fraction & kLowMask;
  const std::int64_t sum = interpolate(kSinSegments[fraction >> 17], x, square(x), kSinTerms);
  const std::uint32_t sign = (cosine ? 0u : bits & kSign) ^ ((quadrant >> 1) & 1u) << 31;
  return exponent_of(bits) == 255 ? kNan : sign | normalized(sum, 37);
}

HEDDLE_MUFU std::uint32_t tanh(std::uint32_t bits) {
  const std::uint32_t exponent = exponent_of(bits), fraction = bits & kFraction;
  const bool inside = exponent >= kTanhFirstExponent && exponent < kTanhOneExponent;
  const TanhBinade& binade = kTanhBinades[inside ? exponent - kTanhFirstExponent : 0u];
  const std::uint32_t x = (fraction >> (6 - binade.index_bits)) & kLowMask;  // the lowest bits do not count
  const Segment& of = kTanhSegments[binade.first + (fraction >> (kFractionBits - binade.index_bits))];
  const std::uint32_t value = normalized(interpolate(of, x, square(x), kTanhTerms), binade.weight);
  const std::uint32_t outside = exponent < kTanhFirstExponent ? bits & ~kSign : kOne;
  return is_nan(bits) ? kNan : (bits & kSign) | (inside ? value : outside);
}

// The high word of an f64: its fraction goes through the tables of f32, and the result's is cut off.
constexpr unsigned kHighFractionBits = 20;
constexpr std::uint32_t kHighFraction = (1u << kHighFractionBits) - 1;
constexpr std::uint32_t kHighInfinity = 0x7ff0'0000u;
constexpr unsigned kLostBits = kFractionBits - kHighFractionBits;

HEDDLE_MUFU std::int32_t high_exponent(std::uint32_t bits) {
  return static_cast<std::int32_t>((bits & ~kSign) >> kHighFractionBits);
}
HEDDLE_MUFU std::uint32_t compose_high(std::int32_t exponent, std::uint32_t significand) {
  const std::uint32_t composed =
      (static_cast<std::uint32_t>(exponent) << kHighFractionBits) + ((significand - kHiddenBit) >> kLostBits);
  return static_cast<std::int32_t>(composed) < (1 << kHighFractionBits) ? 0u : composed;
}
HEDDLE_MUFU std::uint32_t rcp64h(std::uint32_t bits) {
  const std::int32_t exponent = high_exponent(bits);
  const std::uint32_t value =
      compose_high(2045 - exponent, rcp_significand((bits & kHighFraction) << kLostBits));
  const std::uint32_t number = exponent == 0 ? kHighInfinity : exponent == 2047 ? 0u : value;
  return (bits & ~kSign) > kHighInfinity ? kNan : (bits & kSign) | number;
}
HEDDLE_MUFU std::uint32_t rsq64h(std::uint32_t bits) {
  const std::int32_t exponent = high_exponent(bits) - 1023;
  const std::uint32_t argument =
      (bits & kHighFraction) << kLostBits | (static_cast<std::uint32_t>(exponent) & 1u) << kFractionBits;
  const std::uint32_t value = compose_high(1022 - (exponent >> 1), rsq_significand(argument));
  const std::uint32_t positive = bits == kHighInfinity ? 0u : value;
  const std::uint32_t number = (bits & kSign) != 0 ? kNan : positive;
  return (bits & ~kSign) > kHighInfinity ? kNan : exponent == -1023 ? (bits & kSign) | kHighInfinity : number;
}

// f16 is computed as f32, and the result cut off; 65536 and more is infinite.
HEDDLE_MUFU std::uint32_t from_half(std::uint32_t half) {
  const std::uint32_t exponent = (half >> 10) & 0x1fu, fraction = half & 0x3ffu;
  const std::uint32_t normal = (exponent + 112) << kFractionBits | fraction << 13;
  const auto subnormal =
      __builtin_bit_cast(std::uint32_t, static_cast<float>(static_cast<std::int32_t>(fraction)) * 0x1p-24f);
  const std::uint32_t special = kInfinity | fraction << 13;
  return (half & 0x8000u) << 16 | (exponent == 0 ? subnormal : exponent == 31 ? special : normal);
}
HEDDLE_MUFU std::uint32_t to_half(std::uint32_t bits) {
  const std::uint32_t exponent = exponent_of(bits);
  const std::uint32_t normal = ((bits & ~kSign) - (112u << kFractionBits)) >> 13;
  const std::uint32_t by = exponent < 95 ? 31u : 126u - exponent;
  const std::uint32_t subnormal = ((bits & kFraction) | kHiddenBit) >> (by & 31u);
  const std::uint32_t finite = exponent > 112 ? normal : subnormal;
  return is_nan(bits) ? 0x7fffu : (bits >> 16 & 0x8000u) | (exponent > 142 ? 0x7c00u : finite);
}
HEDDLE_MUFU std::uint32_t ex2_half(std::uint32_t half) { return to_half(ex2(from_half(half & 0xffffu))); }
HEDDLE_MUFU std::uint32_t tanh_half(std::uint32_t half) { return to_half(tanh(from_half(half & 0xffffu))); }

}  // namespace
}  // namespace heddle::isa::mufu
