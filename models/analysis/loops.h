// Natural loops of a control flow graph.
#pragma once

#include <vector>

#include "analysis/cfg.h"
#include "analysis/dominators.h"

namespace heddle::analysis {

inline constexpr std::uint32_t kNoLoop = 0xffff'ffffu;

/// All back edges (edges to a block that dominates their source) to one header form one loop.
struct Loop {
  BlockId header = kNoBlock;
  std::vector<BlockId> latches;    ///< sources of the back edges, ascending
  std::vector<BlockId> blocks;     ///< header included, ascending
  std::uint32_t parent = kNoLoop;  ///< index of the innermost loop around it
  std::uint32_t depth = 1;         ///< 1: outermost
};

/// The loops in the order of their headers. A cycle with several entries (irreducible) has no header that
/// dominates it and is not a natural loop.
[[nodiscard]] std::vector<Loop> natural_loops(const ControlFlowGraph& cfg, const DominatorTree& dominators);

}  // namespace heddle::analysis
