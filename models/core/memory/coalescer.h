// Coalescing: lanes that touch the same line share one access ([Fung15] §2.3.3: lanes in the same 128 B
// chunk merge). Accesses are in order of their lowest lane.
#pragma once

#include "core/memory/memory_instruction.h"

namespace heddle::core {

/// Appends to `op.accesses` the accesses of `lanes`, each to op.bytes bytes, naturally aligned, so that no
/// lane crosses a line of `line_bytes` (a power of two): by pattern, or if that says so by op.runs or
/// op.address.
void coalesce(MemoryInstruction& op, const AddressPattern& pattern, LaneMask lanes, unsigned line_bytes);

/// The same for local memory; `region` is the device address of the warp's. The pattern is of byte offsets in
/// the lanes' own memory. It is not kRuns. If it is scattered, op.address holds the offsets: device addresses
/// replace them.
void coalesce_local(MemoryInstruction& op, const AddressPattern& pattern, LaneMask lanes,
                    std::uint64_t region, unsigned line_bytes);

/// Device address of a byte at `offset` of a lane's local memory; `region`: of its warp's.
[[nodiscard]] std::uint64_t local_address(std::uint64_t region, std::uint64_t offset, unsigned lane);

}  // namespace heddle::core
