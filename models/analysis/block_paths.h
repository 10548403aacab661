// Sets of blocks on paths, and paths without barriers.
#pragma once

#include <boost/dynamic_bitset.hpp>
#include <vector>

#include "analysis/cfg.h"

namespace heddle::analysis {

/// Indexed by block; includes the exit.
using BlockSet = boost::dynamic_bitset<>;

[[nodiscard]] inline BlockSet no_blocks(const ControlFlowGraph& cfg) {
  return BlockSet(cfg.block_count() + 1);
}

/// Blocks on the paths from the start of the blocks `from` to the start of `stop`, without `stop`: P(from ->
/// stop) of [SSDE] §3.3 where `stop` post-dominates them.
[[nodiscard]] BlockSet blocks_between(const ControlFlowGraph& cfg, const std::vector<BlockId>& from,
                                      BlockId stop);

/// A barrier of the whole CTA that every thread executes: no thread after it waits for, or affects, a thread
/// before it.
[[nodiscard]] bool is_full_barrier(const isa::Instruction& instruction);

/// What threads can reach from a program point without passing a full barrier.
class BarrierFreePaths {
 public:
  /// `through_barriers`: barriers are passed all the same.
  BarrierFreePaths(const ControlFlowGraph& cfg, base::Pc from, bool through_barriers = false);

  [[nodiscard]] bool reaches(std::uint32_t instruction) const;
  /// Last instructions of blocks with several successors on such paths to `instruction`.
  [[nodiscard]] std::vector<std::uint32_t> branches_on_the_way(std::uint32_t instruction) const;
  /// A shortest such path as blocks, from the program point's block to the instruction's; empty: there is
  /// none.
  [[nodiscard]] std::vector<BlockId> path_to(std::uint32_t instruction) const;

 private:
  /// Index of the first full barrier at or after `first` in its block, or the block's end.
  [[nodiscard]] std::uint32_t barrier_from(std::uint32_t first, BlockId block) const;
  [[nodiscard]] bool passes(BlockId block) const { return first_barrier_[block] == cfg_.block(block).end; }
  [[nodiscard]] bool leaves(BlockId block) const;

  const ControlFlowGraph& cfg_;
  base::Pc from_;
  bool through_barriers_;
  BlockId start_ = kNoBlock;
  std::uint32_t start_barrier_ = 0;           ///< first barrier at or after `from`
  std::vector<std::uint32_t> first_barrier_;  ///< by block
  BlockSet entered_;                          ///< blocks whose start is reached
  std::vector<BlockId> came_from_;            ///< by entered block
};

}  // namespace heddle::analysis
