// Comparisons and how their results are combined with an input predicate.
#pragma once

#include <cmath>

#include "oracle/sass/lane.h"

namespace heddle::oracle::machine_code {

enum class Order : std::uint8_t { kLess, kEqual, kGreater, kUnordered };

/// Bits of a code that hold for an order. The unordered ones are 8 to 15 in comparisons of numbers.
enum class IntegerCompare : std::uint8_t { kFalse, kLt, kEq, kLe, kGt, kNe, kGe, kTrue };

/// Codes 0 to 15 of comparisons of numbers are a set of orders: 1 less, 2 equal, 4 greater, 8 unordered.
[[nodiscard]] constexpr bool holds(unsigned code, Order order) {
  return (code >> static_cast<unsigned>(order) & 1) != 0;
}
[[nodiscard]] constexpr bool holds(IntegerCompare code, Order order) {
  return holds(static_cast<unsigned>(code), order);
}

template <class F>
[[nodiscard]] Order order_of(F a, F b) {
  if (std::isnan(a) || std::isnan(b)) return Order::kUnordered;
  return a < b ? Order::kLess : a == b ? Order::kEqual : Order::kGreater;
}

/// AND, OR, XOR with the input predicate.
[[nodiscard]] inline bool combined(unsigned how, bool result, bool input) {
  return how == 0 ? result && input : how == 1 ? result || input : result != input;
}

/// The first predicate gets the result, the second one its complement, both combined with the input.
inline void set_both(Values& v, bool result) {
  const bool input = v.predicate(Role::kPs0);
  const unsigned how = v.code(Modifier::kCombine);
  v.set_predicate(Role::kPd0, combined(how, result, input));
  v.set_predicate(Role::kPd1, combined(how, !result, input));
}

}  // namespace heddle::oracle::machine_code
