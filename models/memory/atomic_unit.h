// The read-modify-write unit of an L2 slice.
#pragma once

#include <cstdint>

#include "sim/memory_payload.h"

namespace heddle::memory {

/// Executes the lanes of one transaction in array order, so lanes with the same address see each other's
/// results. Throughput is `lanes_per_cycle` whatever the addresses (same-address lanes are neither combined
/// nor slowed down).
class AtomicUnit {
 public:
  explicit AtomicUnit(std::uint32_t lanes_per_cycle) : lanes_per_cycle_(lanes_per_cycle) {}

  struct Result {
    bool ok = true;            ///< false: a lane lies outside the data, nothing was done
    bool changed = false;      ///< some value differs afterwards
    std::uint32_t cycles = 1;  ///< time the unit is taken
  };
  /// `data` holds `bytes` bytes, the place the transaction addresses; fills ext.atomics[i].old.
  Result execute(sim::MemoryExtension& ext, unsigned char* data, unsigned bytes) const;

 private:
  std::uint32_t lanes_per_cycle_;
};

}  // namespace heddle::memory
