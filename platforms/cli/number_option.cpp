#include "cli/number_option.h"

#include <fmt/format.h>

#include <charconv>
#include <string>

namespace heddle::cli {

CLI::Validator whole_number(std::uint64_t min, std::uint64_t max) {
  const bool bounded = max != std::numeric_limits<std::uint64_t>::max();
  const std::string range =
      bounded ? fmt::format("from {} to {}", min, max) : fmt::format("of at least {}", min);
  const auto check = [=](std::string& text) -> std::string {
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    const char* const begin = text.data() + (hex ? 2 : 0);
    const char* const end = text.data() + text.size();
    std::uint64_t value = 0;
    const auto [parsed, error] = std::from_chars(begin, end, value, hex ? 16 : 10);
    const bool number = parsed == end && error != std::errc::invalid_argument;
    const bool large = error == std::errc::result_out_of_range;
    if (number && large && !bounded) return fmt::format("'{}' is larger than {}", text, max);
    if (!number || large || value < min || value > max)
      return fmt::format("'{}' is not a whole number {}", text, range);
    text = std::to_string(value);
    return "";
  };
  return CLI::Validator(check, bounded ? fmt::format("{} to {}", min, max) : "");
}

}  // namespace heddle::cli
