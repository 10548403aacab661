// Coalescing: lanes that touch the same line share one access (tbc-and-kilotm §1: lanes in the same 128 B
// chunk merge).
#pragma once

#include "core/memory_op.h"

namespace heddle::core {

/// Groups `bytes` (1..16, naturally aligned, so that no lane crosses a line) at address[lane] of every lane
/// in `lanes` by line of `line_bytes` (a power of two).
void coalesce(const std::array<std::uint64_t, kLanes>& address, LaneMask lanes, unsigned bytes,
              unsigned line_bytes, Coalesced& out);

/// The same for local memory, whose 32-bit words are interleaved by lane: word w of lane l of a warp's region
/// lies at base + w*128 + l*4, so the same offset in every lane is one line. `address` holds per-lane byte
/// offsets.
void coalesce_local(std::uint64_t region_base, const std::array<std::uint64_t, kLanes>& address,
                    LaneMask lanes, unsigned bytes, unsigned line_bytes, Coalesced& out, bool append);

}  // namespace heddle::core
