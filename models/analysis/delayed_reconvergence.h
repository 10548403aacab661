// Delayed reconvergence ([AWARE] §5.4.2, Alg 5): reconvergence points that block no communication
// between threads, for hardware that lets diverged lanes make progress (AWARE, Multi-Path).
#pragma once

#include <vector>

#include "analysis/deadlock.h"

namespace heddle::analysis {

/// Where the paths of Alg 5 start ([AWARE:A9]).
enum class DelayedPaths : std::uint8_t {
  kSuccessors,  ///< at every branch's successors
  kLoopExits,   ///< as the listing's variables suggest: only branches that leave a loop, starting after its
                ///< exits
};

struct DelayRules {
  DelayedPaths paths = DelayedPaths::kSuccessors;
  /// Beyond the publication: every branch behind which lanes could wait for others in a waiting loop, not only those that
  /// leave the loop (SOUNDNESS.md).
  bool every_branch = true;
  /// For machines that execute barriers in diverged code: likewise branches whose sides may pass unequal numbers of barriers before
  /// they meet (lanes that wait at one need those that would come to the next behind the meeting point), and what is reached
  /// behind a barrier by loops that contain one.
  bool barriers = false;
};

/// Reconvergence points by branch and indirect branch: the post-dominators, except where a flagged loop needs
/// a later point. They nest: the point of a branch post-dominates the points of all branches between it and
/// its own point. `options.parallel_writes` is treated as false, as [AWARE] §5.4.2 says.
struct ReconvergencePoint {
  std::uint32_t branch = 0;  ///< index into the code
  base::Pc rpc = base::kNoPc;
};
struct DelayedReconvergence {
  std::vector<LoopFinding> loops;
  std::vector<ReconvergencePoint> points;
};
[[nodiscard]] DelayedReconvergence delay_reconvergence(CodeAnalysis& code, DeadlockOptions options = {},
                                                       DelayRules rules = {});
/// The points alone.
[[nodiscard]] std::vector<ReconvergencePoint> delayed_reconvergence(CodeAnalysis& code,
                                                                    DeadlockOptions options = {},
                                                                    DelayRules rules = {});

/// Writes them into a kernel's code.
void apply_reconvergence(isa::Kernel& kernel, const std::vector<ReconvergencePoint>& points);

}  // namespace heddle::analysis
