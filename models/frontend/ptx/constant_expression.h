// Constant expressions (PTX ISA "Constant Expressions"): allowed wherever a number is, and evaluated while
// parsing. C's operators and precedence on 64-bit integers; + - * / and comparisons on .f64; (.s64) and
// (.u64) reinterpret an integer.
#pragma once

#include <string_view>
#include <variant>

#include "frontend/ptx/ast.h"
#include "frontend/ptx/number.h"

namespace heddle::ptx {

/// The value of `text`; `negative`: preceded by a minus sign, which binds to the first operand. For a plain
/// number the result is that of parse_number().
[[nodiscard]] std::variant<IntegerLiteral, FloatLiteral, NumberError> evaluate_constant(std::string_view text,
                                                                                        bool negative);

}  // namespace heddle::ptx
