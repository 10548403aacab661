// Machine code as a host program hands it over: a cubin, a fat binary, or a program or object that holds one.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "frontend/sass/cubin.h"

namespace heddle::sass {

/// Whether a module's bytes are machine code in one of these forms, by their first bytes.
[[nodiscard]] bool is_machine_code(std::span<const std::byte> bytes);

/// The cubin among them that can be executed: of several that for the newest architecture. None for sm_75 or sm_90 is a
/// base::InputError that says what there is.
[[nodiscard]] Cubin cubin_of(std::span<const std::byte> bytes, const std::string& name);

}  // namespace heddle::sass
