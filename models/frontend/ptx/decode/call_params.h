// Parameters and results of functions and the .param variables of calls: each is in a row, in the frame, or at an address.
#pragma once

#include "frontend/ptx/decode/call_graph.h"
#include "frontend/ptx/decode/modifiers.h"

namespace heddle::ptx {

/// Kept in the frame of the function, not in a row.
[[nodiscard]] bool in_memory(const KernelContext& kernel, const void* declared);

/// The place of such a one.
[[nodiscard]] VariableSymbol frame_param(const KernelContext& kernel, const void* declared,
                                         std::uint64_t bytes, Type type);

[[nodiscard]] VariableSymbol row_param(isa::Operand row, Type type, std::uint64_t bytes);

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
