// What a function of a recursion still needs behind a call that may come back to it, it keeps on the stack:
// its rows serve the inner calls as well.
#pragma once

#include "frontend/ptx/decode/call_graph.h"

namespace heddle::ptx {

/// Rows that the saving of predicates takes; allocate them before the rows are numbered.
struct SpillRows {
  isa::Operand flag;  ///< a predicate as 0 or 1, 32 bits
};

/// Inserts stores in front of and loads behind every call of the function's own recursion in the context's
/// code (whose registers have their final numbers), and moves labels, tables and call sites along. Returns
/// the size of the function's frame, a multiple of the stack's alignment.
std::uint64_t save_live_registers(KernelContext& context, const RegisterRows& registers,
                                  const SpillRows& rows);

}  // namespace heddle::ptx
