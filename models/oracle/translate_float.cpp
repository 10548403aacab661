// f32 and f64 instructions (PTX ISA "Floating Point Instructions").
//
// Approximate functions are computed in double precision and rounded once to single, which is within the
// accuracy PTX states for every one of them; division and square root are then correctly rounded.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "oracle/bits.h"
#include "oracle/builder.h"
#include "oracle/rounding.h"

namespace heddle::oracle {

namespace {

void take_float_type(Builder& b) {
  b.step.type = b.take_type();
  if (b.step.type != Type::kF32 && b.step.type != Type::kF64) b.refuse();
}

void take_rounding(Builder& b) {
  if (const auto mode = b.take_choice<Rounding>({{"rn", Rounding::kNearest},
                                                 {"rz", Rounding::kZero},
                                                 {"rm", Rounding::kDown},
                                                 {"rp", Rounding::kUp}}))
    b.step.rounding = *mode;
}

/// .ftz and .sat exist for f32 only.
void take_single_modifiers(Builder& b, bool saturates) {
  b.step.ftz = b.take("ftz");
  b.step.sat = saturates && b.take("sat");
  if (b.step.type == Type::kF64 && (b.step.ftz || b.step.sat)) b.refuse();
}

template <class F>
F input(const Step& s, std::uint64_t bits) {
  const F value = value_of<F>(bits);
  if constexpr (std::is_same_v<F, float>)
    if (s.ftz) return flushed(value);
  (void)s;
  return value;
}

/// Quiet, of its own sign and payload.
std::uint64_t quieted(double nan) { return bits_of(nan) | 0x0008'0000'0000'0000ull; }

template <class F>
std::uint64_t output(const Step& s, F value) {
  if constexpr (std::is_same_v<F, float>) {
    if (s.ftz) value = flushed(value);
    if (s.sat) value = value > 0.0f ? std::fmin(value, 1.0f) : 0.0f;  // NaN and -0 become +0
  }
  (void)s;
  return float_result(value);
}

/// f64: the first NaN of the list gives the result. PTX leaves it open; callers list the operands as an H200 prefers them.
template <class F>
std::uint64_t output_of(const Step& s, F value, std::initializer_list<F> operands) {
  if constexpr (std::is_same_v<F, double>)
    for (const double operand : operands)
      if (std::isnan(operand)) return quieted(operand);
  return output(s, value);
}

__extension__ using Exact = __float128;

/// .ftz: zero instead of what is below the least normal number after rounding to 24 bits with an unbounded exponent, under
/// which the last place there is 2^-150 (measured on an H200). The value before rounding is `term` + `addend`; the latter
/// is at most 2^-77 where the sum is so small. A quotient, which is rounded here, is never between the border and 2^-126.
template <class F>
F flushed_if_tiny(const Step& s, F rounded, Exact term, Exact addend = 0) {
  if (!s.ftz || std::fabs(rounded) != std::numeric_limits<F>::min()) return rounded;
  const bool negative = std::signbit(rounded);
  const Exact least = std::numeric_limits<F>::min();
  const Exact place = least / 16'777'216;
  const bool away = s.rounding == (negative ? Rounding::kDown : Rounding::kUp);
  const Exact first = negative ? -term : term;
  const Exact second =
      negative ? -addend : addend;  // the differences below are exact, a sum with `first` may not be
  const bool tiny = away                               ? first <= least - place - second
                    : s.rounding == Rounding::kNearest ? first < least - place / 2 - second
                                                       : first < least - second;
  return tiny ? std::copysign(F{0}, rounded) : rounded;
}

enum class Op { kAdd, kSub, kMul, kFma };

template <Op kOp>
void arithmetic(Builder& b) {
  take_float_type(b);
  take_rounding(b);
  take_single_modifiers(b, true);
  b.uniform_operands(kOp == Op::kFma ? 3 : 2);
  b.step.eval = for_float(b.step.type, []<class F>() -> Eval {
    return [](const Step& s, Inputs in) {
      const F a = input<F>(s, in[0]);
      const F c = input<F>(s, in[1]);
      switch (kOp) {
        case Op::kAdd:
          return output_of(s, rounded_add(a, c, s.rounding), {c, a});
        case Op::kSub:
          return output_of(s, rounded_add(a, -c, s.rounding), {c, a});
        case Op::kMul:
          return output_of(s, flushed_if_tiny(s, rounded_mul(a, c, s.rounding), Exact{a} * Exact{c}), {c, a});
        case Op::kFma: {
          const F d = input<F>(s, in[kOp == Op::kFma ? 2 : 0]);
          const F result = rounded_fma(a, c, d, s.rounding);
          return output_of(s, flushed_if_tiny(s, result, Exact{a} * Exact{c}, Exact{d}), {c, d, a});
        }
      }
      return std::uint64_t{0};
    };
  });
}

/// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64: only the upper 32 bits of operand and result count (PTX ISA).
template <bool kRoot>
void coarse(Builder& b) {
  if (!b.take("ftz")) b.refuse();
  b.uniform_operands(1);
  b.step.eval = [](const Step&, Inputs in) {
    constexpr std::uint64_t kUpper = 0xffff'ffff'0000'0000ull;
    double a = value_of<double>(in[0] & kUpper);
    if (std::fpclassify(a) == FP_SUBNORMAL) a = std::copysign(0.0, a);
    double result = kRoot ? 1.0 / std::sqrt(a) : 1.0 / a;
    if (std::fpclassify(result) == FP_SUBNORMAL) result = std::copysign(0.0, result);
    return float_result(result) & kUpper;
  };
}

enum class Divide { kDiv, kRcp, kSqrt };

/// div, rcp, sqrt: .rn/.rz/.rm/.rp, or .approx (.full) for f32.
template <Divide kWhat>
void divide(Builder& b) {
  take_float_type(b);
  if (b.step.type == Type::kF64 && kWhat == Divide::kRcp && b.take("approx")) return coarse<false>(b);
  const bool approximate = b.take("approx") || (kWhat == Divide::kDiv && b.take("full"));
  if (approximate && b.step.type == Type::kF64) b.refuse();
  if (!approximate) take_rounding(b);
  take_single_modifiers(b, false);
  b.uniform_operands(kWhat == Divide::kDiv ? 2 : 1);
  b.step.eval = for_float(b.step.type, []<class F>() -> Eval {
    return [](const Step& s, Inputs in) {
      const F a = input<F>(s, in[0]);
      switch (kWhat) {
        case Divide::kDiv: {
          const F c = input<F>(s, in[kWhat == Divide::kDiv ? 1 : 0]);
          return output_of(s, flushed_if_tiny(s, rounded_div(a, c, s.rounding), Exact{a} / Exact{c}), {a, c});
        }
        case Divide::kRcp:
          return output_of(s, flushed_if_tiny(s, rounded_div(F{1}, a, s.rounding), Exact{1} / Exact{a}), {a});
        case Divide::kSqrt:
          return output_of(s, rounded_sqrt(a, s.rounding), {a});
      }
      return std::uint64_t{0};
    };
  });
}

double reciprocal_root(double a) { return 1.0 / std::sqrt(a); }
double sine(double a) { return std::sin(a); }
double cosine(double a) { return std::cos(a); }
double log_two(double a) { return std::log2(a); }
double power_of_two(double a) { return std::exp2(a); }
double hyperbolic_tangent(double a) { return std::tanh(a); }

template <double (*kFunction)(double)>
void approximate(Builder& b) {
  take_float_type(b);
  if (!b.take("approx")) b.refuse();
  const bool double_root = kFunction == reciprocal_root && b.step.type == Type::kF64;
  if (b.step.type == Type::kF64 && !double_root) b.refuse();
  if (double_root && std::find(b.modifiers().begin(), b.modifiers().end(), "ftz") != b.modifiers().end())
    return coarse<true>(b);
  take_single_modifiers(b, false);
  b.uniform_operands(1);
  b.step.eval = for_float(b.step.type, []<class F>() -> Eval {
    return [](const Step& s, Inputs in) {
      return output(s, static_cast<F>(kFunction(static_cast<double>(input<F>(s, in[0])))));
    };
  });
}

/// -0 is less than +0; a NaN operand yields the other operand unless .NaN asks for NaN.
template <bool kMax>
void float_min_or_max(Builder& b) {
  take_float_type(b);
  take_single_modifiers(b, false);
  b.step.flag = b.take("NaN");
  b.uniform_operands(2);
  b.step.eval = for_float(b.step.type, []<class F>() -> Eval {
    return [](const Step& s, Inputs in) -> std::uint64_t {
      const F a = input<F>(s, in[0]);
      const F c = input<F>(s, in[1]);
      if (std::isnan(a) || std::isnan(c)) {
        if (s.flag) return float_result(std::numeric_limits<F>::quiet_NaN());
        if (std::isnan(a) && std::isnan(c))
          return output_of(s, c, {c});  // f64: the second (measured on an H200)
        return float_result(std::isnan(a) ? c : a);
      }
      if (a == c) return bits_of(std::signbit(a) == kMax ? c : a);
      return bits_of((kMax ? a > c : a < c) ? a : c);
    };
  });
}

/// NaNs are results like those of arithmetic: they do not change their sign (measured on an H200).
template <bool kAbs>
void sign(Builder& b) {
  take_float_type(b);
  take_single_modifiers(b, false);
  b.uniform_operands(1);
  b.step.eval = for_float(b.step.type, []<class F>() -> Eval {
    return [](const Step& s, Inputs in) {
      const F a = input<F>(s, in[0]);
      if (std::isnan(a)) return output_of(s, a, {a});
      return bits_of(kAbs ? std::fabs(a) : -a);
    };
  });
}

void copy_sign(Builder& b) {
  take_float_type(b);
  b.uniform_operands(2);
  b.step.eval = [](const Step& s, Inputs in) {
    // copysign d, a, b: the sign of a on b.
    const std::uint64_t top = std::uint64_t{1} << (type_bits(s.type) - 1);
    return (in[0] & top) | (in[1] & (top - 1));
  };
}

enum : std::uint8_t { kFinite, kInfinite, kNumber, kNotANumber, kNormal, kSubnormal };

void test_property(Builder& b) {
  const auto property = b.take_choice<std::uint8_t>({{"finite", kFinite},
                                                     {"infinite", kInfinite},
                                                     {"number", kNumber},
                                                     {"notanumber", kNotANumber},
                                                     {"normal", kNormal},
                                                     {"subnormal", kSubnormal}});
  if (!property) b.refuse();
  b.step.selector = *property;
  take_float_type(b);
  b.expect_operands(2, 2);
  b.target(0, Type::kPred);
  b.source(1, b.step.type);
  b.step.eval = for_float(b.step.type, []<class F>() -> Eval {
    return [](const Step& s, Inputs in) -> std::uint64_t {
      const F a = value_of<F>(in[0]);
      switch (s.selector) {
        case kFinite:
          return std::isfinite(a);
        case kInfinite:
          return std::isinf(a);
        case kNumber:
          return !std::isnan(a);
        case kNotANumber:
          return std::isnan(a);
        // Zeros count as normal numbers (PTX ISA, testp).
        case kNormal:
          return std::isnormal(a) || a == F{0};
        default:
          return std::fpclassify(a) == FP_SUBNORMAL;
      }
    };
  });
}

}  // namespace

Handlers float_handlers() {
  return {{"add", arithmetic<Op::kAdd>},
          {"sub", arithmetic<Op::kSub>},
          {"mul", arithmetic<Op::kMul>},
          {"fma", arithmetic<Op::kFma>},
          {"mad", arithmetic<Op::kFma>},
          {"div", divide<Divide::kDiv>},
          {"rcp", divide<Divide::kRcp>},
          {"sqrt", divide<Divide::kSqrt>},
          {"rsqrt", approximate<reciprocal_root>},
          {"sin", approximate<sine>},
          {"cos", approximate<cosine>},
          {"lg2", approximate<log_two>},
          {"ex2", approximate<power_of_two>},
          {"tanh", approximate<hyperbolic_tangent>},
          {"min", float_min_or_max<false>},
          {"max", float_min_or_max<true>},
          {"abs", sign<true>},
          {"neg", sign<false>},
          {"copysign", copy_sign},
          {"testp", test_property}};
}

}  // namespace heddle::oracle
