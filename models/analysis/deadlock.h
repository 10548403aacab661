// SIMT-induced deadlocks: loops that may wait for a write that the SIMT stack keeps from happening, and the
// earliest place where threads may wait for each other without blocking that write.
//
// mimd-simt-and-bows §7.2: Alg 1 (detection), Alg 2 (safe post-dominators), Alg 3 (resolution). Conservative:
// what is not known to be another address may be the same, and every path may be taken. One function at a
// time: what callers do behind a return is not seen (§7.3).
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/code_analysis.h"

namespace heddle::analysis {

/// When Alg 3 takes a loop along because of a loop within it (A10).
enum class OuterLoopRule : std::uint8_t {
  kPostDominates,  ///< the inner place is the outer's or behind it, or the outer's has moved and its body may
                   ///< overwrite what it waits for
  kListing,        ///< word for word: the inner place "dominates" the outer's
};

/// The readings of mimd-simt-and-bows §12, with the recommended ones as defaults.
struct DeadlockOptions {
  AliasOptions alias;
  bool parallel_writes =
      true;  ///< count writes parallel to a loop; delayed reconvergence does without (§3.3)
  bool writes_within_loop = true;         ///< A12: those that are reached again through a loop around
  bool ignore_dominating_stores = false;  ///< A12: stores of the loop that come before the read in each round
  bool strict_places = false;             ///< A11
  OuterLoopRule outer_loops = OuterLoopRule::kPostDominates;
  bool resolve = true;  ///< apply Alg 3; delayed reconvergence nests by other means
};

/// A write that may change what a loop waits for.
struct RedefiningWrite {
  std::uint32_t write = 0;
  std::uint32_t read = 0;                 ///< the first that it may change
  bool reachable = false;                 ///< from where the loop's exits meet, without a barrier on the way
  bool parallel = false;                  ///< on the other side of a branch whose one side holds the loop
  std::vector<std::uint32_t> branches{};  ///< that decide whether threads get there
  std::vector<BlockId> path{};            ///< reachable: a shortest one
};

inline constexpr std::uint32_t kNoOtherLoop = 0xffff'ffffu;

struct LoopFinding {
  EdgeLoop loop;
  std::vector<std::uint32_t> exit_branches;
  std::vector<std::uint32_t> shared_reads;  ///< within the loop, that its exits depend on
  bool depends_on_memory = false;           ///< on some shared read, wherever it is
  std::vector<RedefiningWrite> writes;      ///< empty: not flagged by Alg 1
  std::uint32_t because_of = kNoOtherLoop;  ///< flagged by Alg 3, as this loop is
  base::Pc reconvergence = base::kNoPc;     ///< where its exits meet
  base::Pc safe = base::kNoPc;              ///< SafePDOM; kNoPc: the end of the threads
  [[nodiscard]] bool flagged() const { return !writes.empty() || because_of != kNoOtherLoop; }
};

/// All loops, in the order of CodeAnalysis::loops().
[[nodiscard]] std::vector<LoopFinding> find_simt_deadlocks(CodeAnalysis& code,
                                                           const DeadlockOptions& options = {});

}  // namespace heddle::analysis
