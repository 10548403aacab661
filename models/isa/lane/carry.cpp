// Extended precision (PTX ISA "Extended-Precision Integer Arithmetic Instructions"): add.cc, addc, sub.cc,
// subc, mad.cc, madc. The condition code register is a predicate: dst[1] where the instruction writes it, the
// last source where it reads it. It holds the adder's carry: a subtraction adds the complement, so its carry is
// 1 where nothing is borrowed, and an addition that follows adds that 1. The manual says "borrow", which only a
// chain of subtractions alone does not tell from it; compilers mix both.
#include "isa/lane/product.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

template <class U>
struct Sum {
  U value;
  bool carry;
};
template <class U>
HEDDLE_INLINE Sum<U> add(U a, U b, bool carry) {
  const U partial = a + b;
  const U value = partial + (carry ? U{1} : U{0});
  return {value, partial < a || value < partial};
}

/// The result of fn(lane, carry in) and its carry out. Everything is computed before anything is written: a
/// destination may be a source.
template <class E, bool carry_in, bool carry_out, class Fn>
HEDDLE_INLINE void with_carry(const LaneArgs& args, unsigned carry_source, Fn fn) {
  using U = typename E::Value;
  const std::uint32_t carries = carry_in ? predicate(args, carry_source) : 0u;
  alignas(64) U values[32];
  std::uint32_t out = 0;
  for (unsigned i = 0; i < 32; ++i) {
    const Sum<U> sum = fn(i, ((carries >> i) & 1u) != 0);
    values[i] = sum.value;
    out |= (sum.carry ? 1u : 0u) << i;
  }
  each_lane<E>(args, [&](unsigned i) { return values[i]; });
  if constexpr (carry_out) write_predicate(args, 1, out);
}

template <class E, bool subtracts, bool carry_in, bool carry_out>
void add_rows(const LaneArgs& args) {
  const auto* a = source<E>(args, 0);
  const auto* b = source<E>(args, 1);
  with_carry<E, carry_in, carry_out>(args, 2, [=](unsigned i, bool carry) {
    using U = typename E::Value;
    const U x = a[i];
    const U y = b[i];
    if constexpr (subtracts) return add<U>(x, static_cast<U>(~y), carry || !carry_in);
    return add<U>(x, y, carry);
  });
}
/// E is signed or unsigned for the high half of the product; sums are the same for both.
template <class E, class U, bool high, bool carry_in, bool carry_out>
void mad_rows(const LaneArgs& args) {
  const auto* a = source<E>(args, 0);
  const auto* b = source<E>(args, 1);
  const auto* c = source<U>(args, 2);
  with_carry<U, carry_in, carry_out>(args, 3, [=](unsigned i, bool carry) {
    using V = typename U::Value;
    const auto product = static_cast<V>(high ? MulHi<E>::apply(a[i], b[i]) : MulLo<E>::apply(a[i], b[i]));
    const V addend = c[i];
    return add(product, addend, carry);
  });
}

template <class U, bool subtracts, bool carry_in>
LaneFn add_or_subtract(const LaneSpec& spec) {
  if (spec.carry_out) return add_rows<U, subtracts, carry_in, true>;
  // Without carry in and out it is a plain addition.
  if constexpr (carry_in)
    return add_rows<U, subtracts, true, false>;
  else
    return nullptr;
}
template <class E, class U, bool high, bool carry_in>
LaneFn multiply_add(const LaneSpec& spec) {
  if (spec.carry_out) return mad_rows<E, U, high, carry_in, true>;
  if constexpr (carry_in)
    return mad_rows<E, U, high, true, false>;
  else
    return nullptr;
}
template <class E, class U>
LaneFn of_type(const LaneSpec& spec) {
  switch (spec.op) {
    case LaneOp::kAdd:
      return add_or_subtract<U, false, false>(spec);
    case LaneOp::kAddc:
      return add_or_subtract<U, false, true>(spec);
    case LaneOp::kSub:
      return add_or_subtract<U, true, false>(spec);
    case LaneOp::kSubc:
      return add_or_subtract<U, true, true>(spec);
    case LaneOp::kMad:
      return multiply_add<E, U, false, false>(spec);
    case LaneOp::kMadc:
      return multiply_add<E, U, false, true>(spec);
    case LaneOp::kMadHi:
      return multiply_add<E, U, true, false>(spec);
    case LaneOp::kMadcHi:
      return multiply_add<E, U, true, true>(spec);
    default:
      return nullptr;
  }
}

}  // namespace

LaneFn find_carry(const LaneSpec& spec) {
  if (spec.sat || spec.ftz || spec.rounding != Rounding::kDefault) return nullptr;
  switch (spec.type) {
    case Type::kU32:
      return of_type<U32, U32>(spec);
    case Type::kS32:
      return of_type<S32, U32>(spec);
    case Type::kU64:
      return of_type<U64, U64>(spec);
    case Type::kS64:
      return of_type<S64, U64>(spec);
    default:
      return nullptr;
  }
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
