// A machine instruction of 128 bits and the fields in it. Bits are numbered as in the specifications: 0 to 63 are the low
// half (bytes 0 to 7), 64 to 127 the high one.
#pragma once

#include <cstdint>

namespace heddle::sass {

/// Adjacent bits; or two pieces, of which the second one holds the value's higher bits.
struct Field {
  std::uint8_t at = 0;
  std::uint8_t width = 0;  ///< 0: there is no field
  std::uint8_t high_at = 0;
  std::uint8_t high_width = 0;

  [[nodiscard]] constexpr unsigned bits() const { return unsigned{width} + high_width; }
};

struct Word {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  bool operator==(const Word&) const = default;

  [[nodiscard]] constexpr std::uint64_t get(unsigned at, unsigned width) const {
    if (width == 0) return 0;
    const std::uint64_t value = at >= 64 ? high >> (at - 64) : at == 0 ? low : low >> at | high << (64 - at);
    return value & ones(width);
  }
  [[nodiscard]] constexpr std::uint64_t get(Field field) const {
    return get(field.at, field.width) | get(field.high_at, field.high_width) << field.width;
  }
  /// Replaces the bits; `value` is cut off to the field.
  constexpr void set(unsigned at, unsigned width, std::uint64_t value) {
    for (unsigned i = 0; i < width; ++i) {
      std::uint64_t& half = at + i < 64 ? low : high;
      const std::uint64_t bit = std::uint64_t{1} << ((at + i) & 63);
      half = (value >> i & 1) != 0 ? half | bit : half & ~bit;
    }
  }
  constexpr void set(Field field, std::uint64_t value) {
    set(field.at, field.width, value);
    set(field.high_at, field.high_width, value >> field.width);
  }

  [[nodiscard]] static constexpr std::uint64_t ones(unsigned width) {
    return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  }
};

/// The value of a field of `bits` bits in two's complement.
[[nodiscard]] constexpr std::int64_t sign_extend(std::uint64_t value, unsigned bits) {
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  return static_cast<std::int64_t>((value ^ sign) - sign);
}

}  // namespace heddle::sass
