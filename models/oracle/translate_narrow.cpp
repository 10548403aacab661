// bf16 arithmetic, and conversions to and from bf16, tf32 and the 8-bit floats (PTX ISA, Alternate Floating Point Data Formats).
#include <cmath>

#include "oracle/bits.h"
#include "oracle/builder.h"
#include "oracle/half.h"
#include "oracle/narrow.h"

namespace heddle::oracle {

namespace {

using Numbers = const double*;
using BfloatEval = double (*)(Numbers);

template <BfloatEval kFunction, unsigned kOperands>
std::uint64_t each(const Step& s, Inputs in) {
  std::uint64_t result = 0;
  for (unsigned i = 0; i < (s.type == Type::kBf16x2 ? 2u : 1u); ++i) {
    std::array<double, kOperands> operands;
    for (unsigned k = 0; k < kOperands; ++k) operands[k] = value_in(kBf16, in[k] >> (16 * i) & 0xffff);
    const double exact = kFunction(operands.data());
    std::uint64_t bits = rounded_to(kBf16, exact, Narrow::kNearestEven, false);
    if (s.relu && !std::isnan(exact) && (bits & 0x8000) != 0) bits = 0;
    if (s.ftz && (bits & 0x7fff) < 0x80) bits &= 0x8000;
    result |= bits << (16 * i);
  }
  return result;
}

void take_bfloat(Builder& b) {
  b.step.type = b.take_type();
  if (b.step.type != Type::kBf16 && b.step.type != Type::kBf16x2) b.refuse();
}

template <BfloatEval kFunction, unsigned kOperands>
void arithmetic(Builder& b) {
  take_bfloat(b);
  if (!b.take("rn") && kOperands == 3) b.refuse();
  b.step.relu = kOperands == 3 && b.take("relu");
  b.uniform_operands(kOperands);
  b.step.eval = each<kFunction, kOperands>;
}

double add(Numbers x) {
  return to_odd([&] { return x[0] + x[1]; });
}
double subtract(Numbers x) {
  return to_odd([&] { return x[0] - x[1]; });
}
double multiply(Numbers x) { return x[0] * x[1]; }
double multiply_add(Numbers x) {
  return to_odd([&] { return std::fma(x[0], x[1], x[2]); });
}
double exponential(Numbers x) { return std::exp2(x[0]); }
double tangent(Numbers x) { return std::tanh(x[0]); }

void power_of_two(Builder& b) {
  take_bfloat(b);
  if (!b.take("approx") || !b.take("ftz")) b.refuse();
  b.step.ftz = true;
  b.uniform_operands(1);
  b.step.eval = each<exponential, 1>;
}
void hyperbolic_tangent(Builder& b) {
  take_bfloat(b);
  if (!b.take("approx")) b.refuse();
  b.uniform_operands(1);
  b.step.eval = each<tangent, 1>;
}

/// On the bits of each half: fn(step, a, b).
template <std::uint64_t (*kFunction)(const Step&, std::uint64_t, std::uint64_t)>
std::uint64_t on_bits(const Step& s, Inputs in) {
  std::uint64_t result = 0;
  for (unsigned i = 0; i < (s.type == Type::kBf16x2 ? 2u : 1u); ++i)
    result |= kFunction(s, in[0] >> (16 * i) & 0xffff, in[1] >> (16 * i) & 0xffff) << (16 * i);
  return result;
}
bool is_nan_bfloat(std::uint64_t bits) { return (bits & 0x7fff) > 0x7f80; }
std::uint64_t negated(const Step&, std::uint64_t a, std::uint64_t) {
  return is_nan_bfloat(a) ? 0x7fff : a ^ 0x8000;
}
std::uint64_t absolute(const Step&, std::uint64_t a, std::uint64_t) {
  return is_nan_bfloat(a) ? 0x7fff : a & 0x7fff;
}

template <std::uint64_t (*kFunction)(const Step&, std::uint64_t, std::uint64_t)>
void sign(Builder& b) {
  take_bfloat(b);
  b.uniform_operands(1);
  b.constant_source(0);
  b.step.eval = on_bits<kFunction>;
}

/// min, max{.NaN}{.xorsign.abs}: -0 is less than +0.
template <bool kMax>
std::uint64_t extreme(const Step& s, std::uint64_t a, std::uint64_t b) {
  const bool magnitudes = s.selector != 0;
  if (is_nan_bfloat(a) || is_nan_bfloat(b)) {
    if (s.flag || (is_nan_bfloat(a) && is_nan_bfloat(b))) return 0x7fff;
    const std::uint64_t number = is_nan_bfloat(a) ? b : a;
    return magnitudes ? (number & 0x7fff) | ((a ^ b) & 0x8000) : number;
  }
  const std::uint64_t x = magnitudes ? a & 0x7fff : a;
  const std::uint64_t y = magnitudes ? b & 0x7fff : b;
  const double left = value_in(kBf16, x);
  const double right = value_in(kBf16, y);
  std::uint64_t chosen = (kMax ? left > right : left < right) ? x : y;
  if (left == right) chosen = std::signbit(left) == kMax ? y : x;
  return magnitudes ? chosen | ((a ^ b) & 0x8000) : chosen;
}
template <bool kMax>
void min_or_max(Builder& b) {
  take_bfloat(b);
  b.step.flag = b.take("NaN");
  if (b.take("xorsign")) {
    if (!b.take("abs")) b.refuse();
    b.step.selector = 1;
  }
  b.uniform_operands(2);
  b.step.eval = on_bits<extreme<kMax>>;
}

// ---- Conversions

/// .relu and .satfinite of a value that is rounded to `format`.
std::uint64_t converted(const Step& s, const Format& format, double value, Narrow mode) {
  if (s.relu && std::signbit(value) && !std::isnan(value)) value = 0;
  return rounded_to(format, value, mode, s.satfinite);
}
Narrow mode_of(const Step& s) { return s.flag ? Narrow::kNearestAway : narrow_mode(s.rounding); }

/// Integers of more than 53 bits: any double between two bf16 does, as long as it is on the right side of ties.
template <class S>
double any_number(std::uint64_t bits) {
  const S value = value_of<S>(bits);
  if constexpr (std::is_floating_point_v<S>) {
    return value;
  } else {
    const volatile S exact = value;
    return to_odd([&] { return static_cast<double>(exact); });
  }
}

double source_value(const Step& s, std::uint64_t bits) {
  switch (s.from) {
    case Type::kF16:
    case Type::kBf16:
      return value_in(format_of(s.from), bits & 0xffff);
    case Type::kF32:
      return any_number<float>(bits);
    case Type::kF64:
      return any_number<double>(bits);
    case Type::kU8:
      return any_number<std::uint8_t>(bits);
    case Type::kU16:
      return any_number<std::uint16_t>(bits);
    case Type::kU32:
      return any_number<std::uint32_t>(bits);
    case Type::kU64:
      return any_number<std::uint64_t>(bits);
    case Type::kS8:
      return any_number<std::int8_t>(bits);
    case Type::kS16:
      return any_number<std::int16_t>(bits);
    case Type::kS32:
      return any_number<std::int32_t>(bits);
    default:
      return any_number<std::int64_t>(bits);
  }
}

double to_whole(double value, ToInteger mode) {
  switch (mode) {
    case ToInteger::kNearest:
      return std::nearbyint(value);
    case ToInteger::kDown:
      return std::floor(value);
    case ToInteger::kUp:
      return std::ceil(value);
    default:
      return std::trunc(value);
  }
}

std::uint64_t to_integer(const Step& s, Inputs in) {
  const double value = to_whole(value_in(kBf16, in[0] & 0xffff), s.to_integer);
  const unsigned width = type_bits(s.type);
  const bool has_sign = isa::is_signed(s.type);
  if (std::isnan(value)) {
    if (width < 64) return 0;
    return std::uint64_t{1} << 63;
  }
  const double limit = std::ldexp(1.0, static_cast<int>(width) - (has_sign ? 1 : 0));
  if (has_sign) {
    const auto most = static_cast<std::int64_t>(low_bits(width - 1));
    if (value >= limit) return static_cast<std::uint64_t>(most);
    if (value < -limit) return static_cast<std::uint64_t>(-most - 1);
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  }
  if (value >= limit) return low_bits(width);
  return value < 0 ? 0 : static_cast<std::uint64_t>(value);
}

/// cvt.rnd.{bf16x2,f16x2,e4m3x2,e5m2x2}.f32 d, a, b: a to the upper half.
void convert_two(Builder& b) {
  b.expect_operands(3, 3);
  b.target(0, b.step.type);
  b.source(1, Type::kF32);
  b.source(2, Type::kF32);
  b.step.eval = [](const Step& s, Inputs in) {
    const Format& format = format_of(s.type);
    const auto one = [&](std::uint64_t bits) {
      return converted(s, format, value_of<float>(bits), mode_of(s));
    };
    return one(in[0]) << format.bits() | one(in[1]);
  };
}

/// f16x2 to two 8-bit floats, and back.
void convert_each(Builder& b) {
  b.expect_operands(2, 2);
  b.target(0, b.step.type);
  b.source(1, b.step.from);
  b.step.eval = [](const Step& s, Inputs in) {
    const Format& from = format_of(s.from);
    const Format& to = format_of(s.type);
    const auto one = [&](std::uint64_t bits) {
      return converted(s, to, value_in(from, bits & low_bits(static_cast<unsigned>(from.bits()))),
                       mode_of(s));
    };
    return one(in[0] >> from.bits()) << to.bits() | one(in[0]);
  };
}

bool is_pair(Type type) {
  return type == Type::kF16x2 || type == Type::kBf16x2 || type == Type::kE4m3x2 || type == Type::kE5m2x2;
}
bool is_bytes(Type type) { return type == Type::kE4m3x2 || type == Type::kE5m2x2; }

}  // namespace

void convert_narrow(Builder& b) {
  b.step.relu = b.take("relu");
  b.step.satfinite = b.take("satfinite");
  b.step.flag = b.take("rna");
  const auto whole = b.take_choice<ToInteger>({{"rni", ToInteger::kNearest},
                                               {"rzi", ToInteger::kZero},
                                               {"rmi", ToInteger::kDown},
                                               {"rpi", ToInteger::kUp}});
  const auto rounding = b.take_choice<Rounding>(
      {{"rn", Rounding::kNearest}, {"rz", Rounding::kZero}, {"rm", Rounding::kDown}, {"rp", Rounding::kUp}});
  b.step.rounding = rounding.value_or(Rounding::kNearest);
  const Type to = b.step.type = b.take_type();
  const Type from = b.step.from = b.take_type();
  const bool clamps = b.step.relu || b.step.satfinite;
  if (is_bytes(to) && (!b.step.satfinite || rounding != Rounding::kNearest)) b.refuse();
  if (is_pair(to) && from == Type::kF32)
    return rounding && !whole && !b.step.flag ? convert_two(b) : b.refuse();
  if ((is_bytes(to) && from == Type::kF16x2) || (to == Type::kF16x2 && is_bytes(from))) {
    if (rounding != Rounding::kNearest || (is_bytes(from) && b.step.satfinite)) b.refuse();
    return convert_each(b);
  }
  if (to == Type::kTf32) {
    if (from != Type::kF32 || whole || (b.step.flag ? rounding.has_value() || b.step.relu : !rounding))
      b.refuse();
    b.expect_operands(2, 2);
    b.target(0, Type::kB32);
    b.source(1, Type::kF32);
    b.step.eval = [](const Step& s, Inputs in) {
      if (s.flag && !std::isfinite(value_of<float>(in[0]))) {
        // What cards have in the upper bits of an infinity or a NaN; .satfinite takes the next smaller pattern.
        const std::uint64_t kept = in[0] >> 13 & low_bits(19);
        return (kept - (s.satfinite ? 1 : 0)) << 13;
      }
      return converted(s, kTf32, value_of<float>(in[0]), mode_of(s)) << 13;
    };
    return;
  }
  if (b.step.flag || (to != Type::kBf16 && from != Type::kBf16) ||
      (to == from) != (whole && isa::is_float(to)))
    b.refuse();
  if (clamps && (to != Type::kBf16 || from != Type::kF32)) b.refuse();
  if (type_bits(to) == 0 || type_bits(from) == 0 || to == Type::kPred || from == Type::kPred) b.refuse();
  b.expect_operands(2, 2);
  b.target(0, to);
  b.source(1, from);
  const bool to_float = isa::is_float(to);
  if (!to_float) {
    if (!whole || rounding) b.refuse();
    b.step.to_integer = *whole;
    b.step.eval = to_integer;
    return;
  }
  if (whole) {  // bf16 to bf16
    if (rounding) b.refuse();
    b.step.to_integer = *whole;
    b.step.eval = [](const Step& s, Inputs in) {
      return rounded_to(kBf16, to_whole(value_in(kBf16, in[0] & 0xffff), s.to_integer), Narrow::kNearestEven,
                        false);
    };
    return;
  }
  if (to == Type::kF32 || to == Type::kF64) {
    if (rounding) b.refuse();
    b.step.eval = to == Type::kF32
                      ? Eval{[](const Step&, Inputs in) { return (in[0] & 0xffff) << 16; }}
                      : Eval{[](const Step&, Inputs in) {
                          const double value = value_in(kBf16, in[0] & 0xffff);
                          // A NaN keeps its sign and payload, as one of f32 does.
                          const std::uint64_t nan = std::uint64_t{0x7ff8} << 48 | (in[0] & 0x8000) << 48 |
                                                    (in[0] & low_bits(7)) << 45;
                          return std::isnan(value) ? nan : bits_of(value);
                        }};
    return;
  }
  if (!rounding) b.refuse();
  b.step.eval = [](const Step& s, Inputs in) {
    return converted(s, format_of(s.type), source_value(s, in[0]), mode_of(s));
  };
}

Handlers narrow_handlers() {
  return {{"add", arithmetic<add, 2>},
          {"sub", arithmetic<subtract, 2>},
          {"mul", arithmetic<multiply, 2>},
          {"fma", arithmetic<multiply_add, 3>},
          {"neg", sign<negated>},
          {"abs", sign<absolute>},
          {"min", min_or_max<false>},
          {"max", min_or_max<true>},
          {"ex2", power_of_two},
          {"tanh", hyperbolic_tangent}};
}

}  // namespace heddle::oracle
