// Places in the code and which of them every thread passes after another: post-dominance of instructions
// instead of blocks.
//
// A place is the PC of an instruction, in front of which threads may wait for each other; kNoPc is the end of
// the threads.
#pragma once

#include "analysis/cfg.h"
#include "analysis/dominators.h"

namespace heddle::analysis {

class Places {
 public:
  /// Post-dominance on the graph that reconvergence points are taken from, `cfg.without_early_exits()`: a
  /// thread that does nothing more but end is nobody's to wait for. Both graphs must outlive this.
  Places(const ControlFlowGraph& cfg, const ControlFlowGraph& reconvergence);

  /// IPDom of an instruction (mimd-simt-and-bows §7.1): where the sides of a branch meet, else the next
  /// instruction.
  [[nodiscard]] sim::Pc behind(std::uint32_t instruction) const;
  /// Nearest common post-dominator; of places that post-dominate each other the later one (A11: not strict).
  [[nodiscard]] sim::Pc common(sim::Pc a, sim::Pc b) const;
  /// The same with A11's other reading: a place behind both.
  [[nodiscard]] sim::Pc strictly_common(sim::Pc a, sim::Pc b) const;
  /// Every thread at `below` passes `above` (a place passes itself).
  [[nodiscard]] bool post_dominates(sim::Pc above, sim::Pc below) const;
  /// The next place that every thread at `place` passes; kNoPc: it ends first.
  [[nodiscard]] sim::Pc next(sim::Pc place) const;

  [[nodiscard]] const ControlFlowGraph& reconvergence_graph() const { return graph_; }
  [[nodiscard]] BlockId block_of(sim::Pc place) const {
    return place == sim::kNoPc ? graph_.exit() : graph_.block_of(place.value());
  }

 private:
  [[nodiscard]] sim::Pc start_of(BlockId block) const;

  const ControlFlowGraph& cfg_;
  const ControlFlowGraph& graph_;
  DominatorTree tree_;
};

}  // namespace heddle::analysis
