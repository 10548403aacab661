// The block-wide SIMT stack ([TBC] §3.3, §3.4): one stack for all warps of a block, of which the top runs. Its warps
// are made by the thread compactor and are destroyed when they arrive at a potentially divergent branch or at the
// entry's reconvergence point; when none is left (WCnt 0) the next entry has its turn.
//
// Two rules bound it ([TBC:S1]): an entry whose RPC is the branch's is replaced, and when the last warp has
// arrived new entries that are empty or begin at their RPC are dropped.
//
// Exits: the thread's bit in the live mask, which entries are ANDed with when they become the top ([TBC:S4]).
//
// Calls and returns (not in the thesis; [TBC:S13]): an entry belongs to a call frame, all its
// threads have the same chain of callers. They are arrivals like branches: a call turns the entry into the place behind
// it and adds the functions called, one frame deeper; a return takes threads out of all entries of the frame.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "compaction/block_mask.h"

namespace heddle::compaction {

using base::kNoPc;
using base::Pc;

struct BlockEntry {
  static constexpr std::uint32_t kNone = ~0u;
  Pc pc{};
  Pc rpc = kNoPc;
  Pc lpc = kNoPc;              ///< likely-convergence point
  std::uint32_t lpos = kNone;  ///< entry that collects threads there; bottom = 0
  BlockMask mask{};
  std::uint32_t frame = 0;  ///< calls that the entry is deep in
  /// The branch, call, return or exit that last parted its threads from others of the CTA; for statistics only.
  Pc parted_at = kNoPc;
};

/// Which of two sides is on top ([TBC:A1]).
enum class TopSide : std::uint8_t { kTaken, kNotTaken, kSmaller };

class BlockStack {
 public:
  struct Stats {
    std::uint64_t synchronised = 0;  ///< branches, calls and returns at which all warps had arrived
    std::uint64_t divergences = 0;   ///< of these, branches whose threads went to more than one place
    std::uint64_t calls = 0;
    std::uint64_t reconvergences = 0;
    std::uint64_t likely_reconvergences = 0;
    std::uint64_t max_depth = 0;
  };
  /// `stats`: those of all blocks of a core; they outlive this.
  explicit BlockStack(Stats& stats, TopSide top_side = TopSide::kTaken)
      : stats_(&stats), top_side_(top_side) {}

  /// All threads of the block are at `pc`. Its warps are still to be made: activate().
  void launch(Pc pc, const BlockMask& threads);

  /// The top after what has ended was popped; null: all threads have exited. Only between entries (complete()).
  [[nodiscard]] const BlockEntry* settle();
  /// The top's warps have been counted.
  void activate(std::uint32_t warps) { pending_ = warps; }
  /// Warps of the top that have not arrived (WCnt).
  [[nodiscard]] std::uint32_t pending() const { return pending_; }

  // Arrivals: a warp of the top with threads `threads` comes to ...
  struct Side {
    Pc pc{};
    BlockMask threads{};
    bool taken = false;
  };
  /// ... a branch, and its threads go to `sides`, of which those of a two-way branch are both named.
  void branch(const std::vector<Side>& sides, Pc rpc, Pc lpc);
  /// ... a call; threads in no side go on at `next`.
  void call(const std::vector<Side>& callees, Pc next);
  /// ... a return of `leaving`; the others go on at `next`.
  void leave(const BlockMask& leaving, Pc next);
  /// ... the top's RPC or LPC.
  void reconverge(Pc at);
  /// All its threads have exited (exited()).
  void ended() { arrived(); }
  /// Threads of the top's warps exit, at `at`.
  void exited(const BlockMask& threads, Pc at = kNoPc) {
    live_.remove(threads);
    exited_at_ = at;
  }

  /// All warps of the top have arrived: settle() says which entry is next.
  [[nodiscard]] bool complete() const { return pending_ == 0; }

  /// Bottom first. While warps arrive at a branch, with the entries that they fill.
  [[nodiscard]] std::vector<BlockEntry> entries() const;
  [[nodiscard]] const BlockEntry& top() const { return stack_.back(); }
  [[nodiscard]] const BlockMask& live() const { return live_; }
  /// Some of the top's warps have arrived at a branch, call or return and wait for the others.
  [[nodiscard]] bool filling() const { return fill_.kind != Fill::kNothing; }
  /// For diagnosis and statistics: the PC of what the next arrival arrives at, and of what the last one did.
  void arrives_at(Pc at) { at_ = at; }
  [[nodiscard]] Pc arrived_at() const { return at_; }
  [[nodiscard]] std::size_t depth() const { return stack_.size(); }
  [[nodiscard]] bool empty() const { return stack_.empty(); }
  /// Threads of the last completed branch went to more than one place.
  [[nodiscard]] bool diverged() const { return diverged_; }

 private:
  /// What warps of the top have arrived at.
  struct Fill {
    enum Kind : std::uint8_t { kNothing, kBranch, kCall, kReturn, kReconvergence };
    Kind kind = kNothing;
    Pc next{};  ///< kBranch: its RPC; kCall, kReturn: behind it; kReconvergence: where
    Pc lpc = kNoPc;
    std::vector<BlockEntry> sides;  ///< in the order in which they are pushed
    BlockMask leaving;
  };
  void arrived() {
    if (--pending_ == 0) finish();
  }
  void begin(Fill::Kind kind, Pc next);
  void fill(const std::vector<Side>& sides, Pc rpc, std::uint32_t frame);
  void finish();
  void finish_branch();
  void finish_call();
  void finish_return();
  void push(const BlockEntry& entry);

  Stats* stats_;
  TopSide top_side_;
  std::vector<BlockEntry> stack_;
  BlockMask live_;
  std::uint32_t pending_ = 0;
  Fill fill_;
  bool diverged_ = false;
  Pc at_{};
  Pc exited_at_ = kNoPc;
};

}  // namespace heddle::compaction
