// Ids and names of special registers (S2R, S2UR, CS2R).
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle::sass {

/// "SR_TID.X"; empty for an id that is not known.
[[nodiscard]] std::string_view special_register_name(std::int64_t id);

}  // namespace heddle::sass
