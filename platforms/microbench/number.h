// Formatting of numbers in the table.
#pragma once

#include <string>

namespace heddle::microbench {

/// Integers without a decimal point, other numbers with at most three decimals.
[[nodiscard]] std::string number(double value);

}  // namespace heddle::microbench
