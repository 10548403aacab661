// Dominators and post-dominators of a control flow graph, by Boost.Graph's Lengauer-Tarjan.
#pragma once

#include <span>
#include <vector>

#include "analysis/cfg.h"

namespace heddle::analysis {

/// A tree over the blocks (and, for post-dominators, the exit).
class DominatorTree {
 public:
  /// Boost's algorithm recurses along chains of blocks; more blocks than this could exhaust the stack. Real
  /// kernels have a few thousand at most. Both functions throw std::length_error beyond this limit.
#ifdef HEDDLE_SANITIZE
  static constexpr std::uint32_t kMostBlocks = 1u << 11;  // sanitized stack frames are larger: 1.6 KB per
                                                          // block
#else
  static constexpr std::uint32_t kMostBlocks = 1u << 14;
#endif

  /// Block a dominates block b iff every path from the entry to b passes a. Unreachable blocks have no
  /// immediate dominator.
  [[nodiscard]] static DominatorTree dominators(const ControlFlowGraph& cfg);

  /// Block a post-dominates block b iff every path from b to the exit passes a. Code from which the exit
  /// cannot be reached would have no post-dominators at all; every such endless loop (a strongly connected
  /// component without a way out) is given one edge to the exit, from its last block in code order - usually
  /// its back edge - so that branches within it reconverge inside it.
  [[nodiscard]] static DominatorTree post_dominators(const ControlFlowGraph& cfg);

  /// Of any graph, given by the successors of its nodes; each must be reachable from the root.
  [[nodiscard]] static DominatorTree of(const std::vector<std::vector<BlockId>>& successors, BlockId root);

  /// kNoBlock: the root, or a block outside the tree.
  [[nodiscard]] BlockId parent(BlockId block) const { return parent_[block]; }
  [[nodiscard]] BlockId root() const { return root_; }
  /// A block (post-)dominates itself. False if either lies outside the tree.
  [[nodiscard]] bool dominates(BlockId above, BlockId below) const;

 private:
  DominatorTree(BlockId root, std::vector<BlockId> parent);

  BlockId root_;
  std::vector<BlockId> parent_;
  std::vector<std::uint32_t> enter_;  ///< preorder number, 0: outside the tree
  std::vector<std::uint32_t> leave_;  ///< largest preorder number below
};

/// The instruction at which the two sides of the branch at `instruction` meet again: the first of the
/// immediate post-dominator of its block; kNoPc if that is the exit.
[[nodiscard]] base::Pc reconvergence_pc(const ControlFlowGraph& cfg, const DominatorTree& post_dominators,
                                        std::uint32_t instruction);

}  // namespace heddle::analysis
