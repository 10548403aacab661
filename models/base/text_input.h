// Reading text that somebody else wrote.
#pragma once

#include <cstddef>
#include <istream>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::base {

/// Everything up to the end of the stream; nothing if that is more than `limit` bytes (a device such as
/// /dev/zero never ends). What went wrong while reading is in the stream's state.
[[nodiscard]] std::optional<std::string> read_all(std::istream& stream, std::size_t limit);

/// A file as a whole. One that cannot be read or has more than `limit` bytes is an InputError naming it; `what` is
/// what it should be ("PTX file").
[[nodiscard]] std::string read_file(const std::string& path, const std::string& what, std::size_t limit);
inline constexpr std::size_t kMostModuleBytes = std::size_t{256} << 20;  ///< of a file with a module

/// The text with U+FFFD for what is not UTF-8.
[[nodiscard]] std::string valid_utf8(std::string_view text);

/// Without the blanks and tabs at both ends.
[[nodiscard]] std::string_view trim(std::string_view text);

}  // namespace heddle::base
