// What the translation of a listing and its completion agree on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/listing/listing.h"
#include "frontend/listing/opcodes.h"

namespace heddle::listing {

/// The form of a checked line.
[[nodiscard]] const Form& form_of(const Line& line);
/// The PTX register of a section's: functions have registers of their own.
[[nodiscard]] std::string register_in(const Section& section, std::string_view name);
/// "[A,B]" -> A, B
[[nodiscard]] std::vector<std::string> labels_in(const std::string& text);

}  // namespace heddle::listing
