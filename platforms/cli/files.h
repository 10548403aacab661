// Whole files in and out, with errors that name the file.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace heddle::cli {

/// Throws sim::InputError with `place` (the option that asked for the file) if it cannot be read.
[[nodiscard]] std::vector<std::byte> read_bytes(const std::string& path, const std::string& place);

/// Writes a temporary sibling and renames it, so that `path` holds either its old content or all of the new.
void write_bytes(const std::string& path, std::span<const std::byte> bytes, const std::string& place);
void write_text(const std::string& path, const std::string& text, const std::string& place);

/// Throws sim::InputError now if `path` cannot be written later; leaves nothing behind.
void check_writable(const std::string& path, const std::string& place);

}  // namespace heddle::cli
