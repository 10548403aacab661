// Compare, select, convert and move instructions.
#include <algorithm>
#include <cmath>

#include "oracle/bits.h"
#include "oracle/builder.h"
#include "oracle/rounding.h"

namespace heddle::oracle {

namespace {

bool is_bits(Type type) {
  return type == Type::kB8 || type == Type::kB16 || type == Type::kB32 || type == Type::kB64;
}
bool is_supported_float(Type type) { return type == Type::kF32 || type == Type::kF64; }
bool is_number(Type type) {
  return is_supported_float(type) || (type != Type::kPred && !isa::is_float(type));
}

void take_compare(Builder& b) {
  const auto signed_or_float = b.take_choice<Compare>({{"eq", Compare::kEq},
                                                       {"ne", Compare::kNe},
                                                       {"lt", Compare::kLt},
                                                       {"le", Compare::kLe},
                                                       {"gt", Compare::kGt},
                                                       {"ge", Compare::kGe},
                                                       {"equ", Compare::kEqu},
                                                       {"neu", Compare::kNeu},
                                                       {"ltu", Compare::kLtu},
                                                       {"leu", Compare::kLeu},
                                                       {"gtu", Compare::kGtu},
                                                       {"geu", Compare::kGeu},
                                                       {"num", Compare::kNum},
                                                       {"nan", Compare::kNan}});
  if (signed_or_float) {
    b.step.compare = *signed_or_float;
    return;
  }
  // Unsigned spellings: lower, lower or same, higher, higher or same.
  const auto unsigned_only = b.take_choice<Compare>(
      {{"lo", Compare::kLt}, {"ls", Compare::kLe}, {"hi", Compare::kGt}, {"hs", Compare::kGe}});
  if (!unsigned_only) b.refuse();
  b.step.compare = *unsigned_only;
  b.step.flag = true;
}

void check_compare(Builder& b, Type type) {
  const Compare c = b.step.compare;
  const bool float_only = c >= Compare::kEqu;
  if (!is_number(type) || type_bits(type) < 16) b.refuse();
  if (float_only && !isa::is_float(type)) b.refuse();
  if (b.step.flag && (isa::is_signed(type) || isa::is_float(type) || is_bits(type))) b.refuse();
  if (is_bits(type) && c != Compare::kEq && c != Compare::kNe) b.refuse();
  if (b.step.ftz && type != Type::kF32) b.refuse();
}

template <class T>
bool compares(const Step& s, std::uint64_t left, std::uint64_t right) {
  T a = value_of<T>(left);
  T b = value_of<T>(right);
  bool unordered = false;
  if constexpr (std::is_same_v<T, float>)
    if (s.ftz) a = flushed(a), b = flushed(b);
  if constexpr (std::is_floating_point_v<T>) unordered = std::isnan(a) || std::isnan(b);
  switch (s.compare) {
    case Compare::kEq:
      return a == b;
    case Compare::kNe:
      return !unordered && a != b;
    case Compare::kLt:
      return a < b;
    case Compare::kLe:
      return a <= b;
    case Compare::kGt:
      return a > b;
    case Compare::kGe:
      return a >= b;
    case Compare::kEqu:
      return unordered || a == b;
    case Compare::kNeu:
      return unordered || a != b;
    case Compare::kLtu:
      return unordered || a < b;
    case Compare::kLeu:
      return unordered || a <= b;
    case Compare::kGtu:
      return unordered || a > b;
    case Compare::kGeu:
      return unordered || a >= b;
    case Compare::kNum:
      return !unordered;
    case Compare::kNan:
      return unordered;
  }
  return false;
}

bool combined(Combine how, bool a, bool b) {
  switch (how) {
    case Combine::kNone:
      return a;
    case Combine::kAnd:
      return a && b;
    case Combine::kOr:
      return a || b;
    case Combine::kXor:
      return a != b;
  }
  return a;
}

template <class Fn>
Eval for_number(Type type, Fn fn) {
  return isa::is_float(type) ? for_float(type, fn) : for_integer(type, fn);
}

void take_combine(Builder& b) {
  b.step.combine =
      b.take_choice<Combine>({{"and", Combine::kAnd}, {"or", Combine::kOr}, {"xor", Combine::kXor}})
          .value_or(Combine::kNone);
  b.step.ftz = b.take("ftz");
}

void set_predicate(Builder& b) {
  b.step.kind = Kind::kPredicates;
  take_compare(b);
  take_combine(b);
  b.step.type = b.take_type();
  check_compare(b, b.step.type);
  const std::size_t operands = b.step.combine == Combine::kNone ? 3 : 4;
  b.expect_operands(operands, operands);
  b.target(0, Type::kPred);
  b.second_target(0, Type::kPred);
  b.source(1, b.step.type);
  b.source(2, b.step.type);
  if (operands == 4) b.source(3, Type::kPred);
  b.step.eval = for_number(b.step.type, []<class T>() -> Eval {
    return [](const Step& s, Inputs in) -> std::uint64_t {
      const bool holds = compares<T>(s, in[0], in[1]);
      const bool third = s.combine != Combine::kNone && in[2] != 0;
      return (combined(s.combine, holds, third) ? 1u : 0u) | (combined(s.combine, !holds, third) ? 2u : 0u);
    };
  });
}

void set(Builder& b) {
  take_compare(b);
  take_combine(b);
  b.step.type = b.take_type();
  b.step.from = b.take_type();
  if (b.step.type != Type::kU32 && b.step.type != Type::kS32 && b.step.type != Type::kF32) b.refuse();
  check_compare(b, b.step.from);
  const std::size_t operands = b.step.combine == Combine::kNone ? 3 : 4;
  b.expect_operands(operands, operands);
  b.target(0, b.step.type);
  b.source(1, b.step.from);
  b.source(2, b.step.from);
  if (operands == 4) b.source(3, Type::kPred);
  b.step.eval = for_number(b.step.from, []<class T>() -> Eval {
    return [](const Step& s, Inputs in) -> std::uint64_t {
      const bool holds = compares<T>(s, in[0], in[1]);
      if (!combined(s.combine, holds, s.combine != Combine::kNone && in[2] != 0)) return 0;
      return s.type == Type::kF32 ? bits_of(1.0f) : low_bits(32);
    };
  });
}

void select(Builder& b) {
  b.step.type = b.take_type();
  if (!is_number(b.step.type) || type_bits(b.step.type) < 16) b.refuse();
  b.expect_operands(4, 4);
  b.target(0, b.step.type);
  b.source(1, b.step.type);
  b.source(2, b.step.type);
  b.source(3, Type::kPred);
  b.step.eval = [](const Step&, Inputs in) { return in[2] ? in[0] : in[1]; };
}

void select_by_sign(Builder& b) {
  b.step.ftz = b.take("ftz");
  b.step.type = b.take_type();
  b.step.from = b.take_type();
  if (!is_number(b.step.type) || type_bits(b.step.type) < 16) b.refuse();
  if (b.step.from != Type::kS32 && b.step.from != Type::kF32) b.refuse();
  if (b.step.ftz && b.step.from != Type::kF32) b.refuse();
  b.expect_operands(4, 4);
  b.target(0, b.step.type);
  b.source(1, b.step.type);
  b.source(2, b.step.type);
  b.source(3, b.step.from);
  b.step.eval = [](const Step& s, Inputs in) {
    if (s.from == Type::kS32) return value_of<std::int32_t>(in[2]) >= 0 ? in[0] : in[1];
    const float c = value_of<float>(in[2]);
    return (s.ftz ? flushed(c) : c) >= 0.0f ? in[0] : in[1];  // NaN: the second
  };
}

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
std::uint64_t float_to_integer(const Step& s, Inputs in) {
  F a = value_of<F>(in[0]);
  if (std::isnan(a)) {
    if (sizeof(F) != 8 && sizeof(D) != 8) return 0;
    return std::uint64_t{1} << (sizeof(D) * 8 - 1);
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
  if constexpr (std::is_same_v<S, float>)
    if (s.ftz) a = flushed(a);
  a = to_integral(a, s.to_integer);
  if constexpr (std::is_same_v<S, double> && std::is_same_v<D, float>)
    return finished_float(s, rounded_narrow(a, s.rounding));
  else
    return finished_float(s, static_cast<D>(a));
}

Eval converter(Type to, Type from) {
  const auto from_source = [&]<class D>() -> Eval {
    const auto to_float = []<class S>() -> Eval {
      if constexpr (std::is_floating_point_v<D> && std::is_floating_point_v<S>)
        return float_to_float<D, S>;
      else if constexpr (std::is_floating_point_v<D>)
        return integer_to_float<D, S>;
      else if constexpr (std::is_floating_point_v<S>)
        return float_to_integer<D, S>;
      else
        return integer_to_integer<D, S>;
    };
    return isa::is_float(from) ? for_float(from, to_float) : for_integer(from, to_float);
  };
  return isa::is_float(to) ? for_float(to, from_source) : for_integer(to, from_source);
}

void convert(Builder& b) {
  b.step.ftz = b.take("ftz");
  b.step.sat = b.take("sat");
  const auto integral = b.take_choice<ToInteger>({{"rni", ToInteger::kNearest},
                                                  {"rzi", ToInteger::kZero},
                                                  {"rmi", ToInteger::kDown},
                                                  {"rpi", ToInteger::kUp}});
  const auto rounding = b.take_choice<Rounding>(
      {{"rn", Rounding::kNearest}, {"rz", Rounding::kZero}, {"rm", Rounding::kDown}, {"rp", Rounding::kUp}});
  b.step.type = b.take_type();
  b.step.from = b.take_type();
  const Type to = b.step.type;
  const Type from = b.step.from;
  if (to == Type::kPred || from == Type::kPred || type_bits(to) == 0 || is_bits(to) || is_bits(from))
    b.refuse();
  const bool to_float = isa::is_float(to);
  const bool from_float = isa::is_float(from);
  const bool narrows = to_float && (!from_float || (to == Type::kF32 && from == Type::kF64));
  const bool may_integral = from_float && (!to_float || to == from);
  if (narrows != rounding.has_value() || (integral && !may_integral) ||
      (from_float && !to_float && !integral))
    b.refuse();
  if (b.step.ftz && to != Type::kF32 && from != Type::kF32) b.refuse();
  b.step.rounding = rounding.value_or(Rounding::kNearest);
  b.step.to_integer = integral.value_or(ToInteger::kNo);
  b.expect_operands(2, 2);
  b.target(0, to);
  b.source(1, from);
  b.step.eval = converter(to, from);
}

void move(Builder& b) {
  b.step.type = b.take_type();
  if (type_bits(b.step.type) == 8 || type_bits(b.step.type) > 64) b.refuse();
  b.expect_operands(2, 2);
  const auto* into = std::get_if<ptx::VectorOperand>(&b.operand(0).value);
  const auto* of = std::get_if<ptx::VectorOperand>(&b.operand(1).value);
  if (!into && !of) {
    b.target(0, b.step.type);
    b.source(1, b.step.type);
    b.step.eval = [](const Step&, Inputs in) { return in[0]; };
    return;
  }
  if (into && of) b.refuse();
  const auto elements = static_cast<unsigned>((into ? into : of)->elements.size());
  const unsigned bits = type_bits(b.step.type);
  const Type element = elements == 2 && bits == 64 ? Type::kB32
                       : elements * 16 == bits     ? Type::kB16
                       : elements * 8 == bits      ? Type::kB8
                                                   : Type::kNone;
  if (element == Type::kNone || element == Type::kB8 || elements > 4) b.refuse();
  b.step.kind = into ? Kind::kUnpack : Kind::kPack;
  b.step.from = element;
  if (into) {
    b.source(1, b.step.type);
    b.targets(0, elements, element);
  } else {
    b.target(0, b.step.type);
    b.sources(1, elements, element);
  }
}

}  // namespace

Handlers general_handlers() {
  return {{"setp", set_predicate},  {"set", set},     {"selp", select},
          {"slct", select_by_sign}, {"cvt", convert}, {"mov", move}};
}

}  // namespace heddle::oracle
