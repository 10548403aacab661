// Facts about a kernel's program that only some control-flow mechanisms ask for (isa/program_facts.h).
#pragma once

#include "isa/kernel.h"

namespace heddle::compiler {

/// Of compiled code: reconvergence points count as they are. Throws std::length_error for code too large.
[[nodiscard]] isa::ProgramFacts program_facts(const isa::Kernel& kernel);

/// The same, computed when the kernel is first asked for them and kept with it.
[[nodiscard]] const isa::ProgramFacts& facts_of(const isa::Kernel& kernel);

}  // namespace heddle::compiler
