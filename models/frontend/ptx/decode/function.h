// Decodes the text of one function (the entry, or one it calls) to code: names, scopes, statements.
#pragma once

#include "frontend/ptx/decode/call_graph.h"

namespace heddle::ptx {

/// Fills in the context's code, labels and calls. `prologue` instructions of the entry precede its own.
/// Returns the index of the instruction where direct calls enter.
std::uint32_t decode_function(KernelContext& context, const std::vector<isa::Param>& kernel_params);

/// Fills in the rows and register lists of an instruction, once the rows are numbered.
void place_registers(const RegisterRows& registers, isa::Instruction& instruction);

}  // namespace heddle::ptx
