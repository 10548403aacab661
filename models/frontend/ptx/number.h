// Number literals of PTX.
#pragma once

#include <string_view>
#include <variant>

#include "frontend/ptx/ast.h"

namespace heddle::ptx {

/// Why a text is not a number; empty message: it is one.
struct NumberError {
  std::string message;
};

/// 12, 0x1F, 017, 0b101 (each with an optional U), 0f3F800000, 0d3FF0000000000000, 1.5, 2e-3; `negative`:
/// preceded by a minus sign.
[[nodiscard]] std::variant<IntegerLiteral, FloatLiteral, NumberError> parse_number(std::string_view text,
                                                                                   bool negative);

}  // namespace heddle::ptx
