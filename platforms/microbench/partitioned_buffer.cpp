#include "microbench/partitioned_buffer.h"

#include <numeric>
#include <utility>

namespace heddle::microbench {

PartitionedBuffer::PartitionedBuffer(Session& session, std::uint64_t bytes_each, const std::string& name)
    : session_(&session), map_(session.config().memory.map()) {
  const memory::MemoryConfig& memory = session.config().memory;
  const std::uint64_t rows = std::uint64_t{memory.dram.banks} * memory.dram.bank_interleave_bytes;
  // The allocation starts within a chunk of some partition. From the next full round on, all partitions have
  // the same number of bytes.
  const std::uint64_t step = std::lcm(rows, map_.interleave_bytes());
  allocation_ = session.device().allocate((bytes_each + 2 * step) * memory.partitions, name);
  first_ = (map_.local(allocation_) / step + 1) * step;
}

PartitionedBuffer::PartitionedBuffer(PartitionedBuffer&& other) noexcept
    : session_(std::exchange(other.session_, nullptr)),
      map_(other.map_),
      allocation_(other.allocation_),
      first_(other.first_) {}

PartitionedBuffer::~PartitionedBuffer() {
  if (session_ != nullptr) session_->device().free(allocation_);
}

}  // namespace heddle::microbench
