// What some control-flow mechanisms need to know about a program beyond branch targets and reconvergence
// points. Computed on first use (compiler/facts.h).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/ids.h"

namespace heddle::isa {

struct ProgramFacts {
  static constexpr std::uint32_t kNone = 0xffff'ffffu;

  enum Mark : std::uint8_t {
    kBlockStart = 1,           ///< first instruction of a basic block
    kPostDominator = 2,        ///< immediate post-dominator of some branch
    kUniformBranch = 4,        ///< bra.uni, or all lanes of a warp are certain to decide alike
    kLikelyConvergence = 8,    ///< in Kernel::likely_convergence
    kSpinBranch = 16,          ///< a backward branch that may be spin-inducing (analysis/spin_branches.h)
    kNamedSpinBranch = 32,     ///< the same, of a loop in Kernel::spin_marks
    kBlockUniformBranch = 64,  ///< all threads of a CTA that come to it are certain to decide alike
    kWaits = 128,              ///< a fence or nanosleep: a group that has issued it may wait there
  };

  // By PC.
  std::vector<std::uint8_t> marks;
  std::vector<std::uint32_t> block;  ///< number of its basic block, in the order of the code
  std::vector<std::uint32_t>
      post_dominator;  ///< of a branch: id of its immediate post-dominator; otherwise kNone
  std::vector<std::uint32_t> is_post_dominator;  ///< id of this PC as a post-dominator, or kNone

  /// Convergence instructions at which lanes may set others free: BSYNC, BREAK, BMOV Bx,Rx and WARPSYNC.
  std::vector<base::Pc> convergence;
  /// Where lanes give others their turn: YIELD, and NANOSLEEP, which yields.
  std::vector<base::Pc> yields;
  /// Lanes look at others of their warp (SHFL, VOTE ...): results may depend on who is together.
  bool exchanges = false;

  // By block. Blocks of different functions are not comparable; unreachable ones come last.
  /// Rank in a weak topological order. A block comes after all blocks that lead to it, except along back
  /// edges to a loop head, and a loop is complete before what follows it. Thread frontiers run the block with
  /// the smallest rank first (Diamos et al., MICRO 2011).
  std::vector<std::uint32_t> order;

  /// Blocks that follow in the same function; kNone: the function ends. A call is no edge.
  std::vector<std::vector<std::uint32_t>> successors;

  std::vector<base::Pc> post_dominators;  ///< by id, ascending
  /// By PC: local memory of an activation of the function that it is in (FunctionCode::frame_bytes); 0 for the kernel's own
  /// code. Empty: the kernel has no functions.
  std::vector<std::uint32_t> frame_bytes;
  /// By PC of a branch: its likely-convergence point, or kNoPc. Empty: the kernel has none.
  std::vector<base::Pc> likely_point;

  [[nodiscard]] bool has(base::Pc pc, Mark mark) const { return (marks[pc.value()] & mark) != 0; }
};

/// The facts of one kernel, once somebody has asked for them. A copy of a kernel starts without them, because
/// it is copied to be changed.
class FactsOnDemand {
 public:
  FactsOnDemand() = default;
  FactsOnDemand(const FactsOnDemand&) {}
  FactsOnDemand(FactsOnDemand&&) noexcept = default;
  FactsOnDemand& operator=(const FactsOnDemand& other) {
    if (this != &other) known_.reset();
    return *this;
  }
  FactsOnDemand& operator=(FactsOnDemand&&) noexcept = default;
  ~FactsOnDemand() = default;

  template <class Compute>
  const ProgramFacts& get(Compute compute) const {
    if (known_ == nullptr) known_ = std::make_shared<const ProgramFacts>(compute());
    return *known_;
  }
  void forget() { known_.reset(); }
  [[nodiscard]] bool computed() const { return known_ != nullptr; }

 private:
  mutable std::shared_ptr<const ProgramFacts> known_;
};

}  // namespace heddle::isa
