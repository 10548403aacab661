// Calls and returns: how arguments and results get from rows to rows.
#pragma once

#include "frontend/ptx/decode/call_graph.h"
#include "frontend/ptx/decode/modifiers.h"

namespace heddle::ptx {

/// Declares a function's parameters and results in the innermost scope; emits the entry of indirect calls and
/// what a function does first. Returns the index of the instruction where direct calls enter.
std::uint32_t enter_function(KernelContext& kernel);

/// Results, stack and the return itself, under the present guard.
void leave_function(KernelContext& kernel, const Instruction& instruction);

/// A .param variable in a function's body, for the calls it makes.
[[nodiscard]] VariableSymbol call_variable(KernelContext& kernel, const VariableDecl& variable);

/// The parameter of a call (or of the function itself) that an address names; nullptr: none.
[[nodiscard]] const VariableSymbol* call_param(KernelContext& kernel, const Operand& address);

/// ld.param and st.param of such a parameter that lives in a row.
void load_param_row(KernelContext& kernel, const Instruction& instruction, const Modifiers& modifiers,
                    const VariableSymbol& from);
void store_param_row(KernelContext& kernel, const Instruction& instruction, const Modifiers& modifiers,
                     const VariableSymbol& to);

}  // namespace heddle::ptx
