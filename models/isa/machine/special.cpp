// MUFU. TANH and the f16 forms are not known to the last bit: they are correctly rounded, those of EX2 twice.
#include "isa/lane/half.h"
#include "isa/lane/special_functions.h"
#include "isa/machine/interpolator.h"
#include "isa/machine/sources.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

constexpr unsigned kHighFractionBits = 20;  // of f64, in its high word
constexpr int kWideBias = 1023;

/// RCP64H and RSQ64H: the fraction goes through the tables of f32, and the result's is cut off.
struct WideParts {
  std::uint32_t sign;
  int exponent;  // unbiased
  std::uint32_t fraction;
};
HEDDLE_INLINE WideParts wide_parts(std::uint32_t high) {
  return {high & FloatFormat<float>::kSign,
          static_cast<int>((high >> kHighFractionBits) & 0x7ffu) - kWideBias,
          high & ((1u << kHighFractionBits) - 1u)};
}
/// The high word of `significand`, an f32 in [0.25, 2], times 2^exponent.
HEDDLE_INLINE std::uint32_t wide_word(float significand, int exponent, std::uint32_t sign) {
  const Parts of = parts_of(significand);
  const int biased = exponent + of.exponent + kWideBias;
  if (biased <= 0) return sign;
  return sign | static_cast<std::uint32_t>(biased) << kHighFractionBits |
         of.fraction >> (kFractionBits - kHighFractionBits);
}
constexpr std::uint32_t kWideInfinity = 0x7ffu << kHighFractionBits;
HEDDLE_INLINE float f32_of_fraction(std::uint32_t fraction, unsigned exponent) {
  return from_bits((127u + exponent) << kFractionBits | fraction << (kFractionBits - kHighFractionBits));
}
HEDDLE_INLINE std::uint32_t rcp64h(std::uint32_t high) {
  const WideParts of = wide_parts(high);
  if (of.exponent == kWideBias + 1) return of.fraction != 0 ? FloatFormat<float>::kNan : of.sign;
  if (of.exponent == -kWideBias) return of.sign | kWideInfinity;
  return wide_word(mufu_rcp(f32_of_fraction(of.fraction, 0)), -of.exponent, of.sign);
}
HEDDLE_INLINE std::uint32_t rsq64h(std::uint32_t high) {
  const WideParts of = wide_parts(high);
  if (of.exponent == kWideBias + 1 && of.fraction != 0) return FloatFormat<float>::kNan;
  if (of.exponent == -kWideBias) return of.sign | kWideInfinity;
  if (of.sign != 0) return FloatFormat<float>::kNan;
  if (of.exponent == kWideBias + 1) return 0;
  const unsigned odd = static_cast<unsigned>(of.exponent) & 1u;
  return wide_word(mufu_rsq(f32_of_fraction(of.fraction, odd)), -(of.exponent - static_cast<int>(odd)) / 2,
                   0);
}

template <SpecialFunction function>
HEDDLE_INLINE std::uint32_t special_function(std::uint32_t bits) {
  const float x = from_bits(bits);
  switch (function) {
    case SpecialFunction::kCos:
      return bits_of(mufu_sine(x, true));
    case SpecialFunction::kSin:
      return bits_of(mufu_sine(x, false));
    case SpecialFunction::kEx2:
      return bits_of(mufu_ex2(x));
    case SpecialFunction::kLg2:
      return bits_of(mufu_lg2(x));
    case SpecialFunction::kRcp:
      return bits_of(mufu_rcp(x));
    case SpecialFunction::kRsq:
      return bits_of(mufu_rsq(x));
    case SpecialFunction::kRcp64h:
      return rcp64h(bits);
    case SpecialFunction::kRsq64h:
      return rsq64h(bits);
    case SpecialFunction::kSqrt:
      return bits_of(mufu_sqrt(x));
    case SpecialFunction::kTanh:
      return bits_of(canonical(tanh_approx(x)));
  }
  return bits;
}
template <SpecialFunction function>
void special_functions(const LaneArgs& args) {
  const auto* a = source<U32>(args, 0);
  const Sign<std::uint32_t> sign = sign_of<std::uint32_t>(args, 0);
  alignas(64) std::uint32_t values[32];
  for (unsigned i = 0; i < 32; ++i) values[i] = special_function<function>(sign.apply(a[i]));
  const std::uint32_t* results = values;
  each_lane<U32>(args, [=](unsigned i) { return results[i]; });
}

template <bool tanh>
void half_functions(const LaneArgs& args) {
  const auto* a = source<U32>(args, 0);
  const Sign<std::uint32_t> sign = sign_of<std::uint32_t>(args, 0);
  alignas(64) std::uint32_t values[32];
  for (unsigned i = 0; i < 32; ++i) {
    const auto x = static_cast<float>(half_to_double(sign.apply(a[i] << 16) >> 16));
    values[i] = double_to_half<Rounding::kRn>(tanh ? tanh_wide(x) : static_cast<double>(mufu_ex2(x)));
  }
  const std::uint32_t* results = values;
  each_lane<U32>(args, [=](unsigned i) { return results[i]; });
}

}  // namespace

LaneFn find_machine_special(const MachineSpec& spec) {
  if (spec.op != MachineOp::kSpecialFunction) return nullptr;
  if (spec.type == Type::kF16) {
    if (spec.function == SpecialFunction::kEx2) return half_functions<false>;
    return spec.function == SpecialFunction::kTanh ? half_functions<true> : nullptr;
  }
  if (spec.type != Type::kF32) return nullptr;
  switch (spec.function) {
    case SpecialFunction::kCos:
      return special_functions<SpecialFunction::kCos>;
    case SpecialFunction::kSin:
      return special_functions<SpecialFunction::kSin>;
    case SpecialFunction::kEx2:
      return special_functions<SpecialFunction::kEx2>;
    case SpecialFunction::kLg2:
      return special_functions<SpecialFunction::kLg2>;
    case SpecialFunction::kRcp:
      return special_functions<SpecialFunction::kRcp>;
    case SpecialFunction::kRsq:
      return special_functions<SpecialFunction::kRsq>;
    case SpecialFunction::kRcp64h:
      return special_functions<SpecialFunction::kRcp64h>;
    case SpecialFunction::kRsq64h:
      return special_functions<SpecialFunction::kRsq64h>;
    case SpecialFunction::kSqrt:
      return special_functions<SpecialFunction::kSqrt>;
    case SpecialFunction::kTanh:
      return special_functions<SpecialFunction::kTanh>;
  }
  return nullptr;
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
