// Code in which a thread does nothing more but end, and code in which others wait for it unless it has.
//
// An exited thread is not waited for, neither at a CTA barrier from sm_70 on (PTX ISA, bar) nor at a .sync instruction.
// A thread that has only code ahead from which it ends by itself can just as well go on to its end, instead of waiting
// at a reconvergence point for those that wait for it. -O0 and -G code makes all returns of a kernel one block.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/block_paths.h"
#include "analysis/cfg.h"
#include "isa/kernel.h"

namespace heddle::analysis {

class FinishingCode {
 public:
  /// `barriers`: a lane that has not arrived at a CTA barrier, nor exited, holds it up (not where its warp arrives as a
  /// whole). Both must outlive this.
  FinishingCode(const isa::Kernel& kernel, const ControlFlowGraph& cfg, bool barriers);

  /// Whatever other threads do, a thread comes from the block to its exit, unless it never stops: no barrier, .sync
  /// instruction or transaction, and no loop that reads what others may write. Nor does what it does depend on who is
  /// with it.
  [[nodiscard]] bool finishes(BlockId block) const { return !holds_.test(block); }
  /// From the block on there are places where others may wait for a thread.
  [[nodiscard]] bool waited_for(BlockId block) const { return waits_.test(block); }
  [[nodiscard]] bool anybody_waits() const { return waits_.any(); }
  /// At how many such places a thread is on every way from the start of `from` to the start of `to`; none: that depends
  /// on the way. Threads that have the same number before them need not exit for each other.
  [[nodiscard]] std::optional<std::uint32_t> waits_between(BlockId from, BlockId to) const;

 private:
  [[nodiscard]] bool waits_at(const isa::Instruction& instruction) const;
  void find_in_blocks();
  void find_through_calls();
  void find_waiting_loops();
  [[nodiscard]] bool in_loop(BlockId block) const;
  void spread(BlockSet& blocks) const;
  [[nodiscard]] std::optional<std::uint32_t> waits_in(BlockId block) const;

  const isa::Kernel& kernel_;
  const ControlFlowGraph& cfg_;
  bool barriers_;
  BlockSet holds_;
  BlockSet waits_;
  BlockSet waiting_calls_;        ///< calls of functions with such places
  std::vector<BlockId> reading_;  ///< blocks that read what others may write
};

}  // namespace heddle::analysis
