// Whole files in and out, with errors that name the file.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace heddle::cli {

/// Throws sim::InputError with `place` (the option that asked for the file) if it cannot be read.
[[nodiscard]] std::vector<std::byte> read_bytes(const std::string& path, const std::string& place);

/// Where a file that is to be written under a name goes.
struct Destination {
  std::string path;       ///< the name with symbolic links followed: the link stays one
  bool in_place = false;  ///< not a regular file (a device, a pipe): written as it is, never replaced
};
[[nodiscard]] Destination destination(const std::string& path);

/// Writes a temporary sibling and renames it, so that `path` holds either its old content or all of the new;
/// a device or pipe is written in place.
void write_bytes(const std::string& path, std::span<const std::byte> bytes, const std::string& place);
void write_text(const std::string& path, const std::string& text, const std::string& place);

/// Throws sim::InputError now if `path` cannot be written later; leaves nothing behind.
void check_writable(const std::string& path, const std::string& place);

}  // namespace heddle::cli
