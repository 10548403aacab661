// Recursive calls, as a front end hands them to the compiler. Inner calls of such a function use the same
// rows, so values needed after a call must be saved on the stack (compiler/save_recursion.h).
#pragma once

#include <cstdint>
#include <vector>

#include "isa/instruction.h"

namespace heddle::isa {

/// A call that may re-enter its caller: the instructions [begin, end) copy arguments, call, and copy results.
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
  std::uint64_t storage_bytes = 0;         ///< of the frame, without the registers saved around calls
  std::vector<std::uint32_t> frame_sizes;  ///< instructions that take the frame's size as src[1]
  std::vector<RecursiveCall> calls;        ///< ascending; those into the function's own recursion
};

struct Recursion {
  Operand stack_pointer;
  Operand flag;                   ///< 32-bit row for predicates while they are saved to or restored from the
                                  ///< stack
  std::uint64_t stack_align = 1;  ///< of everything on the stack, in bytes
  std::vector<RecursiveFunction> functions;
};

}  // namespace heddle::isa
