// Patterns of names of statistics.
#pragma once

#include <string_view>

namespace heddle::cli {

/// Whether the whole text fits the pattern, in which '*' stands for any run of characters.
[[nodiscard]] bool matches(std::string_view pattern, std::string_view text);

}  // namespace heddle::cli
