// Exits that every thread takes after a number of rounds, whatever memory holds: for (i = 0; i < n; i += 2).
#pragma once

#include "analysis/block_paths.h"
#include "isa/kernel.h"

namespace heddle::analysis {

/// Whether threads that go round in `cycle` by way of `exit`, one of its blocks that leads out of it, come out there some day: its
/// branch compares a register, to which each such round adds the same number, with what stays the same in the cycle.
[[nodiscard]] bool is_counted(const isa::Kernel& kernel, const ControlFlowGraph& cfg, const BlockSet& cycle,
                              BlockId exit);

}  // namespace heddle::analysis
