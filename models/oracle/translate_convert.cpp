// cvt in all its forms (PTX ISA "Data Movement and Conversion Instructions").
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "oracle/bits.h"
#include "oracle/builder.h"
#include "oracle/half.h"
#include "oracle/integer.h"
#include "oracle/rounding.h"

namespace heddle::oracle {

namespace {

/// Sign-extended to 64 bits when T is signed: cvt to a wider register extends the converted value.
template <class T>
std::uint64_t extended(T value) {
  if constexpr (std::is_signed_v<T>)
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  else
    return value;
}

template <class D, class S>
std::uint64_t integer_to_integer(const Step& s, Inputs in) {
  const S a = value_of<S>(in[0]);
  if (s.sat) {
    if (std::cmp_less(a, std::numeric_limits<D>::min())) return extended(std::numeric_limits<D>::min());
    if (std::cmp_greater(a, std::numeric_limits<D>::max())) return extended(std::numeric_limits<D>::max());
  }
  return extended(static_cast<D>(a));
}

template <class F>
F to_integral(F a, ToInteger mode) {
  switch (mode) {
    case ToInteger::kNearest:
      return std::nearbyint(a);
    case ToInteger::kZero:
      return std::trunc(a);
    case ToInteger::kDown:
      return std::floor(a);
    case ToInteger::kUp:
      return std::ceil(a);
    case ToInteger::kNo:
      return a;
  }
  return a;
}

/// Out of range: the nearest value of the destination. NaN: 0, but 1 << 63 or 1 << 31 (the sign bit of the
/// destination) when either side has 64 bits (PTX ISA, cvt).
template <class D, class F>
std::uint64_t float_to_integer(const Step& s, F a) {
  if (std::isnan(a)) {
    if (sizeof(F) != 8 && sizeof(D) != 8) return 0;
    return extended(static_cast<D>(std::uint64_t{1} << (sizeof(D) * 8 - 1)));  // MININT if D is signed
  }
  if constexpr (std::is_same_v<F, float>)
    if (s.ftz) a = flushed(a);
  const F rounded = to_integral(a, s.to_integer);
  // 2^bits of the positive range is exact in F, max() may not be.
  const F limit = std::ldexp(F{1}, std::numeric_limits<D>::digits);
  if (rounded >= limit) return extended(std::numeric_limits<D>::max());
  if (rounded < static_cast<F>(std::numeric_limits<D>::min())) return extended(std::numeric_limits<D>::min());
  return extended(static_cast<D>(rounded));
}

template <class F>
std::uint64_t finished_float(const Step& s, F value) {
  if constexpr (std::is_same_v<F, float>)
    if (s.ftz) value = flushed(value);
  if (s.sat) value = value > F{0} ? std::fmin(value, F{1}) : F{0};
  return float_result(value);
}

// NaNs, as measured on an H200: to and from f64 the sign and the upper bits of the payload stay, and the result is quiet;
// cvt.ftz.f64.f32 starts from the canonical NaN of f32. f32 to f32 and f64 to f64 without modifiers move the bits.
constexpr std::uint64_t kDoubleQuiet = 0x7ff8'0000'0000'0000ull;

/// A NaN of fewer bits as one of 64.
std::uint64_t widened_nan(std::uint64_t bits, unsigned width, unsigned mantissa) {
  return (bits >> (width - 1)) << 63 | kDoubleQuiet | (bits & low_bits(mantissa)) << (52 - mantissa);
}
/// A NaN of 64 bits as one of fewer; `quiet` has its exponent and the first bit of its mantissa.
std::uint64_t narrowed_nan(std::uint64_t bits, unsigned width, unsigned mantissa, std::uint64_t quiet) {
  return (bits >> 63) << (width - 1) | quiet | ((bits >> (52 - mantissa)) & low_bits(mantissa));
}

template <class D, class S>
std::uint64_t converted_nan(const Step& s, std::uint64_t bits) {
  constexpr bool kToDouble = std::is_same_v<D, double>;
  constexpr bool kFromDouble = std::is_same_v<S, double>;
  if (s.sat) return 0;
  if (kToDouble && kFromDouble) return s.to_integer == ToInteger::kNo ? bits : bits | kDoubleQuiet;
  if (kToDouble) return widened_nan(s.ftz ? 0x7fff'ffffu : bits, 32, 23);
  if (kFromDouble) return narrowed_nan(bits, 32, 23, 0x7fc0'0000u);
  return s.to_integer == ToInteger::kNo && !s.ftz ? bits : 0x7fff'ffffu;
}

/// Final modifiers of a value that is converted to half precision.
std::uint64_t finished_half(const Step& s, double value) {
  Half result = to_half(value, s.rounding);
  if (s.sat) result = saturated(result);
  if (s.relu && std::signbit(value) && !is_nan(result)) result = {0};
  if (s.satfinite && (result.bits & 0x7fff) == kHalfInfinity)
    result.bits = static_cast<std::uint16_t>((result.bits & 0x8000) | kHalfLargest);
  return result.bits;
}

template <class F, class S>
std::uint64_t integer_to_float(const Step& s, Inputs in) {
  const S a = value_of<S>(in[0]);
  if constexpr (std::is_signed_v<S>)
    return finished_float(s, rounded_from_signed<F>(a, s.rounding));
  else
    return finished_float(s, rounded_from_unsigned<F>(a, s.rounding));
}

template <class D, class S>
std::uint64_t float_to_float(const Step& s, Inputs in) {
  S a = value_of<S>(in[0]);
  if (std::isnan(a)) return converted_nan<D, S>(s, bits_of(a));
  if constexpr (std::is_same_v<S, float>)
    if (s.ftz) a = flushed(a);
  a = to_integral(a, s.to_integer);
  if constexpr (std::is_same_v<S, double> && std::is_same_v<D, float>) {
    const float result = rounded_narrow(a, s.rounding);
    // .ftz: by the value rounded to 24 bits whatever its exponent, as in arithmetic. 2^24 times it is far from the subnormals.
    const bool tiny =
        s.ftz && std::fabs(rounded_narrow(std::ldexp(a, 24), s.rounding)) < std::ldexp(1.0f, -102);
    return finished_float(s, tiny ? std::copysign(0.0f, result) : result);
  } else
    return finished_float(s, static_cast<D>(a));
}

/// Integers of 53 bits and more are far beyond the largest half, so any double of that magnitude works as
/// well.
template <class S>
double wide_enough(S a) {
  constexpr double kHuge = 1e9;
  if (std::cmp_greater(a, 1'000'000'000)) return kHuge;
  if (std::cmp_less(a, -1'000'000'000)) return -kHuge;
  return static_cast<double>(a);
}

template <class S>
std::uint64_t to_half_from(const Step& s, Inputs in) {
  if constexpr (std::is_same_v<S, Half>) {
    return finished_half(s, to_integral(to_double({static_cast<std::uint16_t>(in[0])}), s.to_integer));
  } else if constexpr (std::is_same_v<S, float>) {
    return finished_half(s, value_of<float>(in[0]));  // .ftz flushes no operand here (measured on an H200)
  } else if constexpr (std::is_same_v<S, double>) {
    if (std::isnan(value_of<double>(in[0])) && !s.sat) return narrowed_nan(in[0], 16, 10, 0x7e00u);
    return finished_half(s, value_of<double>(in[0]));
  } else {
    return finished_half(s, wide_enough(value_of<S>(in[0])));
  }
}

template <class D>
std::uint64_t from_half_to(const Step& s, Inputs in) {
  const Half half{static_cast<std::uint16_t>(in[0])};
  if (std::is_same_v<D, double> && is_nan(half) && !s.sat) return widened_nan(half.bits, 16, 10);
  // Exact in single precision, where no half is subnormal.
  const auto a = static_cast<float>(to_double(half));
  if constexpr (std::is_floating_point_v<D>)
    return finished_float(s, static_cast<D>(a));
  else
    return float_to_integer<D>(s, a);
}

/// Whether every number of `from` is one of `to`; both are integers.
bool has_all_of(Type to, Type from) {
  const bool negatives = isa::is_signed(from);
  const unsigned spent = isa::is_signed(to) && !negatives ? 1 : 0;  // the sign's bit
  return type_bits(to) - spent >= type_bits(from) && (!negatives || isa::is_signed(to));
}

template <class Fn>
Eval for_source(Type type, Fn fn) {
  return isa::is_float(type) ? for_float(type, fn) : for_integer(type, fn);
}

Eval converter(Type to, Type from) {
  if (to == Type::kF16 && from == Type::kF16) return to_half_from<Half>;
  if (to == Type::kF16) return for_source(from, []<class S>() -> Eval { return to_half_from<S>; });
  if (from == Type::kF16) return for_source(to, []<class D>() -> Eval { return from_half_to<D>; });
  return for_source(to, [&]<class D>() -> Eval {
    return for_source(from, []<class S>() -> Eval {
      if constexpr (std::is_floating_point_v<D> && std::is_floating_point_v<S>)
        return float_to_float<D, S>;
      else if constexpr (std::is_floating_point_v<D>)
        return integer_to_float<D, S>;
      else if constexpr (std::is_floating_point_v<S>)
        return [](const Step& s, Inputs in) { return float_to_integer<D>(s, value_of<S>(in[0])); };
      else
        return integer_to_integer<D, S>;
    });
  });
}

/// cvt.rnd{.relu}{.satfinite}.f16x2.f32 d, a, b: a to the upper half, b to the lower.
void convert_pair(Builder& b) {
  if (b.take_type() != Type::kF16x2 || b.take_type() != Type::kF32) b.refuse();
  b.step.type = Type::kF16x2;
  b.step.from = Type::kF32;
  if (b.step.rounding != Rounding::kNearest && b.step.rounding != Rounding::kZero) b.refuse();
  b.expect_operands(3, 3);
  b.target(0, Type::kF16x2);
  b.source(1, Type::kF32);
  b.source(2, Type::kF32);
  b.step.eval = [](const Step& s, Inputs in) {
    return finished_half(s, value_of<float>(in[0])) << 16 | finished_half(s, value_of<float>(in[1]));
  };
}

struct PackedType {
  std::string_view name;
  unsigned bits;
  bool is_signed;
};
constexpr std::array<PackedType, 8> kPackedTypes{{{"u16", 16, false},
                                                  {"s16", 16, true},
                                                  {"u8", 8, false},
                                                  {"s8", 8, true},
                                                  {"u4", 4, false},
                                                  {"s4", 4, true},
                                                  {"u2", 2, false},
                                                  {"s2", 2, true}}};

/// cvt.pack.sat.type.s32 d, a, b of 16 bits; .type.s32.b32 d, a, b, c of fewer: b below a, then c.
void pack(Builder& b) {
  if (!b.take("sat")) b.refuse();
  const auto type = std::find_if(kPackedTypes.begin(), kPackedTypes.end(),
                                 [&](const PackedType& candidate) { return b.take(candidate.name); });
  if (type == kPackedTypes.end() || !b.take("s32")) b.refuse();
  b.step.selector = static_cast<std::uint8_t>(type->bits);
  b.step.flag = type->is_signed;
  b.step.type = Type::kB32;
  const bool narrow = type->bits < 16;
  if (narrow && !b.take("b32")) b.refuse();
  b.expect_operands(narrow ? 4 : 3, narrow ? 4 : 3);
  b.target(0, Type::kB32);
  b.source(1, Type::kS32);
  b.source(2, Type::kS32);
  if (narrow)
    b.source(3, Type::kB32);
  else
    b.constant_source(0);
  b.step.eval = [](const Step& s, Inputs in) {
    const unsigned bits = s.selector;
    const std::int64_t least = s.flag ? -(std::int64_t{1} << (bits - 1)) : 0;
    const std::int64_t most = (std::int64_t{1} << (s.flag ? bits - 1 : bits)) - 1;
    const auto cut = [&](std::uint64_t value) {
      const std::int64_t clamped = std::clamp<std::int64_t>(value_of<std::int32_t>(value), least, most);
      return static_cast<std::uint64_t>(clamped) & low_bits(bits);
    };
    return (cut(in[1]) | cut(in[0]) << bits | in[2] << (2 * bits)) & low_bits(32);
  };
}

void convert(Builder& b) {
  if (b.take("pack")) return pack(b);
  for (const auto* type : {"bf16", "bf16x2", "tf32", "e4m3x2", "e5m2x2"})
    if (b.has_modifier(type)) return convert_narrow(b);
  b.step.ftz = b.take("ftz");
  b.step.sat = b.take("sat");
  const auto integral = b.take_choice<ToInteger>({{"rni", ToInteger::kNearest},
                                                  {"rzi", ToInteger::kZero},
                                                  {"rmi", ToInteger::kDown},
                                                  {"rpi", ToInteger::kUp}});
  const auto rounding = b.take_choice<Rounding>(
      {{"rn", Rounding::kNearest}, {"rz", Rounding::kZero}, {"rm", Rounding::kDown}, {"rp", Rounding::kUp}});
  b.step.rounding = rounding.value_or(Rounding::kNearest);
  const bool half_only = b.has_modifier("relu") || b.has_modifier("satfinite");
  b.step.relu = b.take("relu");
  b.step.satfinite = b.take("satfinite");
  if (b.has_modifier("f16x2")) return rounding && !b.step.ftz && !b.step.sat ? convert_pair(b) : b.refuse();
  b.step.type = b.take_type();
  b.step.from = b.take_type();
  const Type to = b.step.type;
  const Type from = b.step.from;
  if (to == Type::kPred || from == Type::kPred || type_bits(to) == 0 || is_bits(to) || is_bits(from))
    b.refuse();
  const bool to_float = isa::is_float(to);
  const bool from_float = isa::is_float(from);
  const bool narrows = to_float && (!from_float || type_bits(to) < type_bits(from));
  const bool may_integral = from_float && (!to_float || to == from);
  if (narrows != rounding.has_value() || (integral && !may_integral) ||
      (from_float && !to_float && !integral))
    b.refuse();
  if (b.step.ftz && to != Type::kF32 && from != Type::kF32) b.refuse();
  if (half_only && (to != Type::kF16 || from != Type::kF32 || b.step.sat)) b.refuse();
  if (b.step.sat && !to_float && !from_float && has_all_of(to, from))
    b.fail("'cvt' has no '.sat' where the result's type holds all values of the operand's");
  b.step.to_integer = integral.value_or(ToInteger::kNo);
  b.expect_operands(2, 2);
  b.target(0, to);
  b.source(1, from);
  b.step.eval = converter(to, from);
}

}  // namespace

Handlers convert_handlers() { return {{"cvt", convert}}; }

}  // namespace heddle::oracle
