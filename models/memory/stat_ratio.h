// An average: two counters and their quotient.
#pragma once

#include <string>

#include "base/stats.h"

namespace heddle::memory {

/// Declares `name` = count(numerator) / count(denominator) in `group`; 0 while the denominator is 0.
inline void declare_ratio(base::StatGroup& group, const std::string& name, const std::string& unit,
                          const std::string& description, const std::string& numerator,
                          const std::string& denominator) {
  group.formula(name, unit, description, [&group, numerator, denominator] {
    const auto below = static_cast<double>(group.count(denominator));
    return below == 0 ? 0.0 : static_cast<double>(group.count(numerator)) / below;
  });
}

}  // namespace heddle::memory
