// Logic, shifts, bit fields and byte permutation (PTX ISA "Logic and Shift Instructions", and the bit-field
// part of "Integer Arithmetic Instructions").
#include <algorithm>
#include <array>
#include <bit>

#include "oracle/bits.h"
#include "oracle/builder.h"
#include "oracle/integer.h"

namespace heddle::oracle {

namespace {

enum class Logic { kAnd, kOr, kXor, kNot, kCnot };

template <Logic kLogic>
void logic(Builder& b) {
  constexpr bool kUnary = kLogic == Logic::kNot || kLogic == Logic::kCnot;
  b.step.type = b.take_type();
  if (!is_bits(b.step.type) && (b.step.type != Type::kPred || kLogic == Logic::kCnot)) b.refuse();
  b.uniform_operands(kUnary ? 1 : 2);
  b.step.eval = [](const Step& s, Inputs in) -> std::uint64_t {
    switch (kLogic) {
      case Logic::kAnd:
        return in[0] & in[1];
      case Logic::kOr:
        return in[0] | in[1];
      case Logic::kXor:
        return in[0] ^ in[1];
      case Logic::kNot:
        return ~in[0] & low_bits(type_bits(s.type));
      case Logic::kCnot:
        return in[0] == 0 ? 1 : 0;
    }
    return 0;
  };
}

std::uint64_t table_of_three(Inputs in) {
  std::uint64_t out = 0;
  for (unsigned row = 0; row < 8; ++row) {
    if (!((in[3] >> row) & 1)) continue;
    out |= ((row & 4) ? in[0] : ~in[0]) & ((row & 2) ? in[1] : ~in[1]) & ((row & 1) ? in[2] : ~in[2]);
  }
  return out & low_bits(32);
}

/// lop3.b32 d, a, b, c, table; lop3.and/or.b32 d|p, a, b, c, table, q with p = (d != 0) op q.
void lop3(Builder& b) {
  b.step.combine =
      b.take_choice<Combine>({{"and", Combine::kAnd}, {"or", Combine::kOr}}).value_or(Combine::kNone);
  b.step.type = b.take_type();
  if (b.step.type != Type::kB32) b.refuse();
  const bool combines = b.step.combine != Combine::kNone;
  b.expect_operands(combines ? 6 : 5, combines ? 6 : 5);
  b.target(0, b.step.type);
  for (std::size_t i = 1; i <= 4; ++i) b.source(i, Type::kU32);
  if (!combines) {
    b.step.eval = [](const Step&, Inputs in) { return table_of_three(in); };
    return;
  }
  if (!b.has_second(0)) b.fail("'lop3' with .and or .or needs a predicate result");
  b.second_target(0, Type::kPred);
  b.source(5, Type::kPred);
  b.step.kind = Kind::kPair;
  b.step.pair_eval = [](const Step& s, Inputs in) -> std::array<std::uint64_t, 2> {
    const std::uint64_t result = table_of_three(in);
    const bool any = result != 0;
    const bool predicate = s.combine == Combine::kAnd ? any && in[4] != 0 : any || in[4] != 0;
    return {result, predicate ? 1u : 0u};
  };
}

template <bool kLeft>
void shift(Builder& b) {
  b.step.type = b.take_type();
  if (!is_integer(b.step.type) || type_bits(b.step.type) < 16 || (kLeft && !is_bits(b.step.type))) b.refuse();
  b.expect_operands(3, 3);
  b.target(0, b.step.type);
  b.source(1, b.step.type);
  b.source(2, Type::kU32);
  b.step.eval = for_integer(b.step.type, []<class T>() -> Eval {
    return [](const Step&, Inputs in) {
      // Amounts beyond the width are clamped to it: zeros, or copies of the sign.
      const std::uint64_t amount = std::min<std::uint64_t>(in[1], sizeof(T) * 8);
      if (kLeft) return low<T>(static_cast<WideOf<T>>(static_cast<Uint128>(value_of<T>(in[0])) << amount));
      return low<T>(wide<T>(in[0]) >> amount);
    };
  });
}

void funnel_shift(Builder& b) {
  const auto left = b.take_choice<bool>({{"l", true}, {"r", false}});
  b.step.flag = b.take("clamp");
  if (!left || (!b.step.flag && !b.take("wrap"))) b.refuse();
  b.step.type = b.take_type();
  if (b.step.type != Type::kB32) b.refuse();
  b.uniform_operands(3);
  // Operands: a is the low half, b the high half of the 64 bits that are shifted.
  b.step.eval = *left ? Eval{[](const Step& s, Inputs in) -> std::uint64_t {
    const std::uint64_t n = s.flag ? std::min<std::uint64_t>(in[2], 32) : in[2] & 31;
    return (((in[1] << 32) | in[0]) << n) >> 32 & low_bits(32);
  }}
                      : Eval{[](const Step& s, Inputs in) -> std::uint64_t {
                          const std::uint64_t n = s.flag ? std::min<std::uint64_t>(in[2], 32) : in[2] & 31;
                          return (((in[1] << 32) | in[0]) >> n) & low_bits(32);
                        }};
}

/// popc, clz, brev on b32 and b64.
template <int kWhat>
void count_bits(Builder& b) {
  const Type type = b.take_type();
  if (type != Type::kB32 && type != Type::kB64) b.refuse();
  b.expect_operands(2, 2);
  b.step.type = type;
  b.target(0, kWhat == 2 ? type : Type::kU32);
  b.source(1, type);
  b.step.eval = for_integer(type, []<class T>() -> Eval {
    return [](const Step&, Inputs in) -> std::uint64_t {
      using U = std::make_unsigned_t<T>;
      const U a = value_of<U>(in[0]);
      if (kWhat == 0) return static_cast<std::uint64_t>(std::popcount(a));
      if (kWhat == 1) return static_cast<std::uint64_t>(std::countl_zero(a));
      std::uint64_t reversed = 0;
      for (unsigned i = 0; i < sizeof(T) * 8; ++i) reversed = reversed << 1 | ((a >> i) & 1);
      return reversed;
    };
  });
}

void find_bit(Builder& b) {
  b.step.flag = b.take("shiftamt");
  take_arithmetic_type(b);
  if (type_bits(b.step.type) < 32) b.refuse();
  b.expect_operands(2, 2);
  b.target(0, Type::kU32);
  b.source(1, b.step.type);
  b.step.eval = for_integer(b.step.type, []<class T>() -> Eval {
    return [](const Step& s, Inputs in) -> std::uint64_t {
      using U = std::make_unsigned_t<T>;
      U a = value_of<U>(in[0]);
      if (std::is_signed_v<T> && value_of<T>(in[0]) < 0) a = static_cast<U>(~a);
      if (a == 0) return low_bits(32);
      const auto zeros = static_cast<std::uint64_t>(std::countl_zero(a));
      return s.flag ? zeros : sizeof(T) * 8 - 1 - zeros;
    };
  });
}

void extract_field(Builder& b) {
  take_arithmetic_type(b);
  if (type_bits(b.step.type) < 32) b.refuse();
  b.expect_operands(4, 4);
  b.target(0, b.step.type);
  b.source(1, b.step.type);
  b.source(2, Type::kU32);
  b.source(3, Type::kU32);
  b.step.eval = for_integer(b.step.type, []<class T>() -> Eval {
    return [](const Step&, Inputs in) -> std::uint64_t {
      // Bit by bit, as defined in the PTX ISA.
      const unsigned msb = sizeof(T) * 8 - 1;
      const unsigned pos = in[1] & 0xff;
      const unsigned len = in[2] & 0xff;
      const auto bit = [&](unsigned i) { return (in[0] >> i) & 1; };
      const std::uint64_t sign = std::is_unsigned_v<T> || len == 0 ? 0 : bit(std::min(pos + len - 1, msb));
      std::uint64_t out = 0;
      for (unsigned i = 0; i <= msb; ++i) out |= (i < len && pos + i <= msb ? bit(pos + i) : sign) << i;
      return out;
    };
  });
}

void insert_field(Builder& b) {
  b.step.type = b.take_type();
  if (b.step.type != Type::kB32 && b.step.type != Type::kB64) b.refuse();
  b.expect_operands(5, 5);
  b.target(0, b.step.type);
  b.source(1, b.step.type);
  b.source(2, b.step.type);
  b.source(3, Type::kU32);
  b.source(4, Type::kU32);
  b.step.eval = [](const Step& s, Inputs in) {
    const unsigned msb = type_bits(s.type) - 1;
    const unsigned pos = in[2] & 0xff;
    const unsigned len = in[3] & 0xff;
    std::uint64_t out = in[1];
    for (unsigned i = 0; i < len && pos + i <= msb; ++i) {
      const std::uint64_t at = std::uint64_t{1} << (pos + i);
      out = ((in[0] >> i) & 1) ? out | at : out & ~at;
    }
    return out;
  };
}

/// The four byte selectors of prmt's special modes, by the two low bits of c (PTX ISA, table of prmt modes).
constexpr std::array<std::array<std::uint16_t, 4>, 6> kPermuteModes{{
    {0x3210, 0x4321, 0x5432, 0x6543},  // f4e
    {0x5670, 0x6701, 0x7012, 0x0123},  // b4e
    {0x0000, 0x1111, 0x2222, 0x3333},  // rc8
    {0x3210, 0x3211, 0x3222, 0x3333},  // ecl
    {0x0000, 0x1110, 0x2210, 0x3210},  // ecr
    {0x1010, 0x3232, 0x1010, 0x3232},  // rc16
}};

void permute(Builder& b) {
  b.step.selector =
      b.take_choice<std::uint8_t>({{"f4e", 1}, {"b4e", 2}, {"rc8", 3}, {"ecl", 4}, {"ecr", 5}, {"rc16", 6}})
          .value_or(0);
  b.step.type = b.take_type();
  if (b.step.type != Type::kB32) b.refuse();
  b.uniform_operands(3);
  b.step.eval = [](const Step& s, Inputs in) {
    const std::uint64_t bytes = in[1] << 32 | in[0];
    const std::uint64_t select = s.selector == 0 ? in[2] : kPermuteModes[s.selector - 1u][in[2] & 3];
    std::uint64_t out = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned nibble = (select >> (4 * i)) & 15;
      std::uint64_t byte = (bytes >> (8 * (nibble & 7))) & 0xff;
      if (nibble & 8) byte = (byte & 0x80) ? 0xff : 0;
      out |= byte << (8 * i);
    }
    return out;
  };
}

/// fns.b32 d, mask, base, offset: the offset-th set bit of mask counted from base, upwards or downwards.
void find_nth_set(Builder& b) {
  if (b.take_type() != Type::kB32) b.refuse();
  b.step.type = Type::kB32;
  b.expect_operands(4, 4);
  b.target(0, Type::kB32);
  b.source(1, Type::kB32);
  b.source(2, Type::kB32);
  b.source(3, Type::kS32);
  b.step.eval = [](const Step&, Inputs in) -> std::uint64_t {
    const auto mask = static_cast<std::uint32_t>(in[0]);
    const auto base = static_cast<std::int64_t>(in[1] & low_bits(32));
    const std::int64_t offset = value_of<std::int32_t>(in[2]);
    const auto is_set = [&](std::int64_t at) { return at >= 0 && at < 32 && ((mask >> at) & 1) != 0; };
    if (offset == 0) return is_set(base) ? static_cast<std::uint64_t>(base) : low_bits(32);
    const std::int64_t step = offset > 0 ? 1 : -1;
    std::int64_t left = offset > 0 ? offset : -offset;
    for (std::int64_t at = base; at >= 0 && at < 32; at += step)
      if (is_set(at) && --left == 0) return static_cast<std::uint64_t>(at);
    return low_bits(32);
  };
}

bool take_clamp(Builder& b) {
  const auto clamp = b.take_choice<bool>({{"clamp", true}, {"wrap", false}});
  if (!clamp) b.refuse();
  return *clamp;
}

/// szext.mode.type d, a, b: the low b bits of a, zero- or sign-extended.
void extend_field(Builder& b) {
  b.step.flag = take_clamp(b);
  b.step.type = b.take_type();
  if (b.step.type != Type::kU32 && b.step.type != Type::kS32) b.refuse();
  b.expect_operands(3, 3);
  b.target(0, b.step.type);
  b.source(1, b.step.type);
  b.source(2, Type::kU32);
  b.step.eval = [](const Step& s, Inputs in) -> std::uint64_t {
    const std::uint64_t size = in[1] & low_bits(32);
    if (s.flag && size >= 32) return in[0] & low_bits(32);
    const unsigned count = size & 31;
    const std::uint64_t field = in[0] & low_bits(count);
    const bool negative = s.type == Type::kS32 && count > 0 && ((in[0] >> (count - 1)) & 1) != 0;
    return negative ? (field | ~low_bits(count)) & low_bits(32) : field;
  };
}

/// bmsk.mode.b32 d, a, b: b ones from bit a on.
void make_mask(Builder& b) {
  b.step.flag = take_clamp(b);
  b.step.type = b.take_type();
  if (b.step.type != Type::kB32) b.refuse();
  b.expect_operands(3, 3);
  b.target(0, Type::kB32);
  b.source(1, Type::kU32);
  b.source(2, Type::kU32);
  b.step.eval = [](const Step& s, Inputs in) -> std::uint64_t {
    const std::uint64_t first = in[0] & low_bits(32);
    const std::uint64_t count = in[1] & low_bits(32);
    if (s.flag && first >= 32) return 0;
    const std::uint64_t ones = s.flag && count >= 32 ? 32 : count & 31;
    return (low_bits(static_cast<unsigned>(ones)) << (first & 31)) & low_bits(32);
  };
}

}  // namespace

Handlers bit_handlers() {
  return {{"and", logic<Logic::kAnd>},
          {"or", logic<Logic::kOr>},
          {"xor", logic<Logic::kXor>},
          {"not", logic<Logic::kNot>},
          {"cnot", logic<Logic::kCnot>},
          {"lop3", lop3},
          {"shl", shift<true>},
          {"shr", shift<false>},
          {"shf", funnel_shift},
          {"popc", count_bits<0>},
          {"clz", count_bits<1>},
          {"brev", count_bits<2>},
          {"bfind", find_bit},
          {"fns", find_nth_set},
          {"bfe", extract_field},
          {"bfi", insert_field},
          {"szext", extend_field},
          {"bmsk", make_mask},
          {"prmt", permute}};
}

}  // namespace heddle::oracle
