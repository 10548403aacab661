#include "frontend/ptx/number.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <limits>

#include "frontend/ptx/diagnostic.h"

namespace heddle::ptx {
namespace {

using Result = std::variant<IntegerLiteral, FloatLiteral, NumberError>;

NumberError malformed(std::string_view text, const std::string& hint = {}) {
  return {fmt::format("malformed number '{}'{}", printable(std::string(text)), hint)};
}

Result parse_integer(std::string_view text, std::string_view digits, int base, bool negative) {
  std::uint64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, status] = std::from_chars(digits.data(), end, value, base);
  if (status == std::errc::result_out_of_range && stop == end)
    return NumberError{fmt::format("number '{}' does not fit in 64 bits", printable(std::string(text)))};
  if (status != std::errc{} || stop != end) return malformed(text);
  if (negative && value > std::uint64_t{1} << 63)
    return NumberError{fmt::format("number '-{}' does not fit in 64 bits", text)};
  return IntegerLiteral{negative ? ~value + 1 : value, negative && value != 0};
}

/// 0f and 0d: the bits of the value, most significant digit first.
Result parse_hex_float(std::string_view text, unsigned width, bool negative) {
  const std::string_view digits = text.substr(2);
  std::uint64_t bits = 0;
  const auto [stop, status] = std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
  if (digits.size() != width / 4 || status != std::errc{} || stop != digits.data() + digits.size())
    return malformed(text, fmt::format(": {} takes {} hexadecimal digits", text.substr(0, 2), width / 4));
  if (negative) bits ^= std::uint64_t{1} << (width - 1);
  const double value =
      width == 32 ? std::bit_cast<float>(static_cast<std::uint32_t>(bits)) : std::bit_cast<double>(bits);
  return FloatLiteral{value, bits, width};
}

Result parse_decimal_float(std::string_view text, bool negative) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  if (stop != end) return malformed(text);
  if (status == std::errc::result_out_of_range)
    return NumberError{fmt::format("number '{}' is out of the range of .f64", printable(std::string(text)))};
  if (negative) value = -value;
  return FloatLiteral{value, std::bit_cast<std::uint64_t>(value), 64};
}

}  // namespace

Result parse_number(std::string_view text, bool negative) {
  const char second = text.size() > 1 && text[0] == '0' ? text[1] : '\0';
  if (second == 'f' || second == 'F') return parse_hex_float(text, 32, negative);
  if (second == 'd' || second == 'D') return parse_hex_float(text, 64, negative);
  const bool hex = second == 'x' || second == 'X';
  if (!hex && text.find_first_of(".eE") != std::string_view::npos) return parse_decimal_float(text, negative);

  std::string_view digits = text;
  if (digits.ends_with('U')) digits.remove_suffix(1);
  if (hex) return parse_integer(text, digits.substr(2), 16, negative);
  if (second == 'b' || second == 'B') return parse_integer(text, digits.substr(2), 2, negative);
  if (digits.size() > 1 && digits[0] == '0') return parse_integer(text, digits.substr(1), 8, negative);
  return parse_integer(text, digits, 10, negative);
}

}  // namespace heddle::ptx
