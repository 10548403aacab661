// Random instructions of a form, for tests that compare two executions of them.
#pragma once

#include <cstdint>
#include <optional>
#include <random>

#include "frontend/sass/form.h"

namespace heddle::oracle::machine_code {

using Generator = std::mt19937_64;

/// Modifiers, registers, signs, immediates and constants at random; registers from a few numbers, so that operands overlap,
/// and the guard always holds. nullopt: the form has no such instruction on this architecture.
[[nodiscard]] std::optional<sass::Instruction> random_instruction(const sass::Form& form, sass::Arch arch,
                                                                  Generator& random);

/// 32 bits that matter somewhere: limits, NaNs, subnormals, halves, small numbers, or any.
[[nodiscard]] std::uint32_t random_value(Generator& random);

}  // namespace heddle::oracle::machine_code
