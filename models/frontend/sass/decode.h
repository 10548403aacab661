// Words to instructions and back.
#pragma once

#include <optional>
#include <string>

#include "frontend/sass/form.h"

namespace heddle::sass {

struct Decoded {
  std::optional<Instruction> instruction;
  std::string problem;  ///< why there is none
};

/// A word that no form explains in every bit gives a problem, not an instruction.
[[nodiscard]] Decoded decode(Word word, Arch arch);

/// The word of a decoded instruction: encode(*decode(w, arch).instruction) == w.
[[nodiscard]] Word encode(const Instruction& instruction);

}  // namespace heddle::sass
