// Random instructions of every form.
#pragma once

#include <optional>
#include <random>
#include <vector>

#include "frontend/sass/form.h"

namespace heddle::sass {

struct FormCase {
  const Form* form;
  Arch arch;
  unsigned number;  ///< operand form
};
/// Every form, on every architecture that has it.
[[nodiscard]] std::vector<FormCase> form_cases();

/// An instruction of the form with random bits wherever the form has a field, with modifier `index` at `code`.
[[nodiscard]] std::optional<Instruction> random_instruction(const FormCase& of, std::mt19937_64& random,
                                                            unsigned index, unsigned code);

}  // namespace heddle::sass
