// What the check for warps in lockstep has to know of a kernel's text (lockstep_order.h).
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/code_analysis.h"
#include "isa/kernel.h"

namespace heddle::compaction {

class LockstepProgram {
 public:
  /// The kernel must outlive this. Throws std::length_error for code too large (DominatorTree::kMostBlocks).
  explicit LockstepProgram(const isa::Kernel& kernel);

  /// There are loads and stores by which threads could exchange values through global memory.
  [[nodiscard]] bool exchanges() const { return exchanges_; }
  /// One of them. Of weak accesses those that start from one pointer: two parameters are taken to point to different data.
  [[nodiscard]] bool exchanges(base::Pc pc) const { return has(pc, kExchanges); }
  /// Branches with two sides, calls and returns, and where regions end.
  [[nodiscard]] bool parts_or_joins(base::Pc pc) const { return has(pc, kParts | kEndsRegion); }
  /// A value that other threads may have written in this kernel decides whether the instruction executes, or where it leads to.
  [[nodiscard]] bool by_data(base::Pc pc) const { return has(pc, kByData); }
  /// A load whose value decides whether it is executed again, with nothing else changed: it waits for a value. Also one in front
  /// of such a loop by the same address register, its first round as compilers write it.
  [[nodiscard]] bool polls(base::Pc pc) const { return has(pc, kPolls); }
  /// A volatile or stronger load whose value decides on something: a thread may learn by it what another one has done.
  [[nodiscard]] bool learns(base::Pc pc) const { return has(pc, kLearns); }
  /// Of two points of one region: every thread that has executed `first` comes to `second` in the same round.
  [[nodiscard]] bool in_order(base::Pc first, base::Pc second) const {
    const analysis::PostDominators& tree = code_.post_dominators();
    return first != second && tree.post_dominates(second, first) && !tree.post_dominates(first, second);
  }

 private:
  enum Fact : std::uint8_t {
    kParts = 1,
    kEndsRegion = 2,
    kByData = 4,
    kPolls = 8,
    kExchanges = 16,
    kAsks = 32,
    kLearns = 64
  };
  [[nodiscard]] bool has(base::Pc pc, unsigned facts) const { return (facts_[pc.value()] & facts) != 0; }
  void find_exchanges();
  void find_regions();
  void find_data_decisions();
  void find_learning_loads();
  void find_polls();

  const isa::Kernel& kernel_;
  analysis::CodeAnalysis code_;
  std::vector<std::uint8_t> facts_;  ///< by PC
  bool exchanges_ = false;
};

}  // namespace heddle::compaction
