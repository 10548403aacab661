// Numbers as the table shows them.
#pragma once

#include <string>

namespace heddle::microbench {

/// Whole numbers without a decimal point, others with at most three decimals.
[[nodiscard]] std::string number(double value);

}  // namespace heddle::microbench
