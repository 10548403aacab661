// Machine code to the warp instruction set: one instruction for each word, in its place, so that code addresses are those of
// the cubin. What follows from the code alone (reconvergence points for mechanisms that need them, live registers) is
// added later by compiler::Pipeline.
#pragma once

#include "frontend/sass/placed_module.h"
#include "isa/kernel.h"
#include "isa/matrix.h"

namespace heddle::sass {

/// All kernels of the module. One that holds a word that cannot be decoded, or an operation that the model does not execute,
/// is refused with kernel, offset and text in isa::Module::refused. `tensor`: how the machine's tensor cores sum.
[[nodiscard]] isa::Module lower(const PlacedModule& placed, isa::TensorNumerics tensor = {});

}  // namespace heddle::sass
