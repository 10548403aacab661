// Where switch blocks have to go so that a kernel in MIMD form finishes on a SIMT stack: SSDE's change of the
// control flow graph (mimd-simt-and-bows §7.2, Alg 4) as a plan. Whoever knows the program's text carries it
// out (frontend/ptx/ssde.h).
#pragma once

#include <string>
#include <vector>

#include "analysis/deadlock.h"

namespace heddle::analysis {

/// The retreating edge of a flagged loop, to be led through a switch block: the latch leaves a number there,
/// the switch sends threads that have left it on to the header.
struct SwitchCase {
  std::uint32_t loop = 0;  ///< index into the findings
  BlockId latch = kNoBlock;
  BlockId header = kNoBlock;
  /// Another loop has the same header: the switch needs an entrance of its own behind the header's label, or
  /// that loop would not hold the switch and seem to be left on the way there.
  bool shared_header = false;
};

/// A switch block, right in front of the instruction at `place`, on all ways to it; kNoPc: in front of the
/// function's end, where its returns have to be led together first.
struct SwitchBlock {
  std::uint32_t function = 0;  ///< as CodeRange::function
  base::Pc place = base::kNoPc;
  std::vector<SwitchCase> cases;
};

/// Branches that lead to `place` only for threads to end there, as last instructions of their blocks. They
/// have to keep a way of their own, or threads that leave early would wait at a switch in front of it.
[[nodiscard]] std::vector<std::uint32_t> early_exits_to(const CodeAnalysis& code, base::Pc place);

struct EliminationPlan {
  std::vector<SwitchBlock> switches;  ///< by function, then in the order of the code
  struct Refusal {
    std::uint32_t loop = 0;
    std::string reason;
  };
  std::vector<Refusal> refusals;
};

[[nodiscard]] EliminationPlan plan_elimination(const CodeAnalysis& code,
                                               const std::vector<LoopFinding>& findings);

}  // namespace heddle::analysis
