// Sets of blocks in which threads may wait for others: whatever cycle a thread goes round in for ever lies in one of them,
// whether the code has a structure or not.
//
// The loops of Alg 1 ([SSDE] §3.3.1) are too few for that. In
//   L: try; if (failed) goto N; work; free; if (done) goto END; N: goto L
// the one loop's exit depends on `done` only, and yet threads go round it by way of N for as long as they fail, while others
// wait for them where the branch that tested `failed` meets. Here each strongly connected part is taken apart further: into
// those of the ways from each of its branches to the point where that branch meets.
#pragma once

#include <vector>

#include "analysis/code_analysis.h"
#include "analysis/deadlock.h"

namespace heddle::analysis {

struct WaitingSet {
  std::uint32_t function = 0;        ///< as CodeRange::function
  BlockSet blocks;                   ///< strongly connected
  std::vector<std::uint32_t> exits;  ///< last instructions of blocks that have a way out
  std::vector<std::uint32_t> reads;  ///< of shared memory within, on which the exits depend
  std::vector<std::uint32_t> needs;  ///< writes in its function that may change what is read
  /// With those that others wait for which must go on first: a set depends on another if a write that it needs lies in it or
  /// behind it, and so on.
  std::vector<std::uint32_t> all_needs;
  bool has_barrier = false;
  bool counted = false;  ///< left after a number of rounds; what may last for ever in it are smaller sets
  [[nodiscard]] bool waits() const { return !needs.empty(); }
};

class WaitingSets {
 public:
  /// `code` must outlive this. Of the options count: alias, strong_reads_only, writes_within_loop, closure.
  /// `of_barriers`: a set also depends on others that have a barrier, where threads wait for all of the CTA anyway.
  WaitingSets(CodeAnalysis& code, const DeadlockOptions& options, bool of_barriers = true);

  [[nodiscard]] const std::vector<WaitingSet>& all() const { return sets_; }
  [[nodiscard]] bool any_waits() const;
  /// Whether a thread may stay in the region for ever in a cycle of the set that is in no smaller set.
  [[nodiscard]] bool stays(std::size_t set, const BlockSet& region) const;

 private:
  void explore(const BlockSet& blocks, std::uint32_t function);
  void find_reads(WaitingSet& set, bool strong_only);
  void find_needs(WaitingSet& set, const DeadlockOptions& options);
  void close(bool of_barriers);

  CodeAnalysis& code_;
  std::vector<WaitingSet> sets_;
  std::vector<std::vector<std::size_t>> smaller_;  ///< by set: those that lie within it
};

}  // namespace heddle::analysis
