// What a barrier instruction asks of the barrier unit.
#pragma once

#include <cstdint>

#include "core/protocols/barrier_protocol.h"
#include "core/warp_context.h"

namespace heddle::core {

/// Number, count and kind, of the instruction at `pc`. `number`, `count`: what its sources hold, 0 where there are none. Throws
/// base::KernelFault for a barrier that does not exist.
[[nodiscard]] BarrierRequest arrival_of(const isa::Kernel& kernel, Pc pc, std::uint32_t number,
                                        std::uint32_t count);

/// At a reduction: the predicates of lanes `exec`. Lanes that the guard keeps away arrive with the others, but have no predicate and
/// take no result.
void take_predicates(BarrierRequest& arrival, const std::byte* constants, const WarpContext& warp,
                     LaneMask exec);

}  // namespace heddle::core
