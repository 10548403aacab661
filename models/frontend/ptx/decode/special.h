// Special registers: names to rows of the special block.
#pragma once

#include <optional>
#include <string_view>

#include "isa/kernel.h"

namespace heddle::ptx {

[[nodiscard]] std::optional<isa::SpecialRow> special_row(std::string_view name);
/// A special register of PTX that no row stands for (%gridid, %pm0 ...).
[[nodiscard]] bool is_unsupported_special(std::string_view name);

}  // namespace heddle::ptx
