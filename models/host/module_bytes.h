// Modules as a host program hands them over: bytes, from a file or from memory.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace heddle::host {

/// The bytes of a module's file; an unreadable file is an InputError naming it.
[[nodiscard]] std::string read_module_file(const std::string& path);

/// The PTX text in a module's bytes. NULs behind it, as of a C string, are not part of it. Throws InputError for machine
/// code (cubins, fat binaries), which no front end reads. Whether the text is PTX its parser says.
[[nodiscard]] std::string ptx_text_of(std::span<const std::byte> module, const std::string& name);

/// The same of a file.
[[nodiscard]] std::string ptx_text_of_file(const std::string& path);

}  // namespace heddle::host
