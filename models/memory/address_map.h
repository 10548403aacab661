// Which partition holds a global address, and at which local address.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/choice.h"
#include "base/divisor.h"
#include "base/ids.h"

namespace heddle::memory {

/// The order of the partitions in each round over them. A round is as many consecutive chunks as there are partitions.
class PartitionOrder {
 public:
  virtual ~PartitionOrder() = default;
  /// The partition of chunk `position` of a round: a permutation of 0 to partitions - 1.
  [[nodiscard]] virtual std::uint32_t partition(std::uint64_t round, std::uint32_t position) const = 0;
  /// Its inverse.
  [[nodiscard]] virtual std::uint32_t position(std::uint64_t round, std::uint32_t partition) const = 0;
};

struct AddressMapping {
  std::string name;  ///< value of memory.address_map
  std::string doc;
  /// For a number of partitions; null: round robin.
  std::function<std::shared_ptr<const PartitionOrder>(std::uint32_t partitions)> make;
};

[[nodiscard]] AddressMapping interleaved_mapping();
[[nodiscard]] AddressMapping xor_mapping();
[[nodiscard]] AddressMapping ipoly_mapping();

/// By itself it knows interleaved; platforms/gpu gives it all that are registered.
using AddressMappingChoice = base::Choice<AddressMapping>;
[[nodiscard]] AddressMappingChoice default_address_mapping();

/// Chunks of `interleave_bytes` are distributed in rounds: in each, every partition gets one, by default in their order,
/// p = floor(address / interleave) mod partitions. The chunks of one partition are contiguous in its channel-local address
/// space. A bijection between global addresses and (partition, local) pairs for any number of partitions.
class AddressMap {
 public:
  /// `partitions` >= 1; `interleave_bytes` a power of two (MemoryConfig::validate).
  AddressMap(std::uint32_t partitions, std::uint32_t interleave_bytes,
             std::shared_ptr<const PartitionOrder> order = nullptr)
      : partitions_(partitions),
        shift_(static_cast<unsigned>(std::countr_zero(interleave_bytes))),
        offset_mask_(interleave_bytes - 1),
        order_(std::move(order)) {}

  [[nodiscard]] std::uint32_t partitions() const { return static_cast<std::uint32_t>(partitions_.value()); }
  [[nodiscard]] std::uint64_t interleave_bytes() const { return offset_mask_ + 1; }

  [[nodiscard]] base::PartitionId partition(std::uint64_t global) const {
    const std::uint64_t chunk = global >> shift_;
    const auto position = static_cast<std::uint32_t>(partitions_.remainder(chunk));
    return base::PartitionId{order_ == nullptr ? position
                                               : order_->partition(partitions_.quotient(chunk), position)};
  }
  /// Address within the channel of partition(global).
  [[nodiscard]] std::uint64_t local(std::uint64_t global) const {
    return (partitions_.quotient(global >> shift_) << shift_) | (global & offset_mask_);
  }
  /// Inverse of (partition, local).
  [[nodiscard]] std::uint64_t global(base::PartitionId partition, std::uint64_t local) const {
    const std::uint64_t round = local >> shift_;
    const std::uint32_t position =
        order_ == nullptr ? partition.value() : order_->position(round, partition.value());
    return ((round * partitions_.value() + position) << shift_) | (local & offset_mask_);
  }

 private:
  base::Divisor partitions_;
  unsigned shift_;
  std::uint64_t offset_mask_;
  std::shared_ptr<const PartitionOrder> order_;  ///< null: round robin
};

}  // namespace heddle::memory
