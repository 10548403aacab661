// PTX text to syntax tree, on PEGTL.
#pragma once

#include <string>

#include "frontend/ptx/ast.h"

namespace heddle::ptx {

/// Parses a complete PTX module. `name` identifies the text in messages. Throws base::InputError with place
/// "name:line:column" and a message that ends with the offending line and a caret line below it.
[[nodiscard]] Module parse_text(const std::string& text, const std::string& name);

/// parse_text() for a file; an unreadable file is an InputError naming it.
[[nodiscard]] Module parse_file(const std::string& path);

}  // namespace heddle::ptx
