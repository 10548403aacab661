// Calls and returns: the transfer of arguments and results between rows.
#pragma once

#include "frontend/ptx/decode/call_graph.h"
#include "frontend/ptx/decode/modifiers.h"

namespace heddle::ptx {

/// Declares a function's parameters and results in the innermost scope. Emits the entry for indirect calls
/// and the function's prologue. Returns the index of the instruction where direct calls enter.
std::uint32_t enter_function(KernelContext& kernel);

/// Emits results, stack restoration and the return itself, under the current guard.
void leave_function(KernelContext& kernel, const Instruction& instruction);

/// A .param variable in a function's body, used for its calls.
[[nodiscard]] VariableSymbol call_variable(KernelContext& kernel, const VariableDecl& variable);

/// The parameter of a call (or of the function itself) at an address; nullptr: none.
[[nodiscard]] const VariableSymbol* call_param(KernelContext& kernel, const Operand& address);

/// ld.param and st.param of such a parameter, if it is held in a row.
void load_param_row(KernelContext& kernel, const Instruction& instruction, const Modifiers& modifiers,
                    const VariableSymbol& from);
void store_param_row(KernelContext& kernel, const Instruction& instruction, const Modifiers& modifiers,
                     const VariableSymbol& to);

}  // namespace heddle::ptx
