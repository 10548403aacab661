// Division by a number known at construction, cheap when that is a power of two.
#pragma once

#include <bit>
#include <cstdint>

namespace heddle::memory {

class Divisor {
 public:
  /// `value` >= 1.
  explicit Divisor(std::uint64_t value)
      : value_(value), shift_(std::has_single_bit(value) ? std::countr_zero(value) : -1) {}
  [[nodiscard]] std::uint64_t value() const { return value_; }
  [[nodiscard]] std::uint64_t quotient(std::uint64_t x) const {
    return shift_ >= 0 ? x >> shift_ : x / value_;
  }
  [[nodiscard]] std::uint64_t remainder(std::uint64_t x) const {
    return shift_ >= 0 ? x & (value_ - 1) : x % value_;
  }

 private:
  std::uint64_t value_;
  int shift_;
};

}  // namespace heddle::memory
