// SIMT-induced deadlocks: loops that may wait for a write that the SIMT stack prevents, and the earliest
// program point where threads may wait for each other without preventing that write.
//
// [SSDE] §3.3.1: Alg 1 (detection); [SSDE] §4.1: Alg 2 (safe post-dominators), Alg 3 (resolution). Conservative:
// addresses that are not known to differ may be equal, and every path may be taken. Intraprocedural: what
// callers do after a return is not analysed ([SSDE] §3.3.2, §4.2.3).
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/code_analysis.h"

namespace heddle::analysis {

/// When Alg 3 flags an outer loop because of a loop within it ([SSDE:A10]).
enum class OuterLoopRule : std::uint8_t {
  kPostDominates,  ///< the inner point is the outer's or after it, or the outer's has moved and its body may
                   ///< overwrite what it waits for
  kListing,        ///< literally as listed: the inner point "dominates" the outer's
};

/// The alternative readings of [SSDE:A10] to [SSDE:A12], with the recommended ones as defaults.
struct DeadlockOptions {
  AliasOptions alias;
  bool parallel_writes =
      true;  ///< count writes parallel to a loop; delayed reconvergence does not need them ([AWARE] §5.4.2)
  bool writes_within_loop = true;  ///< [SSDE:A12]: those reached again through an enclosing loop
  bool ignore_dominating_stores =
      false;                     ///< [SSDE:A12]: stores of the loop that precede the read in each iteration
  bool strictly_common = false;  ///< [SSDE:A11]
  OuterLoopRule outer_loops = OuterLoopRule::kPostDominates;
  /// Only reads that are bound to see other threads' writes: volatile, relaxed or stronger loads, atomics, calls. A
  /// compiler may take a weak load out of a loop, so nobody can wait by it.
  bool strong_reads_only = false;
  bool resolve = true;  ///< apply Alg 3; delayed reconvergence nests by other means
  /// Beyond the publication: what a loop waits for may lie behind another loop that waits, so what that one waits for
  /// counts as well (SOUNDNESS.md).
  bool closure = true;
};

/// A write that may change the value a loop waits for.
struct RedefiningWrite {
  std::uint32_t write = 0;
  std::uint32_t read = 0;                 ///< the first read that it may affect
  bool reachable = false;                 ///< from the reconvergence point of the loop's exits, without a
                                          ///< barrier in between
  bool parallel = false;                  ///< on the other side of a branch, one side of which contains the
                                          ///< loop
  std::vector<std::uint32_t> branches{};  ///< those that decide whether threads reach it
  std::vector<BlockId> path{};            ///< reachable: a shortest path to it
};

inline constexpr std::uint32_t kNoOtherLoop = 0xffff'ffffu;

struct LoopFinding {
  EdgeLoop loop;
  std::vector<std::uint32_t> exit_branches;
  std::vector<std::uint32_t> shared_reads;  ///< within the loop, that its exits depend on
  bool depends_on_memory = false;           ///< on some shared read, in the loop or outside
  std::vector<RedefiningWrite> writes;      ///< empty: not flagged by Alg 1
  std::uint32_t because_of = kNoOtherLoop;  ///< flagged by Alg 3 because of this loop
  base::Pc reconvergence = base::kNoPc;     ///< where its exits reconverge
  base::Pc safe = base::kNoPc;              ///< SafePDOM; kNoPc: the end of the threads
  [[nodiscard]] bool flagged() const { return !writes.empty() || because_of != kNoOtherLoop; }
};

/// All loops, in the order of CodeAnalysis::loops().
[[nodiscard]] std::vector<LoopFinding> find_simt_deadlocks(CodeAnalysis& code,
                                                           const DeadlockOptions& options = {});

}  // namespace heddle::analysis
