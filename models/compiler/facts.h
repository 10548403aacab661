// Facts about a kernel's program that only some control-flow mechanisms ask for (isa/program_facts.h).
#pragma once

#include <vector>

#include "isa/kernel.h"

namespace heddle::compiler {

/// For compiled code: uses the reconvergence points as they are. Throws std::length_error if the code is too
/// large.
[[nodiscard]] isa::ProgramFacts program_facts(const isa::Kernel& kernel);

/// The same, computed on first use and cached in the kernel.
[[nodiscard]] const isa::ProgramFacts& facts_of(const isa::Kernel& kernel);

/// The branches of a loop in Kernel::spin_marks: ProgramFacts::kNamedSpinBranch. Throws InputError if the mark is in no
/// loop.
[[nodiscard]] std::vector<base::Pc> spin_branches_of(const isa::Kernel& kernel, const isa::SpinMark& mark);

}  // namespace heddle::compiler
