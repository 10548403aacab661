// How often the banks of shared memory must be accessed for one instruction.
#pragma once

#include "core/config.h"
#include "core/memory/memory_instruction.h"

namespace heddle::core {

struct BankPasses {
  unsigned all = 1;
  unsigned without_conflict = 1;  ///< what its width takes (SharedMemoryConfig::wide_lanes)
};
/// For the shared lanes of `op`: as many as the most-used bank has distinct 32-bit words (lanes that
/// want the same word share it); for an atomic as many as lanes hit the most-used bank. Bank = word mod
/// `banks`. Of 16 bytes a lane with `wide_lanes`: the sum over sets of so many lanes.
[[nodiscard]] BankPasses bank_passes(const MemoryInstruction& op, const SharedMemoryConfig& config);

/// The same for the line accesses of `op`, as if they hit L1, whose data array has as many banks as a line has words
/// (at most 32): a pass takes a word from each bank, of whatever lines. At most one pass a line.
[[nodiscard]] unsigned line_bank_passes(const MemoryInstruction& op, std::uint32_t line_bytes);

}  // namespace heddle::core
