// Division by a number known at construction, without a division.
#pragma once

#include <bit>
#include <cstdint>

namespace heddle::base {

/// Exact for every 64-bit number: a shift, or a multiplication by a rounded-up reciprocal of 65 bits
/// (Granlund and Montgomery, "Division by invariant integers using multiplication", figure 4.1).
class Divisor {
 public:
  /// `value` >= 1.
  explicit Divisor(std::uint64_t value)
      : value_(value), shift_(value == 1 ? 0 : 64 - static_cast<unsigned>(std::countl_zero(value - 1))) {
    power_of_two_ = std::has_single_bit(value);
    if (!power_of_two_)
      reciprocal_ = static_cast<std::uint64_t>((((Wide{1} << shift_) - value) << 64) / value) + 1;
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }
  [[nodiscard]] std::uint64_t quotient(std::uint64_t x) const {
    if (power_of_two_) return x >> shift_;
    const auto high = static_cast<std::uint64_t>((Wide{reciprocal_} * x) >> 64);
    return (high + ((x - high) >> 1)) >> (shift_ - 1);
  }
  [[nodiscard]] std::uint64_t remainder(std::uint64_t x) const {
    return power_of_two_ ? x & (value_ - 1) : x - quotient(x) * value_;
  }

 private:
  __extension__ using Wide = unsigned __int128;
  std::uint64_t value_;
  std::uint64_t reciprocal_ = 0;
  unsigned shift_;  ///< rounded-up logarithm of the value
  bool power_of_two_;
};

}  // namespace heddle::base
