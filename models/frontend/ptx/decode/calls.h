// A function's entry and return.
#pragma once

#include "frontend/ptx/decode/call_graph.h"
#include "frontend/ptx/decode/modifiers.h"

namespace heddle::ptx {

/// Declares a function's parameters and results in the innermost scope. Emits the entry for indirect calls
/// and the function's prologue. Returns the index of the instruction where direct calls enter.
std::uint32_t enter_function(KernelContext& kernel);

/// Emits results, stack restoration and the return itself, under the current guard.
void leave_function(KernelContext& kernel, const Instruction& instruction);

}  // namespace heddle::ptx
