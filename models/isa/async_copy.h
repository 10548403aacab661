// How many bytes a lane's asynchronous copy reads (Opcode::kAsyncCopy); the rest of its `type` becomes zero in shared memory.
//
//   src[1] absent       all
//   src[1] a row        so many, at most all (cp.async's src-size)
//   src[1] a predicate  all, or none where it does not hold (LDGSTS of machine code)
//   src[2] present      beside the predicate: the bits of the address that alignment leaves free say how many are not read, and the
//                       address is that without them (LDGSTS.ZFILL)
#pragma once

#include <algorithm>
#include <cstdint>

#include "isa/instruction.h"

namespace heddle::isa {

[[nodiscard]] inline bool size_is_in_address(const Instruction& copy) { return copy.src[2].present; }

struct CopySource {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;  ///< that are read
};
/// `size`: what the lane has in src[1], 0 or 1 if that is a predicate. `address`: as the instruction names it.
[[nodiscard]] inline CopySource copy_source(const Instruction& copy, std::uint64_t address,
                                            std::uint64_t size) {
  const std::uint64_t all = type_bytes(copy.type);
  CopySource source{address, all};
  if (!copy.src[1].present) return source;
  if (size_is_in_address(copy)) {
    const std::uint64_t part = address & (all - 1);
    source.address -= part;
    source.bytes -= part;
  }
  if (copy.src[1].width != RowWidth::kPredicate)
    source.bytes = std::min(size, all);
  else if (size == 0)
    source.bytes = 0;
  return source;
}

}  // namespace heddle::isa
