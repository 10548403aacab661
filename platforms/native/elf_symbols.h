// Addresses of functions of a statically linked program.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace heddle::native {

/// Function symbols of an x86-64 ELF file that is not position independent, by name. Throws base::InputError for any other
/// file.
[[nodiscard]] std::map<std::string, std::uint64_t> function_symbols(const std::string& file);

}  // namespace heddle::native
