// The text of one function - the entry, or one it calls - to code: names, scopes, statements.
#pragma once

#include "frontend/ptx/decode/call_graph.h"

namespace heddle::ptx {

/// Fills in the context's code, labels and calls. `prologue` instructions are what the entry does first,
/// before what is written in its text. Returns the index of the instruction where direct calls enter.
std::uint32_t decode_function(KernelContext& context, const std::vector<isa::Param>& kernel_params);

/// Rows and lists of registers of an instruction, once the rows are numbered.
void place_registers(const RegisterRows& registers, isa::Instruction& instruction);

}  // namespace heddle::ptx
