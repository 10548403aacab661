// Integer and bit instructions (PTX ISA "Integer Arithmetic Instructions", "Logic and Shift Instructions").
#include <algorithm>
#include <array>
#include <bit>

#include "oracle/bits.h"
#include "oracle/builder.h"

namespace heddle::oracle {

namespace {

__extension__ using Int128 = __int128;
__extension__ using Uint128 = unsigned __int128;

template <class T>
using WideOf = std::conditional_t<std::is_signed_v<T>, Int128, Uint128>;

/// A 64-bit result from a value of type T computed in 128 bits: low half of the product.
template <class T>
std::uint64_t low(WideOf<T> value) {
  return bits_of(static_cast<T>(value));
}

template <class T>
WideOf<T> wide(std::uint64_t bits) {
  return static_cast<WideOf<T>>(value_of<T>(bits));
}

std::uint64_t saturate_s32(Int128 value) {
  const Int128 least = std::numeric_limits<std::int32_t>::min();
  const Int128 most = std::numeric_limits<std::int32_t>::max();
  return bits_of(static_cast<std::int32_t>(std::clamp(value, least, most)));
}

bool is_integer(Type type) { return type != Type::kPred && type != Type::kNone && !isa::is_float(type); }
bool is_bits(Type type) {
  return type == Type::kB8 || type == Type::kB16 || type == Type::kB32 || type == Type::kB64;
}

/// u16..u64, s16..s64.
void take_arithmetic_type(Builder& b) {
  b.step.type = b.take_type();
  if (!is_integer(b.step.type) || is_bits(b.step.type) || type_bits(b.step.type) < 16) b.refuse();
}

template <bool kSubtract>
void add_or_sub(Builder& b) {
  take_arithmetic_type(b);
  b.step.sat = b.take("sat");
  if (b.step.sat && b.step.type != Type::kS32) b.refuse();
  b.uniform_operands(2);
  b.step.eval = for_integer(b.step.type, []<class T>() -> Eval {
    return [](const Step& s, Inputs in) {
      const WideOf<T> a = wide<T>(in[0]);
      const WideOf<T> c = wide<T>(in[1]);
      if constexpr (std::is_same_v<T, std::int32_t>)
        if (s.sat) return saturate_s32(kSubtract ? a - c : a + c);
      (void)s;
      return low<T>(kSubtract ? a - c : a + c);
    };
  });
}

Type doubled(Type type) {
  switch (type) {
    case Type::kU16:
      return Type::kU32;
    case Type::kS16:
      return Type::kS32;
    case Type::kU32:
      return Type::kU64;
    case Type::kS32:
      return Type::kS64;
    default:
      return Type::kNone;
  }
}

enum class Half { kLo, kHi, kWide };

/// mul and mad: product half, then the addend of the result's width.
template <bool kAdd>
void multiply(Builder& b) {
  const auto half = b.take_choice<Half>({{"lo", Half::kLo}, {"hi", Half::kHi}, {"wide", Half::kWide}});
  if (!half) b.refuse();
  take_arithmetic_type(b);
  const Type type = b.step.type;
  const Type result = *half == Half::kWide ? doubled(type) : type;
  if (result == Type::kNone) b.refuse();
  b.step.sat = kAdd && b.take("sat");
  if (b.step.sat && (*half != Half::kHi || type != Type::kS32)) b.refuse();
  b.expect_operands(kAdd ? 4 : 3, kAdd ? 4 : 3);
  b.target(0, result);
  b.source(1, type);
  b.source(2, type);
  if (kAdd) b.source(3, result);
  const auto pick = [&]<Half kHalf>() {
    return for_integer(type, []<class T>() -> Eval {
      return [](const Step& s, Inputs in) -> std::uint64_t {
        WideOf<T> product = wide<T>(in[0]) * wide<T>(in[1]);
        if constexpr (kHalf == Half::kHi) product >>= sizeof(T) * 8;
        if constexpr (kHalf == Half::kWide) {
          const auto sum = static_cast<std::uint64_t>(product) + (kAdd ? in[2] : 0);
          return sum & low_bits(sizeof(T) * 16);
        }
        if constexpr (kAdd && std::is_same_v<T, std::int32_t>)
          if (s.sat) return saturate_s32(product + wide<T>(in[2]));
        (void)s;
        if constexpr (kAdd) product += wide<T>(in[2]);
        return low<T>(product);
      };
    });
  };
  b.step.eval = *half == Half::kLo   ? pick.template operator()<Half::kLo>()
                : *half == Half::kHi ? pick.template operator()<Half::kHi>()
                                     : pick.template operator()<Half::kWide>();
  b.step.type = result;
}

/// mul24, mad24: product of the low 24 bits; hi is bits 16..47 of it.
template <bool kAdd>
void multiply24(Builder& b) {
  b.step.flag = b.take("hi");
  if (!b.step.flag && !b.take("lo")) b.refuse();
  b.step.type = b.take_type();
  if (b.step.type != Type::kU32 && b.step.type != Type::kS32) b.refuse();
  b.step.sat = kAdd && b.step.flag && b.step.type == Type::kS32 && b.take("sat");
  b.uniform_operands(kAdd ? 3 : 2);
  b.step.eval = for_integer(b.step.type, []<class T>() -> Eval {
    return [](const Step& s, Inputs in) -> std::uint64_t {
      const auto cut = [](std::uint64_t bits) -> WideOf<T> {
        const std::uint32_t high = static_cast<std::uint32_t>(bits) << 8;
        return static_cast<WideOf<T>>(static_cast<T>(high)) >> 8;  // arithmetic for signed T: sign of bit 23
      };
      WideOf<T> product = cut(in[0]) * cut(in[1]);
      if (s.flag) product >>= 16;
      if (kAdd) product += wide<T>(in[2]);
      if (s.sat) return saturate_s32(static_cast<Int128>(product));
      return low<T>(product);
    };
  });
}

void sad(Builder& b) {
  take_arithmetic_type(b);
  b.uniform_operands(3);
  b.step.eval = for_integer(b.step.type, []<class T>() -> Eval {
    return [](const Step&, Inputs in) {
      const WideOf<T> a = wide<T>(in[0]);
      const WideOf<T> c = wide<T>(in[1]);
      return low<T>((a < c ? c - a : a - c) + wide<T>(in[2]));
    };
  });
}

/// Division by zero is unspecified in PTX. Here, as on NVIDIA hardware: all ones, remainder the dividend.
template <bool kRemainder>
void divide(Builder& b) {
  take_arithmetic_type(b);
  b.uniform_operands(2);
  b.step.eval = for_integer(b.step.type, []<class T>() -> Eval {
    return [](const Step&, Inputs in) -> std::uint64_t {
      const WideOf<T> a = wide<T>(in[0]);
      const WideOf<T> c = wide<T>(in[1]);
      if (c == 0) return kRemainder ? low<T>(a) : low_bits(sizeof(T) * 8);
      return low<T>(kRemainder ? a % c : a / c);
    };
  });
}

template <bool kMax>
void min_or_max(Builder& b) {
  take_arithmetic_type(b);
  b.uniform_operands(2);
  b.step.eval = for_integer(b.step.type, []<class T>() -> Eval {
    return [](const Step&, Inputs in) {
      const T a = value_of<T>(in[0]);
      const T c = value_of<T>(in[1]);
      return bits_of((kMax ? a > c : a < c) ? a : c);
    };
  });
}

template <bool kAbs>
void abs_or_neg(Builder& b) {
  take_arithmetic_type(b);
  if (!isa::is_signed(b.step.type)) b.refuse();
  b.uniform_operands(1);
  b.step.eval = for_integer(b.step.type, []<class T>() -> Eval {
    return [](const Step&, Inputs in) {
      const WideOf<T> a = wide<T>(in[0]);
      return low<T>(kAbs && a >= 0 ? a : -a);
    };
  });
}

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

void lop3(Builder& b) {
  b.step.type = b.take_type();
  if (b.step.type != Type::kB32) b.refuse();
  b.expect_operands(5, 5);
  b.target(0, b.step.type);
  for (std::size_t i = 1; i <= 4; ++i) b.source(i, Type::kU32);
  b.step.eval = [](const Step&, Inputs in) {
    std::uint64_t out = 0;
    for (unsigned row = 0; row < 8; ++row) {
      if (!((in[3] >> row) & 1)) continue;
      out |= ((row & 4) ? in[0] : ~in[0]) & ((row & 2) ? in[1] : ~in[1]) & ((row & 1) ? in[2] : ~in[2]);
    }
    return out & low_bits(32);
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
      // Bit by bit, as the PTX ISA defines it.
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

}  // namespace

Handlers integer_handlers() {
  return {{"add", add_or_sub<false>},
          {"sub", add_or_sub<true>},
          {"mul", multiply<false>},
          {"mad", multiply<true>},
          {"mul24", multiply24<false>},
          {"mad24", multiply24<true>},
          {"sad", sad},
          {"div", divide<false>},
          {"rem", divide<true>},
          {"min", min_or_max<false>},
          {"max", min_or_max<true>},
          {"abs", abs_or_neg<true>},
          {"neg", abs_or_neg<false>},
          {"and", logic<Logic::kAnd>},
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
          {"bfe", extract_field},
          {"bfi", insert_field},
          {"prmt", permute}};
}

}  // namespace heddle::oracle
