// Reading and writing whole files, with errors that name the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace heddle::cli {

/// The first `most` bytes of a file, or all if it has fewer; devices may be endless. Throws base::InputError
/// with `place` (the option that named the file).
[[nodiscard]] std::vector<std::byte> read_start(const std::string& path, std::uint64_t most,
                                                const std::string& place);

/// A file that must have exactly `bytes` bytes. Reads at most one byte more, so that an endless device is
/// refused like any file of the wrong size. `whole` describes the expected size in the message. Throws like
/// read_start().
[[nodiscard]] std::vector<std::byte> read_bytes(const std::string& path, std::uint64_t bytes,
                                                const std::string& whole, const std::string& place);

/// std::getline() with a limit, since a device may send an endless line: a line of more than `most` bytes is cut off
/// behind the first byte too many.
[[nodiscard]] bool next_line(std::istream& stream, std::string& line, std::size_t most);

/// Like NewFile: `path` holds either its old content or all of the new; a device or pipe is written in place.
void write_bytes(const std::string& path, std::span<const std::byte> bytes, const std::string& place);
void write_text(const std::string& path, const std::string& text, const std::string& place);

/// Throws base::InputError now if `path` cannot be written later; leaves nothing behind.
void check_writable(const std::string& path, const std::string& place);

/// JSON as text, also with strings that are not UTF-8 (file names are bytes): invalid sequences become
/// U+FFFD.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& json, int indent = -1);

}  // namespace heddle::cli
