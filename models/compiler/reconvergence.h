// Reconvergence points: the PC at which the sides of a branch meet.
#pragma once

#include <functional>
#include <string>

#include "analysis/delayed_reconvergence.h"
#include "compiler/pipeline.h"

namespace heddle::compiler {

/// Every branch reconverges at its immediate post-dominator. Exits on which a thread does nothing but end do not
/// count (ControlFlowGraph::without_early_exits).
class ReconvergencePoints : public Pass {
 public:
  [[nodiscard]] std::string_view name() const override { return "reconvergence_points"; }
  void run(isa::Kernel& kernel) const override;
};

/// Later points where a loop may otherwise wait for ever (mimd-simt-and-bows §3.3), in addition.
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
