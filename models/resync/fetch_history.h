// Long's fetch history buffers ([Resync] §3.1.4, §3.1.5).
//
// Every thread has a circular buffer of the addresses of the blocks that it has fetched. A thread whose PC is in the
// history of another one is behind it: one point. The threads with most points run.
#pragma once

#include <cstdint>
#include <memory>

#include "resync/selection_policy.h"

namespace heddle::resync {

enum class HistoryTie : std::uint8_t {
  kRound,       ///< Long: each PC of the best ones runs a block, then the points are counted again
  kMinPc,       ///< LongMinPC: the block of the least PC runs, then they are counted again
  kMinSp,       ///< LongMinSP: the same of the least (SP, PC)
  kInstruction  ///< LongIRB: as kRound, but an instruction each; the history is of all instructions
};

/// `entries` per thread, 1 or more. Buffers are written when a block is fetched; a thread gets no points from its own.
[[nodiscard]] std::unique_ptr<SelectionPolicy> make_fetch_history(HistoryTie tie, unsigned entries);

}  // namespace heddle::resync
