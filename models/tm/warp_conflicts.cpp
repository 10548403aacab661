#include "tm/warp_conflicts.h"

#include "warp_log/bloom_filter.h"

namespace heddle::tm {

void WarpConflicts::add(LaneMask lanes, const LogWalker::Row& row) {
  auto& rows = row.write ? words_.writes : words_.reads;
  if (row.row < rows.size()) return;
  WarpWords::Row& words = rows.emplace_back();
  lanes.for_each([&](unsigned lane) {
    if (row.addresses[lane] != kVoidAddress) words[lane] = word_of(device_address(row.addresses[lane]));
  });
}

Resolution WarpConflicts::resolve(WarpId id, LaneMask active, Cycle now) {
  Resolution resolution;
  const bool sequential = config_.resolution == IntraWarp::kSequential;
  if (sequential) {
    resolution = resolve_sequentially(words_, active, warp_log::BloomFilter::bits_of(config_.filter_bits));
  } else {
    const std::uint32_t entries = config_.table_entries;
    // The thesis names no hash ([KiloTM:A19]): a multiplication, of which the upper bits are used.
    resolution =
        resolve_two_phase(words_, active, entries, warp_log::kDataBytes, [entries](std::uint64_t word) {
          const auto product = static_cast<std::uint32_t>(word / kWordBytes) * 2654435761u;
          return static_cast<std::uint32_t>(std::uint64_t{product} * entries >> 32);
        });
  }
  const std::uint32_t clocks = resolution.steps * (sequential ? config_.step_cycles : 1);
  // Rows that have been read take a step each, and have taken it.
  const auto rows = static_cast<std::uint32_t>(words_.reads.size() + words_.writes.size());
  steps_ = {id, now + (clocks > rows ? clocks - rows : 0)};
  return resolution;
}

std::optional<WarpId> WarpConflicts::over(Cycle now) {
  if (!steps_ || steps_->second > now) return std::nullopt;
  const WarpId id = steps_->first;
  steps_.reset();
  return id;
}

}  // namespace heddle::tm
