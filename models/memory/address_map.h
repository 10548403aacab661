// Which partition holds a global address, and at which local address.
#pragma once

#include <bit>
#include <cstdint>

#include "base/ids.h"
#include "memory/divisor.h"

namespace heddle::memory {

/// Chunks of `interleave_bytes` are distributed round robin: p = floor(address / interleave) mod partitions.
/// The chunks of one partition are contiguous in its channel-local address space. A bijection between global
/// addresses and (partition, local) pairs for any number of partitions.
class AddressMap {
 public:
  /// `partitions` >= 1; `interleave_bytes` a power of two (MemoryConfig::validate).
  AddressMap(std::uint32_t partitions, std::uint32_t interleave_bytes)
      : partitions_(partitions),
        shift_(static_cast<unsigned>(std::countr_zero(interleave_bytes))),
        offset_mask_(interleave_bytes - 1) {}

  [[nodiscard]] std::uint32_t partitions() const { return static_cast<std::uint32_t>(partitions_.value()); }
  [[nodiscard]] std::uint64_t interleave_bytes() const { return offset_mask_ + 1; }

  [[nodiscard]] base::PartitionId partition(std::uint64_t global) const {
    return base::PartitionId{static_cast<std::uint32_t>(partitions_.remainder(global >> shift_))};
  }
  /// Address within the channel of partition(global).
  [[nodiscard]] std::uint64_t local(std::uint64_t global) const {
    return (partitions_.quotient(global >> shift_) << shift_) | (global & offset_mask_);
  }
  /// Inverse of (partition, local).
  [[nodiscard]] std::uint64_t global(base::PartitionId partition, std::uint64_t local) const {
    return (((local >> shift_) * partitions_.value() + partition.value()) << shift_) | (local & offset_mask_);
  }

 private:
  Divisor partitions_;
  unsigned shift_;
  std::uint64_t offset_mask_;
};

}  // namespace heddle::memory
