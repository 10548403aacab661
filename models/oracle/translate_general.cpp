// Compare, select and move instructions.
#include <algorithm>
#include <cmath>

#include "oracle/bits.h"
#include "oracle/builder.h"
#include "oracle/half.h"
#include "oracle/integer.h"
#include "oracle/narrow.h"

namespace heddle::oracle {

namespace {

bool is_supported_float(Type type) { return type == Type::kF32 || type == Type::kF64; }
bool is_number(Type type) {
  return is_supported_float(type) || (type != Type::kPred && !isa::is_float(type));
}

constexpr std::uint64_t kHalfOne = 0x3c00;
constexpr std::uint64_t kBfloatOne = 0x3f80;

bool is_pair(Type type) { return type == Type::kF16x2 || type == Type::kBf16x2; }
bool is_half(Type type) { return type == Type::kF16 || type == Type::kBf16; }
bool is_bfloat(Type type) { return type == Type::kBf16 || type == Type::kBf16x2; }
std::uint64_t one_of(Type type) { return is_bfloat(type) ? kBfloatOne : kHalfOne; }

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
  if ((!is_number(type) && !is_half(type) && !is_pair(type)) || type_bits(type) < 16) b.refuse();
  if (float_only && !isa::is_float(type)) b.refuse();
  if (b.step.flag && (isa::is_signed(type) || isa::is_float(type) || is_bits(type))) b.refuse();
  if (is_bits(type) && c != Compare::kEq && c != Compare::kNe) b.refuse();
  if (b.step.ftz && (type == Type::kF64 || is_bfloat(type) || !isa::is_float(type))) b.refuse();
}

/// The value of a register that a comparison uses.
template <class T>
auto comparable(const Step& s, std::uint64_t bits) {
  if constexpr (std::is_same_v<T, Half>) {
    const Half value{static_cast<std::uint16_t>(bits)};
    return to_double(s.ftz ? flushed(value) : value);
  } else if constexpr (std::is_same_v<T, Bfloat>) {
    return value_in(kBf16, bits & 0xffff);
  } else if constexpr (std::is_same_v<T, float>) {
    return s.ftz ? flushed(value_of<float>(bits)) : value_of<float>(bits);
  } else {
    return value_of<T>(bits);
  }
}

template <class T>
bool compares(const Step& s, std::uint64_t left, std::uint64_t right) {
  const auto a = comparable<T>(s, left);
  const auto b = comparable<T>(s, right);
  bool unordered = false;
  if constexpr (std::is_floating_point_v<decltype(comparable<T>(s, left))>)
    unordered = std::isnan(a) || std::isnan(b);
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

/// One half of a pair of that type.
bool compares_half(const Step& s, Type type, std::uint64_t left, std::uint64_t right) {
  return is_bfloat(type) ? compares<Bfloat>(s, left, right) : compares<Half>(s, left, right);
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
  if (type == Type::kF16) return fn.template operator()<Half>();
  if (type == Type::kBf16) return fn.template operator()<Bfloat>();
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
  if (is_half(b.step.type) && b.has_second(0)) b.fail("'setp' of .f16 has one result");
  b.target(0, Type::kPred);
  b.second_target(0, Type::kPred);
  b.source(1, b.step.type);
  b.source(2, b.step.type);
  if (operands == 4) b.source(3, Type::kPred);
  if (is_pair(b.step.type)) {
    // The two results are those of the two halves.
    if (!b.has_second(0)) b.fail("'setp' of .f16x2 needs two results");
    b.step.eval = [](const Step& s, Inputs in) -> std::uint64_t {
      const bool third = s.combine != Combine::kNone && in[2] != 0;
      const bool low = compares_half(s, s.from != Type::kNone ? s.from : s.type, in[0], in[1]);
      const bool high = compares_half(s, s.from != Type::kNone ? s.from : s.type, in[0] >> 16, in[1] >> 16);
      return (combined(s.combine, low, third) ? 1u : 0u) | (combined(s.combine, high, third) ? 2u : 0u);
    };
    return;
  }
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
  const Type to = b.step.type;
  const bool halves = is_half(to) || is_half(b.step.from);
  const bool pair = is_pair(to) || is_pair(b.step.from);
  const bool word = to == Type::kU32 || to == Type::kS32;
  if (is_bfloat(to) && to != b.step.from) b.refuse();
  if (is_bfloat(b.step.from) && isa::is_float(to) && to != b.step.from) b.refuse();
  if (pair     ? !is_pair(b.step.from) || (!is_pair(to) && !word)
      : halves ? !is_half(to) && to != Type::kU16 && to != Type::kS16 && !word
               : to != Type::kF32 && !word)
    b.refuse();
  check_compare(b, b.step.from);
  const std::size_t operands = b.step.combine == Combine::kNone ? 3 : 4;
  b.expect_operands(operands, operands);
  b.target(0, b.step.type);
  b.source(1, b.step.from);
  b.source(2, b.step.from);
  if (operands == 4) b.source(3, Type::kPred);
  if (pair) {
    b.step.eval = [](const Step& s, Inputs in) -> std::uint64_t {
      const bool third = s.combine != Combine::kNone && in[2] != 0;
      const bool low =
          combined(s.combine, compares_half(s, s.from != Type::kNone ? s.from : s.type, in[0], in[1]), third);
      const bool high = combined(
          s.combine, compares_half(s, s.from != Type::kNone ? s.from : s.type, in[0] >> 16, in[1] >> 16),
          third);
      const std::uint64_t true_value = is_pair(s.type) ? one_of(s.type) : 0xffff;
      return (low ? true_value : 0u) | (high ? true_value << 16 : 0u);
    };
    return;
  }
  b.step.eval = for_number(b.step.from, []<class T>() -> Eval {
    return [](const Step& s, Inputs in) -> std::uint64_t {
      const bool holds = compares<T>(s, in[0], in[1]);
      if (!combined(s.combine, holds, s.combine != Combine::kNone && in[2] != 0)) return 0;
      if (is_half(s.type)) return one_of(s.type);
      return s.type == Type::kF32 ? bits_of(1.0f) : low_bits(type_bits(s.type));
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

/// mov.v2, mov.v4: elements are read before any is written.
void move_vector(Builder& b, unsigned count) {
  b.step.kind = Kind::kMoveVector;
  b.step.type = b.take_type();
  if (type_bits(b.step.type) == 8 || type_bits(b.step.type) > 64) b.refuse();
  b.expect_operands(2, 2);
  b.targets(0, count, b.step.type);
  b.sources(1, count, b.step.type);
}

void move(Builder& b) {
  if (b.take("b128")) {  // two of 64 bits
    b.step.kind = Kind::kMoveVector;
    b.step.type = Type::kB64;
    b.expect_operands(2, 2);
    b.targets(0, 2, Type::kB64);
    b.sources(1, 2, Type::kB64);
    return;
  }
  if (const auto count = b.take_choice<unsigned>({{"v2", 2}, {"v4", 4}})) return move_vector(b, *count);
  b.step.type = b.take_type();
  if (type_bits(b.step.type) == 8 || type_bits(b.step.type) > 64) b.refuse();
  b.expect_operands(2, 2);
  const auto* into = std::get_if<ptx::VectorOperand>(&b.operand(0).value);
  const auto* of = std::get_if<ptx::VectorOperand>(&b.operand(1).value);
  const unsigned whole_into = b.vector_size(0);
  const unsigned whole_of = b.vector_size(1);
  if (!into && !of && whole_into == 0 && whole_of == 0) {
    b.target(0, b.step.type);
    b.source(1, b.step.type);
    b.step.eval = [](const Step&, Inputs in) { return in[0]; };
    return;
  }
  if ((into || whole_into != 0) && (of || whole_of != 0)) b.refuse();
  const unsigned elements = whole_into != 0 ? whole_into
                            : whole_of != 0 ? whole_of
                                            : static_cast<unsigned>((into ? into : of)->elements.size());
  const unsigned bits = type_bits(b.step.type);
  const Type element = elements == 2 && bits == 64 ? Type::kB32
                       : elements * 16 == bits     ? Type::kB16
                       : elements * 8 == bits      ? Type::kB8
                                                   : Type::kNone;
  if (element == Type::kNone || elements > 4) b.refuse();
  const bool unpacks = into || whole_into != 0;
  b.step.kind = unpacks ? Kind::kUnpack : Kind::kPack;
  b.step.from = element;
  if (unpacks) {
    b.source(1, b.step.type);
    b.targets(0, elements, element);
  } else {
    b.target(0, b.step.type);
    b.sources(1, elements, element);
  }
}

}  // namespace

Handlers general_handlers() {
  return {{"setp", set_predicate}, {"set", set}, {"selp", select}, {"slct", select_by_sign}, {"mov", move}};
}

}  // namespace heddle::oracle
