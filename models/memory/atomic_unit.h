// The read-modify-write unit of an L2 slice.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "memory/config.h"
#include "sim/memory_payload.h"

namespace heddle::memory {

/// One per partition, shared by the slice's banks. Executes the lanes of one transaction in array order, so
/// lanes with the same address see each other's results. The values never depend on the keys below, which
/// only set the timing.
///
///  * With `atomic_combine`, lanes with the same address are first combined into one operation: the unit then
///    sees one operation per address.
///  * Operations on one address take `atomic_same_address_cycles` each, one after the other (0: no limit).
///    They occupy the bank that holds the line.
///  * Transactions on one line begin `atomic_same_line_cycles` apart at least (0: no limit).
///  * Operations on any addresses start at a rate of `atomic_lanes_per_cycle`. They occupy the unit.
class AtomicUnit {
 public:
  explicit AtomicUnit(const L2Config& config)
      : lanes_per_cycle_(config.atomic_lanes_per_cycle),
        same_address_cycles_(config.atomic_same_address_cycles),
        combine_(config.atomic_combine),
        results_stream_(config.atomic_results_stream),
        recent_(config.atomic_same_line_cycles) {}

  struct Result {
    bool ok = true;                 ///< false: a lane lies outside the data, nothing was done
    bool changed = false;           ///< some value differs afterwards
    std::uint32_t operations = 0;   ///< after combining
    std::uint32_t unit_cycles = 1;  ///< time the unit is occupied
    std::uint32_t bank_cycles = 1;  ///< time the bank is occupied; at least unit_cycles
    std::uint32_t done_cycles = 1;  ///< time until the response is ready; at most bank_cycles
  };
  /// Executes at cycle `now`, when the unit is free and the line's turn() has come. `data` points to the `bytes` bytes that the transaction
  /// addresses. Fills ext.atomics[i].old.
  Result execute(sim::MemoryExtension& ext, unsigned char* data, unsigned bytes, std::uint64_t line,
                 base::Cycle now);

  [[nodiscard]] base::Cycle free_at() const { return free_at_; }
  /// From when on a transaction on the line may begin.
  [[nodiscard]] base::Cycle turn(std::uint64_t line) const {
    base::Cycle turn = 0;
    for (const Begun& last : recent_)
      if (last.line == line) turn = std::max(turn, last.at + recent_.size());
    return turn;
  }

 private:
  [[nodiscard]] bool combines(const sim::MemoryExtension& ext) const;
  void time(const sim::MemoryExtension& ext, unsigned count, Result& result) const;

  std::uint32_t lanes_per_cycle_;
  std::uint32_t same_address_cycles_;
  AtomicCombine combine_;
  bool results_stream_;
  struct Begun {
    std::uint64_t line = ~std::uint64_t{0};
    base::Cycle at = 0;
  };
  std::vector<Begun> recent_;  ///< the last ones: one a cycle, so all that a line may have to wait for
  std::size_t oldest_ = 0;     ///< of these
  base::Cycle free_at_ = 0;
};

}  // namespace heddle::memory
