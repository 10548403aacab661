// Whole files in and out, with errors that name the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace heddle::cli {

/// The first `most` bytes of a file, or all if it has fewer: devices may be without end. Throws
/// base::InputError with `place` (the option that asked for the file).
[[nodiscard]] std::vector<std::byte> read_start(const std::string& path, std::uint64_t most,
                                                const std::string& place);

/// A file that must have exactly `bytes` bytes; never reads more than one beyond, so that a device without
/// end is refused like any file of the wrong size. `whole`: what has that size, for the message. Throws
/// as read_start().
[[nodiscard]] std::vector<std::byte> read_bytes(const std::string& path, std::uint64_t bytes,
                                                const std::string& whole, const std::string& place);

/// As NewFile: `path` holds either its old content or all of the new; a device or pipe is written in place.
void write_bytes(const std::string& path, std::span<const std::byte> bytes, const std::string& place);
void write_text(const std::string& path, const std::string& text, const std::string& place);

/// Throws base::InputError now if `path` cannot be written later; leaves nothing behind.
void check_writable(const std::string& path, const std::string& place);

/// JSON as text, also of names that are not UTF-8 (names of files are bytes): what is none becomes U+FFFD.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& json, int indent = -1);

}  // namespace heddle::cli
