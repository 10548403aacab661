// Instructions that need all lanes of a warp, where loops that yield may have left them apart.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "compiler/convergence/waiting_loops.h"
#include "isa/kernel.h"

namespace heddle::compiler {

/// PCs of barriers of the whole CTA and of .sync instructions of all lanes that may be reached from one of the `loops` without
/// passing another one. Lanes may meet at several places, so others of the same kind that lanes may come to instead, from one
/// point of the code, are with them: if all lanes wait in front of the one, nobody waits at the other.
[[nodiscard]] std::set<std::uint32_t> full_meetings(const isa::Kernel& kernel,
                                                    const std::vector<WaitingLoop>& loops);

}  // namespace heddle::compiler
