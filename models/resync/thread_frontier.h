// Thread frontiers ([Resync] §3.2.3): threads in the block of the highest priority run. The priority is the
// length of the longest path from the block to the end of its function; deeper activations come first.
#pragma once

#include <cstdint>
#include <memory>

#include "resync/selection_policy.h"

namespace heddle::resync {

enum class FrontierTie : std::uint8_t {
  kLeastPc,      ///< LongestPath1
  kBlocks,       ///< LongestPathP: tied blocks take turns, a block each ([Resync])
  kInstructions  ///< LongestPathP: they take turns instruction by instruction ([mmt-sync], [Resync:M16])
};

[[nodiscard]] std::unique_ptr<SelectionPolicy> make_thread_frontier(FrontierTie tie);

}  // namespace heddle::resync
