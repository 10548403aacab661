// f16 and f16x2 arithmetic (PTX ISA "Half Precision Floating Point Instructions"). Comparisons and
// conversions are in the files for other types.
//
// An instruction is implemented for one half; f16x2 applies it to both.
#include <algorithm>
#include <cmath>

#include "oracle/bits.h"
#include "oracle/builder.h"
#include "oracle/half.h"

namespace heddle::oracle {

namespace {

using HalfEval = Half (*)(const Step&, const Half*);

void take_half_type(Builder& b) {
  b.step.type = b.take_type();
  if (b.step.type != Type::kF16 && b.step.type != Type::kF16x2) b.refuse();
}

Half output(const Step& s, Half value) {
  if (is_nan(value)) value = {kHalfNan};
  if (s.ftz) value = flushed(value);
  if (s.flag && std::signbit(to_double(value)) && !is_nan(value)) value = {0};  // .relu
  return s.sat ? saturated(value) : value;
}

template <HalfEval kFunction, unsigned kOperands>
std::uint64_t each_half(const Step& s, Inputs in) {
  std::uint64_t result = 0;
  const unsigned halves = s.type == Type::kF16x2 ? 2 : 1;
  for (unsigned i = 0; i < halves; ++i) {
    std::array<Half, kOperands> operands;
    for (unsigned k = 0; k < kOperands; ++k) {
      operands[k] = {static_cast<std::uint16_t>(in[k] >> (16 * i))};
      if (s.ftz) operands[k] = flushed(operands[k]);
    }
    result |= std::uint64_t{kFunction(s, operands.data()).bits} << (16 * i);
  }
  return result;
}

/// .rn is the only rounding mode of half precision.
template <HalfEval kFunction, unsigned kOperands>
void arithmetic(Builder& b) {
  take_half_type(b);
  b.take("rn");
  b.step.ftz = b.take("ftz");
  b.step.sat = b.take("sat");
  b.step.flag = kOperands == 3 && !b.step.sat && b.take("relu");
  b.uniform_operands(kOperands);
  b.step.eval = each_half<kFunction, kOperands>;
}

/// .ftz flushes what is below the least normal number, 2^-14, after rounding to 11 bits with an unbounded exponent (measured
/// on an H200): 2^10 times the value is rounded far from the subnormals.
Half flushed_if_tiny(const Step& s, Half rounded, double exact) {
  constexpr std::uint16_t kLeastScaled = 0x2c00;  // 2^-14 * 2^10
  const bool tiny = (to_half(std::ldexp(exact, 10)).bits & 0x7fff) < kLeastScaled;
  return s.ftz && tiny ? Half{static_cast<std::uint16_t>(rounded.bits & 0x8000)} : rounded;
}

// Sums and products of two halves are exact in double precision, so that to_half() rounds once.
Half add(const Step& s, const Half* in) { return output(s, to_half(to_double(in[0]) + to_double(in[1]))); }
Half subtract(const Step& s, const Half* in) {
  return output(s, to_half(to_double(in[0]) - to_double(in[1])));
}
Half multiply(const Step& s, const Half* in) {
  const double exact = to_double(in[0]) * to_double(in[1]);
  return output(s, flushed_if_tiny(s, to_half(exact), exact));
}
/// A sum near 2^-14 is exact in double precision if no operand is subnormal.
Half multiply_add(const Step& s, const Half* in) {
  const double sum = to_double(in[0]) * to_double(in[1]) + to_double(in[2]);
  return output(s, flushed_if_tiny(s, fused(in[0], in[1], in[2]), sum));
}

/// NaNs become canonical (measured on an H200).
Half signed_half(Half a, int bits) { return {is_nan(a) ? kHalfNan : static_cast<std::uint16_t>(bits)}; }
Half negated(const Step&, const Half* in) { return signed_half(in[0], in[0].bits ^ 0x8000); }
Half absolute(const Step&, const Half* in) { return signed_half(in[0], in[0].bits & 0x7fff); }

template <HalfEval kFunction>
void sign(Builder& b) {
  take_half_type(b);
  b.step.ftz = b.take("ftz");
  b.uniform_operands(1);
  b.step.eval = each_half<kFunction, 1>;
}

/// -0 is less than +0; a NaN operand yields the other operand unless .NaN asks for NaN.
template <bool kMax>
Half extreme_number(const Step& s, const Half* in) {
  if (is_nan(in[0]) || is_nan(in[1])) {
    if (s.flag || (is_nan(in[0]) && is_nan(in[1]))) return {kHalfNan};
    return is_nan(in[0]) ? in[1] : in[0];
  }
  const double a = to_double(in[0]);
  const double c = to_double(in[1]);
  if (a == c) return std::signbit(a) == kMax ? in[1] : in[0];
  return (kMax ? a > c : a < c) ? in[0] : in[1];
}

/// .xorsign.abs: of the magnitudes, with the sign of the product.
template <bool kMax>
Half extreme(const Step& s, const Half* in) {
  if (s.selector == 0) return extreme_number<kMax>(s, in);
  const Half magnitudes[2] = {{static_cast<std::uint16_t>(in[0].bits & 0x7fff)},
                              {static_cast<std::uint16_t>(in[1].bits & 0x7fff)}};
  const Half result = extreme_number<kMax>(s, magnitudes);
  if (is_nan(result)) return result;
  return {static_cast<std::uint16_t>(result.bits | ((in[0].bits ^ in[1].bits) & 0x8000))};
}

template <bool kMax>
void half_min_or_max(Builder& b) {
  take_half_type(b);
  b.step.ftz = b.take("ftz");
  b.step.flag = b.take("NaN");
  if (b.take("xorsign")) {
    if (!b.take("abs")) b.refuse();
    b.step.selector = 1;
  }
  b.uniform_operands(2);
  b.step.eval = each_half<extreme<kMax>, 2>;
}

Half exponential(const Step& s, const Half* in) { return output(s, to_half(std::exp2(to_double(in[0])))); }
Half hyperbolic(const Step& s, const Half* in) { return output(s, to_half(std::tanh(to_double(in[0])))); }

/// ex2.approx and tanh.approx: no .ftz, subnormals count.
template <HalfEval kFunction>
void approximate(Builder& b) {
  take_half_type(b);
  if (!b.take("approx")) b.refuse();
  b.uniform_operands(1);
  b.step.eval = each_half<kFunction, 1>;
}

}  // namespace

Handlers half_handlers() {
  return {{"add", arithmetic<add, 2>},
          {"sub", arithmetic<subtract, 2>},
          {"mul", arithmetic<multiply, 2>},
          {"fma", arithmetic<multiply_add, 3>},
          {"neg", sign<negated>},
          {"abs", sign<absolute>},
          {"min", half_min_or_max<false>},
          {"max", half_min_or_max<true>},
          {"ex2", approximate<exponential>},
          {"tanh", approximate<hyperbolic>}};
}

}  // namespace heddle::oracle
