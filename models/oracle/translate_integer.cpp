// Integer instructions (PTX ISA "Integer Arithmetic Instructions").
#include <algorithm>

#include "oracle/bits.h"
#include "oracle/builder.h"
#include "oracle/integer.h"

namespace heddle::oracle {

namespace {

template <bool kSubtract>
void add_or_sub(Builder& b) {
  if (b.has_modifier("cc")) return kSubtract ? subtract_with_carry(b) : add_with_carry(b);
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

enum class ProductPart { kLo, kHi, kWide };

/// mul and mad: the selected half of the product, then the addend of the result's width.
template <bool kAdd>
void multiply(Builder& b) {
  if (kAdd && b.has_modifier("cc")) return multiply_with_carry(b);
  const auto half = b.take_choice<ProductPart>(
      {{"lo", ProductPart::kLo}, {"hi", ProductPart::kHi}, {"wide", ProductPart::kWide}});
  if (!half) b.refuse();
  take_arithmetic_type(b);
  const Type type = b.step.type;
  const Type result = *half == ProductPart::kWide ? doubled(type) : type;
  if (result == Type::kNone) b.refuse();
  b.step.sat = kAdd && b.take("sat");
  if (b.step.sat && (*half != ProductPart::kHi || type != Type::kS32)) b.refuse();
  b.expect_operands(kAdd ? 4 : 3, kAdd ? 4 : 3);
  b.target(0, result);
  b.source(1, type);
  b.source(2, type);
  if (kAdd) b.source(3, result);
  const auto pick = [&]<ProductPart kPart>() {
    return for_integer(type, []<class T>() -> Eval {
      return [](const Step& s, Inputs in) -> std::uint64_t {
        WideOf<T> product = wide<T>(in[0]) * wide<T>(in[1]);
        if constexpr (kPart == ProductPart::kHi) product >>= sizeof(T) * 8;
        if constexpr (kPart == ProductPart::kWide) {
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
  b.step.eval = *half == ProductPart::kLo   ? pick.template operator()<ProductPart::kLo>()
                : *half == ProductPart::kHi ? pick.template operator()<ProductPart::kHi>()
                                            : pick.template operator()<ProductPart::kWide>();
  b.step.type = result;
}

/// mul24, mad24: product of the low 24 bits; hi is its bits 16..47.
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

/// Division by zero is unspecified in PTX. Here all ones, quotient and remainder, as measured on an H200.
template <bool kRemainder>
void divide(Builder& b) {
  take_arithmetic_type(b);
  b.uniform_operands(2);
  b.step.eval = for_integer(b.step.type, []<class T>() -> Eval {
    return [](const Step&, Inputs in) -> std::uint64_t {
      const WideOf<T> a = wide<T>(in[0]);
      const WideOf<T> c = wide<T>(in[1]);
      if (c == 0) return low_bits(sizeof(T) * 8);
      return low<T>(kRemainder ? a % c : a / c);
    };
  });
}

template <bool kMax>
void integer_min_or_max(Builder& b) {
  take_arithmetic_type(b);
  const bool relu = b.step.type == Type::kS32 && b.take("relu");
  b.uniform_operands(2);
  if (relu) {
    b.step.eval = [](const Step&, Inputs in) {
      const auto a = value_of<std::int32_t>(in[0]), c = value_of<std::int32_t>(in[1]);
      return bits_of(std::max(kMax ? std::max(a, c) : std::min(a, c), 0));
    };
    return;
  }
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
          {"min", integer_min_or_max<false>},
          {"max", integer_min_or_max<true>},
          {"abs", abs_or_neg<true>},
          {"neg", abs_or_neg<false>}};
}

}  // namespace heddle::oracle
