// Device memory by partition, for microbenchmarks that select the partition, row and bank they read.
#pragma once

#include <cstdint>
#include <string>

#include "memory/address_map.h"
#include "microbench/session.h"

namespace heddle::microbench {

/// The same number of bytes in every partition, starting there at a row of the first DRAM bank. Freed with
/// the object.
class PartitionedBuffer {
 public:
  PartitionedBuffer(Session& session, std::uint64_t bytes_each, const std::string& name);
  PartitionedBuffer(PartitionedBuffer&& other) noexcept;
  PartitionedBuffer(const PartitionedBuffer&) = delete;
  PartitionedBuffer& operator=(const PartitionedBuffer&) = delete;
  PartitionedBuffer& operator=(PartitionedBuffer&&) = delete;
  ~PartitionedBuffer();

  /// Global address of a byte of a partition.
  [[nodiscard]] std::uint64_t address(std::uint32_t partition, std::uint64_t offset) const {
    return map_.global(base::PartitionId{partition}, first_ + offset);
  }

 private:
  Session* session_;  ///< nullptr: moved from
  memory::AddressMap map_;
  std::uint64_t allocation_ = 0;
  std::uint64_t first_ = 0;  ///< channel-local address of the first byte
};

}  // namespace heddle::microbench
