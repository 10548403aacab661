// Modules as a host program provides them: bytes, from a file or from memory.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace heddle::host {

/// The bytes of a module's file; an unreadable file is an InputError naming it.
[[nodiscard]] std::string read_module_file(const std::string& path);

/// The PTX text in a module's bytes, without trailing NULs such as a C string's. Throws InputError for
/// machine code (cubins, fat binaries), which is no text. Whether the text is valid PTX is left to
/// the parser.
[[nodiscard]] std::string ptx_text_of(std::span<const std::byte> module, const std::string& name);

/// The same for a file.
[[nodiscard]] std::string ptx_text_of_file(const std::string& path);

}  // namespace heddle::host
