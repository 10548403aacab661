// Constant expressions (PTX ISA "Constant Expressions"): what may stand wherever a number may, computed when
// the text is read. C's operators and precedence on 64-bit integers, + - * / and comparisons on .f64; (.s64)
// and
// (.u64) reinterpret an integer.
#pragma once

#include <string_view>
#include <variant>

#include "frontend/ptx/ast.h"
#include "frontend/ptx/number.h"

namespace heddle::ptx {

/// The value of `text`; `negative`: a minus sign stood in front, which binds to the first operand. A plain
/// number is what parse_number() makes of it.
[[nodiscard]] std::variant<IntegerLiteral, FloatLiteral, NumberError> evaluate_constant(std::string_view text,
                                                                                        bool negative);

}  // namespace heddle::ptx
