// Loops as [SSDE] §3.3 defines them and [ART] finds them: one for each retreating edge of a depth-first walk, so that
// cycles with several entries are covered as well.
#pragma once

#include <vector>

#include "analysis/block_paths.h"
#include "analysis/cfg.h"
#include "analysis/post_dominators.h"
#include "isa/kernel.h"

namespace heddle::analysis {

/// Code of the kernel itself or of one of its functions.
struct CodeRange {
  std::uint32_t function = 0;  ///< 0: the kernel's own; else 1 + index into Kernel::functions
  std::uint32_t first = 0;
  std::uint32_t end = 0;
  std::vector<std::uint32_t> entries;  ///< entry points of threads
};
[[nodiscard]] std::vector<CodeRange> code_ranges(const isa::Kernel& kernel);

struct EdgeLoop {
  BlockId latch = kNoBlock;   ///< source of the edge
  BlockId header = kNoBlock;  ///< its target
  std::uint32_t function = 0;
  /// Those from which the latch is reached without passing the header, as far as the walk came to them from the header: a
  /// cycle with several entries does not swallow the loops around it.
  BlockSet blocks;
  std::vector<BlockId> exits;    ///< blocks with an edge that leaves the loop, ascending
  bool several_entries = false;  ///< irreducible: threads enter elsewhere than at the header
};

/// In code order of their headers, then of their latches. Unreachable code has no loops.
///
/// Which edges of a cycle with several entries retreat depends on the walk. It takes the side of a branch
/// with more blocks before the reconvergence point first. SSDE's switch blocks then come after everything
/// that leads to them, and their edges back to the loops are the retreating ones.
[[nodiscard]] std::vector<EdgeLoop> edge_loops(const ControlFlowGraph& cfg,
                                               const PostDominators& post_dominators,
                                               const std::vector<CodeRange>& ranges);

}  // namespace heddle::analysis
