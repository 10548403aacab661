// Conflicts between the transactions of a warp, resolved in the core before they ask for their commit ([WarpTM] §6.3):
// the lanes that lose try again, and the others do not touch each other's words. Two ways: lane by lane with a Bloom filter
// of what has been written (SCR), or all lanes at once with a table of owners (2PCR). The lowest active lane never loses.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/lane_mask.h"

namespace heddle::tm {

using base::LaneMask;

/// Logs of a warp: by row, each lane's word.
struct WarpWords {
  using Row = std::array<std::optional<std::uint64_t>, base::kLanes>;
  std::vector<Row> reads, writes;
};

struct Resolution {
  LaneMask survivors;
  std::uint32_t steps = 0;  ///< of the hardware: a row of all lanes, or a word (SCR)
};

/// Two-phase parallel conflict resolution. `table`: entries, one byte each, of which `bytes_a_step` are cleared in a step.
/// `hash`: of a word, its entry.
[[nodiscard]] Resolution resolve_two_phase(const WarpWords& words, LaneMask active, std::uint32_t table,
                                           std::uint32_t bytes_a_step,
                                           const std::function<std::uint32_t(std::uint64_t)>& hash);

/// Sequential conflict resolution: every word that is looked up or inserted is a step. `filter_bits`: of the Bloom filter
/// (warp_log/bloom_filter.h); 0: the exact set.
[[nodiscard]] Resolution resolve_sequentially(const WarpWords& words, LaneMask active,
                                              std::uint32_t filter_bits);

}  // namespace heddle::tm
