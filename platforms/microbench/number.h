// Numbers as the table shows them.
#pragma once

#include <string>

namespace heddle::microbench {

/// Whole numbers without a point, others with three digits behind it at most.
[[nodiscard]] std::string number(double value);

}  // namespace heddle::microbench
