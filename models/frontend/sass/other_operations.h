// Operations that are known by name only, so that they can be refused by it.
#pragma once

#include <string_view>

namespace heddle::sass {

/// By bits 0 to 11; empty for a code of which nothing is known.
[[nodiscard]] std::string_view other_operation(unsigned code);

}  // namespace heddle::sass
