// Facts about a kernel's program that only some control-flow mechanisms ask for (isa/program_facts.h).
#pragma once

#include "isa/kernel.h"

namespace heddle::compiler {

/// For compiled code: uses the reconvergence points as they are. Throws std::length_error if the code is too
/// large.
[[nodiscard]] isa::ProgramFacts program_facts(const isa::Kernel& kernel);

/// The same, computed on first use and cached in the kernel.
[[nodiscard]] const isa::ProgramFacts& facts_of(const isa::Kernel& kernel);

}  // namespace heddle::compiler
