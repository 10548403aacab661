// Textures and surfaces of a lane (oracle/texture.h).
#pragma once

#include <string>

#include "oracle/sass/memory_access.h"

namespace heddle::oracle::machine_code {

[[nodiscard]] bool is_texture(Opcode op);
/// Empty: nothing. What the interpreter does not know of the instruction.
[[nodiscard]] std::string unknown_texture(const Op& op);
/// Executes it in a lane. The answer is empty, or says what is wrong with the access.
[[nodiscard]] std::string access_texture(Values& v, MemoryAccess& access);

}  // namespace heddle::oracle::machine_code
