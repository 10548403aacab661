// Post-dominance of instructions instead of blocks: which program points every thread passes after another
// one.
//
// A program point is the PC of the instruction before which threads may wait for each other; kNoPc
// is the end of the threads.
#pragma once

#include "analysis/cfg.h"
#include "analysis/dominators.h"

namespace heddle::analysis {

class PostDominators {
 public:
  /// Post-dominance on the graph that reconvergence points are computed on, `cfg.without_early_exits()`: no
  /// thread waits for one that only exits. Both graphs must outlive this.
  PostDominators(const ControlFlowGraph& cfg, const ControlFlowGraph& reconvergence);

  /// IPDom of an instruction ([SSDE] §3.3): where the sides of a branch meet, else the next
  /// instruction.
  [[nodiscard]] base::Pc behind(std::uint32_t instruction) const;
  /// Nearest common post-dominator; if the points post-dominate each other, the later one ([SSDE:A11]: not
  /// strict).
  [[nodiscard]] base::Pc common(base::Pc a, base::Pc b) const;
  /// The same with [SSDE:A11]'s other reading: a point after both.
  [[nodiscard]] base::Pc strictly_common(base::Pc a, base::Pc b) const;
  /// Every thread at `below` passes `above` (a point passes itself).
  [[nodiscard]] bool post_dominates(base::Pc above, base::Pc below) const;
  /// The next point that every thread at `point` passes; kNoPc: it exits first.
  [[nodiscard]] base::Pc next(base::Pc point) const;

  [[nodiscard]] const ControlFlowGraph& reconvergence_graph() const { return graph_; }
  [[nodiscard]] BlockId block_of(base::Pc point) const {
    return point == base::kNoPc ? graph_.exit() : graph_.block_of(point.value());
  }

 private:
  [[nodiscard]] base::Pc start_of(BlockId block) const;

  const ControlFlowGraph& cfg_;
  const ControlFlowGraph& graph_;
  DominatorTree tree_;
};

}  // namespace heddle::analysis
