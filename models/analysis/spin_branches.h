// Spin-inducing branches (SIBs) by the program alone: backward branches that repeat a round of a loop in which nothing
// changes unless memory does. What BOWS may go by instead of a detector (mimd-simt-and-bows §6, core.spin.source:
// analysis).
//
// The thesis gives no algorithm; this is ours. A backward branch is spin-inducing if there is a way from its target to
// it, taken as one round, on which
//  * shared or global memory is read, and a branch or predicate on the way depends on what was read, and not on a clock;
//  * every register that is live at the target keeps its value, or gets one that derives from what was read;
//  * no address that is read derives from a register of the second kind: a list or tree that is walked is no wait;
//  * the thread's own memory is not written, and nothing is called.
// A way visits a block once, so that inner loops are passed once: a lock loop around a delay loop is found, and the
// delay loop itself, which waits for the clock, is not. Conservative the other way, too: a way through a loop whose
// progress is in memory only (a retried store, K12) counts as waiting.
#pragma once

#include <cstddef>
#include <vector>

#include "base/ids.h"
#include "isa/kernel.h"

namespace heddle::analysis {

/// Blocks that the search for ways looks at before it gives a branch up as no SIB.
inline constexpr std::size_t kMostSpinSteps = 20000;

/// Ascending. Throws std::length_error for code too large (Liveness).
[[nodiscard]] std::vector<base::Pc> find_spin_branches(const isa::Kernel& kernel);

}  // namespace heddle::analysis
