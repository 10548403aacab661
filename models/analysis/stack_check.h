// Whether a kernel's code may wait for ever on a SIMT stack although its threads would end if they ran independently: the
// check that SSDE's result has to pass (SOUNDNESS.md). It looks at branches, not at loops: lanes wait at the point where a
// branch meets, or on a side of it that has not run yet, while others stay in a loop on the way there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/waiting_sets.h"

namespace heddle::analysis {

/// Lanes that a branch parts: some stay in a loop that ends when memory is written, and those that would do it wait for them.
struct BlockedWrite {
  std::uint32_t branch = 0;
  std::size_t set = 0;  ///< index into WaitingSets::all()
  std::uint32_t write = 0;
};

/// In code order of the branches, one a branch.
[[nodiscard]] std::vector<BlockedWrite> blocked_writes(CodeAnalysis& code, const WaitingSets& sets);

/// All lanes that execute the branch together decide alike, since what it tests is computed in its own block from a vote
/// whose member mask is a constant.
[[nodiscard]] bool decided_by_vote(const CodeAnalysis& code, std::uint32_t branch);

/// For each instruction in which lanes take part together (vote, shfl, match, redux, bar.warp.sync; not activemask), in code
/// order: the branches whose sides may come to it before they meet, as numbers in `branches`.
struct Together {
  std::uint32_t instruction = 0;
  std::vector<std::size_t> parted_by;
};
[[nodiscard]] std::vector<Together> parted_lanes(const CodeAnalysis& code, const CodeRange& range,
                                                 const std::vector<std::uint32_t>& branches);
/// Conditional and indirect branches of the range, in code order.
[[nodiscard]] std::vector<std::uint32_t> parting_branches(const CodeAnalysis& code, const CodeRange& range);

/// The fallback for a function in which the points of Alg 2 and 3 do not pass the check: every loop in which threads wait, and
/// one point behind everything that they may wait for and all branches that lead to it (find_simt_deadlocks' findings).
void use_common_point(CodeAnalysis& code, const WaitingSets& sets, std::uint32_t function,
                      std::vector<LoopFinding>& findings);

}  // namespace heddle::analysis
