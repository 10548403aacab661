// Likely-convergence points ([TBC] §3.4): where the sides of a branch that may leave a loop meet before the loop is
// left, as the thesis restricts them: at the closest enclosing backward branch.
#pragma once

#include <functional>
#include <vector>

#include "compiler/pipeline.h"

namespace heddle::compiler {

/// By code analysis. A branch in a loop whose reconvergence point is outside of it gets the start of the block of the
/// loop's last backward branch; if that block has one predecessor, the nearest block before it with several. Loops of
/// functions that are called are left out.
[[nodiscard]] std::vector<isa::LikelyPoint> likely_points(const isa::Kernel& kernel);

/// Kernel::likely_points.
class LikelyConvergencePoints : public Pass {
 public:
  /// Which of the points to keep: those that pay off.
  using Keep = std::function<bool(const isa::Kernel& kernel, const isa::LikelyPoint& point)>;
  explicit LikelyConvergencePoints(Keep keep = nullptr) : keep_(std::move(keep)) {}

  [[nodiscard]] std::string_view name() const override { return "likely_convergence_points"; }
  void run(isa::Kernel& kernel) const override;

 private:
  Keep keep_;
};

}  // namespace heddle::compiler
