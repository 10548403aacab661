// Calls within a recursion, as a front end hands them to the compiler. The rows of such a function serve its inner
// calls as well: what it still needs behind a call it has to keep on the stack (compiler/save_recursion.h).
#pragma once

#include <cstdint>
#include <vector>

#include "isa/instruction.h"

namespace heddle::isa {

/// A call that may come back to its caller: the instructions [begin, end) copy arguments, call, and copy results.
struct RecursiveCall {
  std::uint32_t begin = 0;
  std::uint32_t call = 0;
  std::uint32_t end = 0;
  std::vector<RegId> passing;  ///< registers in which the recursion passes arguments, results and return PCs
};

/// A function whose frames lie on the stack.
struct RecursiveFunction {
  std::uint32_t function = 0;              ///< index into Kernel::functions
  Operand frame;                           ///< 64-bit row: address of the frame
  std::uint64_t storage_bytes = 0;         ///< of the frame, without what the calls save
  std::vector<std::uint32_t> frame_sizes;  ///< instructions that take the frame's size as src[1]
  std::vector<RecursiveCall> calls;        ///< ascending; those into the function's own recursion
};

struct Recursion {
  Operand stack_pointer;
  Operand flag;                   ///< 32-bit row free for predicates on their way to and from the stack
  std::uint64_t stack_align = 1;  ///< of everything on the stack, in bytes
  std::vector<RecursiveFunction> functions;
};

}  // namespace heddle::isa
