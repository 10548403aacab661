// What an atomic operation gives the thread.
#pragma once

#include <cstdint>

#include "isa/atomic.h"

namespace heddle::isa {

/// What was there; of kCast (CAST.SPIN of machine code, in any memory) whether the operand was written.
[[nodiscard]] constexpr std::uint64_t answer_of(AtomicOp op, std::uint64_t old, std::uint64_t compare) {
  return op != AtomicOp::kCast ? old : old == compare ? 1 : 0;
}

}  // namespace heddle::isa
