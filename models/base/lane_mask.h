// A set of lanes of one warp. Bit i is lane i; printed MSB first, so the rightmost character is lane 0.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

namespace heddle::base {

inline constexpr unsigned kLanes = 32;  ///< warp size

class LaneMask {
 public:
  constexpr LaneMask() = default;
  constexpr explicit LaneMask(std::uint32_t bits) : bits_(bits) {}
  static constexpr LaneMask all() { return LaneMask(0xffff'ffffu); }
  /// The lowest `count` lanes, 0..32.
  static constexpr LaneMask first_lanes(unsigned count) {
    return LaneMask(count >= kLanes ? 0xffff'ffffu : (1u << count) - 1u);
  }

  [[nodiscard]] constexpr std::uint32_t bits() const { return bits_; }
  [[nodiscard]] constexpr bool test(unsigned lane) const { return (bits_ >> lane) & 1u; }
  /// Without the popcnt instruction, which the oldest x86-64 lacks, std::popcount is a library call.
  [[nodiscard]] constexpr unsigned count() const {
    std::uint32_t n = bits_ - ((bits_ >> 1) & 0x5555'5555u);
    n = (n & 0x3333'3333u) + ((n >> 2) & 0x3333'3333u);
    return (((n + (n >> 4)) & 0x0f0f'0f0fu) * 0x0101'0101u) >> 24;
  }
  /// The same, quicker where most masks are full.
  [[nodiscard]] constexpr unsigned count_of_mostly_full() const {
    return bits_ == 0xffff'ffffu ? kLanes : count();
  }
  [[nodiscard]] constexpr bool none() const { return bits_ == 0; }
  [[nodiscard]] constexpr bool any() const { return bits_ != 0; }
  /// Lowest lane of a non-empty mask.
  [[nodiscard]] constexpr unsigned lowest() const { return static_cast<unsigned>(std::countr_zero(bits_)); }
  [[nodiscard]] constexpr bool contains(LaneMask other) const { return (other.bits_ & ~bits_) == 0; }

  constexpr bool operator==(const LaneMask&) const = default;
  friend constexpr LaneMask operator&(LaneMask a, LaneMask b) { return LaneMask(a.bits_ & b.bits_); }
  friend constexpr LaneMask operator|(LaneMask a, LaneMask b) { return LaneMask(a.bits_ | b.bits_); }
  friend constexpr LaneMask operator~(LaneMask a) { return LaneMask(~a.bits_); }
  constexpr LaneMask& operator&=(LaneMask o) {
    bits_ &= o.bits_;
    return *this;
  }
  constexpr LaneMask& operator|=(LaneMask o) {
    bits_ |= o.bits_;
    return *this;
  }
  /// Lanes of a that are not in b.
  static constexpr LaneMask difference(LaneMask a, LaneMask b) { return LaneMask(a.bits_ & ~b.bits_); }

  /// Calls fn(lane) for every lane of the set, lowest first.
  template <class Fn>
  constexpr void for_each(Fn&& fn) const {
    for (std::uint32_t rest = bits_; rest != 0; rest &= rest - 1)
      fn(static_cast<unsigned>(std::countr_zero(rest)));
  }

  /// `width` characters, MSB first ("0101": lanes 0 and 2 of a warp of four).
  [[nodiscard]] std::string to_string(unsigned width = kLanes) const {
    std::string text(width, '0');
    for (unsigned i = 0; i < width; ++i)
      if (test(i)) text[width - 1 - i] = '1';
    return text;
  }

 private:
  std::uint32_t bits_ = 0;
};

}  // namespace heddle::base
