// Reading text files that somebody else names.
#pragma once

#include <cstddef>
#include <istream>
#include <optional>
#include <string>

namespace heddle::sim {

/// Everything up to the end of the stream; nothing if that is more than `limit` bytes (a device such as
/// /dev/zero never ends). What went wrong while reading is in the stream's state.
[[nodiscard]] std::optional<std::string> read_all(std::istream& stream, std::size_t limit);

}  // namespace heddle::sim
