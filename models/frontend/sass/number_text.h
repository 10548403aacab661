// Numbers in the disassembler's notation.
#pragma once

#include <cstdint>
#include <string>

namespace heddle::sass {

/// "0x1f", "-0x3".
[[nodiscard]] std::string signed_hex(std::int64_t value);

/// "0.5", "1.84467440737095516160e+19", "+INF ", "-QNAN " (with the blank).
[[nodiscard]] std::string float_text(float value);
[[nodiscard]] std::string float_text(double value);

/// The value of an IEEE half.
[[nodiscard]] double half_value(std::uint16_t bits);

}  // namespace heddle::sass
