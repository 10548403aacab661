// The special registers that the oracle supports.
#pragma once

#include <optional>
#include <string>

#include "oracle/program.h"

namespace heddle::oracle {

/// By name as written ("%tid.x"); registers that describe hardware the oracle does not have read as zero.
[[nodiscard]] std::optional<Special> special_named(const std::string& name);

}  // namespace heddle::oracle
