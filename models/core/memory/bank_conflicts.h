// How often the banks of shared memory must be accessed for one instruction.
#pragma once

#include "core/memory/memory_instruction.h"

namespace heddle::core {

/// Passes for the shared lanes of `op`: as many as the most-used bank has distinct 32-bit words (lanes that
/// want the same word share it); for an atomic as many as lanes hit the most-used bank. Bank = word mod
/// `banks`.
[[nodiscard]] unsigned bank_passes(const MemoryInstruction& op, std::uint32_t banks);

}  // namespace heddle::core
