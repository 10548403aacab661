// The common basis of all analyses of one kernel's code, computed once.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "analysis/addresses.h"
#include "analysis/block_paths.h"
#include "analysis/cfg.h"
#include "analysis/dependences.h"
#include "analysis/post_dominators.h"
#include "analysis/retreating_edges.h"
#include "isa/kernel.h"

namespace heddle::analysis {

/// Control flow, loops and dependences are those of the whole graph. Reconvergence is computed on the graph
/// without early exits (ControlFlowGraph::without_early_exits): a thread that only exits neither writes
/// anything nor is waited for. Whether it exits may still decide whether a loop continues.
class CodeAnalysis {
 public:
  /// The kernel must outlive this. Throws std::length_error for code too large (DominatorTree::kMostBlocks).
  explicit CodeAnalysis(const isa::Kernel& kernel);
  CodeAnalysis(const CodeAnalysis&) = delete;
  CodeAnalysis& operator=(const CodeAnalysis&) = delete;

  [[nodiscard]] const isa::Kernel& kernel() const { return kernel_; }
  [[nodiscard]] const ControlFlowGraph& cfg() const { return cfg_; }
  [[nodiscard]] const PostDominators& post_dominators() const { return post_dominators_; }
  [[nodiscard]] const Accesses& accesses() const { return accesses_; }
  [[nodiscard]] const std::vector<CodeRange>& ranges() const { return ranges_; }
  [[nodiscard]] const std::vector<EdgeLoop>& loops() const { return loops_; }
  [[nodiscard]] const CodeRange& range_of(std::uint32_t instruction) const;

  /// Everything within the function that the outcome of the instructions depends on, through registers,
  /// predicates, private memory and branches; includes the instructions themselves.
  [[nodiscard]] InstructionSet backward_slice(const std::vector<std::uint32_t>& of);

 private:
  /// What a call in this function depends on: the registers that the function writes and others read.
  const std::vector<isa::RegId>& passed_by(const CodeRange& own);

  const isa::Kernel& kernel_;
  ControlFlowGraph cfg_;
  ControlFlowGraph reconvergence_;
  PostDominators post_dominators_;
  ReachingDefinitions definitions_;
  ControlDependences control_;
  Accesses accesses_;
  std::vector<CodeRange> ranges_;
  std::vector<EdgeLoop> loops_;
  std::map<std::uint32_t, std::vector<isa::RegId>>
      passed_;  ///< by the function's first instruction, as asked for
};

}  // namespace heddle::analysis
