// Spin-inducing branches (SIBs) by the program alone: backward branches that repeat a round of a loop in which nothing
// changes unless memory does. What BOWS may go by instead of a detector ([DDOS/BOWS] §6.2, core.spin.source:
// analysis).
//
// The thesis gives no algorithm; this is ours. A backward branch is spin-inducing if there is a way from its target to
// it, taken as one round, such that
//  * a second round on the same way leaves every register that is live at the target as the first one did, if each read
//    of shared or global memory returns what it returned in the first: a list that is walked, a counter or a sum differs;
//  * a branch or predicate on the way depends on such a read, and not on a clock;
//  * nothing is stored (atomics are: a lock that is given back), the thread's own memory is not read, nothing is called,
//    and there is no barrier of the CTA.
// A way visits a block once, so that inner loops are passed once: a lock loop around a delay loop is found, and the
// delay loop itself, which waits for the clock, is not. What decides on the way is taken to decide alike in every round.
// Not found: waits with a barrier in each round (bh_build), or whose compiled form advances by a selection
// (bh_summarize by nvcc). Found, though nobody waits: loops that go through data by indices that are compared on the way, where only
// values known before the loop exclude a round without progress (bvh, bh_force, kv_get, btree_range).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "isa/kernel.h"

namespace heddle::analysis {

/// Blocks that the search for ways looks at before it gives a branch up as no SIB.
inline constexpr std::size_t kMostSpinSteps = 20000;

/// Ascending. `through`: only those with a way through this instruction. Throws std::length_error for code too large
/// (Liveness).
[[nodiscard]] std::vector<base::Pc> find_spin_branches(const isa::Kernel& kernel,
                                                       std::optional<base::Pc> through = std::nullopt);

}  // namespace heddle::analysis
