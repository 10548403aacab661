// Where switch blocks have to go so that a kernel in MIMD form completes on a SIMT stack: the CFG
// transformation of SSDE ([SSDE] §4.2.1, Alg 4) as a plan. A component that knows the program text
// applies it (ssde/ssde.h).
#pragma once

#include <string>
#include <vector>

#include "analysis/deadlock.h"

namespace heddle::analysis {

/// The retreating edge of a flagged loop, to be redirected through a switch block: the latch stores a number
/// there, and the switch sends threads that stored it on to the header.
struct SwitchCase {
  std::uint32_t loop = 0;  ///< index into the findings
  BlockId latch = kNoBlock;
  BlockId header = kNoBlock;
  /// Another loop has the same header. The switch then needs a separate entry point after the header's label;
  /// otherwise that loop would not contain the switch, and the edge to it would look like a loop exit.
  bool shared_header = false;
};

/// A switch block, directly before the instruction at `point`, on all edges to it. kNoPc: before the
/// function's end, where its returns have to be joined first.
struct SwitchBlock {
  std::uint32_t function = 0;  ///< as CodeRange::function
  base::Pc point = base::kNoPc;
  std::vector<SwitchCase> cases;
};

/// Branches that lead to `point` only for threads to exit there, as last instructions of their blocks. They
/// must bypass the switch, or threads that leave early would wait at it.
[[nodiscard]] std::vector<std::uint32_t> early_exits_to(const CodeAnalysis& code, base::Pc point);

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
