// Reconvergence points: the PC at which the sides of a branch reconverge.
#pragma once

#include <functional>
#include <string>

#include "analysis/delayed_reconvergence.h"
#include "compiler/pipeline.h"

namespace heddle::compiler {

/// Every branch reconverges at its immediate post-dominator. Exits on which a thread only exits are ignored
/// (ControlFlowGraph::without_early_exits).
class ReconvergencePoints : public Pass {
 public:
  [[nodiscard]] std::string_view name() const override { return "reconvergence_points"; }
  void run(isa::Kernel& kernel) const override;
};

/// In addition, later points where a loop might otherwise wait forever ([AWARE] §5.4.2).
class DelayedReconvergence : public Pass {
 public:
  /// A kernel (`entry`) or a function that keeps its usual points.
  using Excepted = std::function<bool(const std::string& name, bool entry)>;
  DelayedReconvergence(analysis::DelayedPaths paths, Excepted excepted)
      : paths_(paths), excepted_(std::move(excepted)) {}

  [[nodiscard]] std::string_view name() const override { return "delayed_reconvergence"; }
  void run(isa::Kernel& kernel) const override;

 private:
  analysis::DelayedPaths paths_;
  Excepted excepted_;
};

}  // namespace heddle::compiler
