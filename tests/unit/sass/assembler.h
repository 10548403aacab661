// Words for tests, from a line of text: the mnemonic as it is printed, the operation's twelve bits, and the fields that are not left out.
#pragma once

#include <string>
#include <vector>

#include "frontend/sass/instruction.h"

namespace heddle::sass {

/// "@!P0 LDG.E.U8@981 d=20 a=2 o=8": the form of 0x981 that prints as LDG.E.U8. Fields are those of set_case_fields(), "u=4" for
/// UR4 in the address, and "t=2" for the second instruction behind this one, the `index`th of the code, as target. What is left out is RZ, URZ, PT, 0, or the modifiers' code that prints nothing. Errors are std::runtime_error.
[[nodiscard]] Word assemble(Arch arch, const std::string& line, std::size_t index = 0);

/// Lines separated by semicolons.
[[nodiscard]] std::vector<Word> assemble_lines(Arch arch, const std::string& lines, std::size_t first = 0);

}  // namespace heddle::sass
