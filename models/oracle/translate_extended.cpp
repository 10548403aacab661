// Extended-precision arithmetic, which passes a carry from instruction to instruction, and dot products.
#include <array>

#include "oracle/bits.h"
#include "oracle/builder.h"
#include "oracle/integer.h"

namespace heddle::oracle {

namespace {

void take_extended_type(Builder& b) {
  take_arithmetic_type(b);
  if (type_bits(b.step.type) < 32) b.refuse();
}

/// Value and carry of an unsigned sum of up to three numbers of the step's width, as the hardware sees it
/// for signed types as well.
std::array<std::uint64_t, 2> split(Uint128 sum, Type type) {
  const unsigned bits = type_bits(type);
  return {static_cast<std::uint64_t>(sum) & low_bits(bits), static_cast<std::uint64_t>(sum >> bits) & 1};
}

/// The step's last source is the carry if `reads`, and `otherwise` if not; its second result is the carry if
/// `writes`.
void with_carry(Builder& b, bool reads, bool writes, std::uint64_t otherwise = 0) {
  if (reads)
    b.carry_source();
  else
    b.constant_source(otherwise);
  b.step.kind = Kind::kPair;
  if (writes) b.carry_target();
}

/// add.cc, addc{.cc}, sub.cc, subc{.cc}. The flag after a subtraction is 0 if it borrowed and 1 if not, as in
/// the hardware (README.md): a following subc takes off another 1 if it is 0, an addc adds it.
template <bool kSubtract>
void add_or_sub(Builder& b, bool reads) {
  const bool writes = b.take("cc");
  take_extended_type(b);
  b.uniform_operands(2);
  with_carry(b, reads, writes, kSubtract ? 1 : 0);
  b.step.pair_eval = [](const Step& s, Inputs in) {
    if (!kSubtract) return split(Uint128{in[0]} + in[1] + in[2], s.type);
    // The bits above the width are all ones if the difference is below zero: a borrow.
    const std::uint64_t borrow = 1 - in[2];
    const auto [difference, below_zero] = split(Uint128{in[0]} - in[1] - borrow, s.type);
    return std::array<std::uint64_t, 2>{difference, 1 - below_zero};
  };
}

/// mad.cc, madc{.cc}: low or high half of the product, plus c, plus carry.
void multiply_add(Builder& b, bool reads) {
  const bool high = b.take("hi");
  if (!high && !b.take("lo")) b.refuse();
  const bool writes = b.take("cc");
  take_extended_type(b);
  b.uniform_operands(3);
  with_carry(b, reads, writes);
  b.step.flag = high;
  b.step.pair_eval = [](const Step& s, Inputs in) {
    const unsigned bits = type_bits(s.type);
    Uint128 product = Uint128{in[0]} * in[1];
    if (isa::is_signed(s.type)) {
      const auto extended = [bits](std::uint64_t v) {
        return bits == 64 ? Int128{static_cast<std::int64_t>(v)} : Int128{static_cast<std::int32_t>(v)};
      };
      product = static_cast<Uint128>(extended(in[0]) * extended(in[1]));
    }
    const std::uint64_t half =
        static_cast<std::uint64_t>(s.flag ? product >> bits : product) & low_bits(bits);
    return split(Uint128{half} + in[2] + in[3], s.type);
  };
}

template <bool kSubtract>
void chained(Builder& b) {
  add_or_sub<kSubtract>(b, true);
}
void chained_multiply_add(Builder& b) { multiply_add(b, true); }

/// dp4a.atype.btype d, a, b, c: four products of bytes; dp2a.lo/.hi: two of 16 bits by 8, which are the lower
/// or upper two bytes of b.
template <unsigned kProducts>
void dot_product(Builder& b) {
  if (kProducts == 2) {
    b.step.flag = b.take("hi");
    if (!b.step.flag && !b.take("lo")) b.refuse();
  }
  // Both types may have the same name, so they are consumed one by one.
  const Type a = b.take_type();
  const Type c = b.take_type();
  const auto is_word = [](Type type) { return type == Type::kU32 || type == Type::kS32; };
  if (!is_word(a) || !is_word(c)) b.refuse();
  b.step.type = a == Type::kU32 && c == Type::kU32 ? Type::kU32 : Type::kS32;
  b.step.from = a;
  b.step.selector = c == Type::kS32 ? 1 : 0;
  b.expect_operands(4, 4);
  b.target(0, b.step.type);
  b.source(1, a);
  b.source(2, c);
  b.source(3, b.step.type);
  b.step.eval = [](const Step& s, Inputs in) -> std::uint64_t {
    const auto piece = [](std::uint64_t word, unsigned width, unsigned at, bool is_signed) {
      const std::uint64_t bits = (word >> (width * at)) & low_bits(width);
      const bool negative = is_signed && ((bits >> (width - 1)) & 1) != 0;
      return static_cast<std::int64_t>(negative ? bits | ~low_bits(width) : bits);
    };
    constexpr unsigned kWidth = 32 / kProducts;
    auto sum = static_cast<std::int64_t>(in[2]);
    for (unsigned i = 0; i < kProducts; ++i) {
      const unsigned byte = kProducts == 2 && s.flag ? i + 2 : i;
      sum += piece(in[0], kWidth, i, s.from == Type::kS32) * piece(in[1], 8, byte, s.selector == 1);
    }
    return static_cast<std::uint64_t>(sum) & low_bits(32);
  };
}

}  // namespace

void add_with_carry(Builder& b) { add_or_sub<false>(b, false); }
void subtract_with_carry(Builder& b) { add_or_sub<true>(b, false); }
void multiply_with_carry(Builder& b) { multiply_add(b, false); }

Handlers extended_handlers() {
  return {{"addc", chained<false>},
          {"subc", chained<true>},
          {"madc", chained_multiply_add},
          {"dp4a", dot_product<4>},
          {"dp2a", dot_product<2>}};
}

}  // namespace heddle::oracle
