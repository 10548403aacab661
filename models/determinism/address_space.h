// Where depths and locks are in device memory ([GPUDet] §4.4.2).
#pragma once

#include <cstdint>

#include "determinism/chunk.h"
#include "determinism/z_cache.h"
#include "memory/address_map.h"
#include "memory/config.h"

namespace heddle::determinism {

/// Every word of device memory has a depth, in the same partition, at a fixed distance; every chunk has a lock, which is
/// used by lock-based commits only. Neither is an allocation: memory that nobody wrote takes no space.
///
/// A depth is stored as its bits xor kNoDepth, so memory that was never written, which reads as zero, holds
/// kNoDepth: depths need no initialisation at allocation.
class AddressSpace {
 public:
  explicit AddressSpace(const memory::AddressMap& map)
      // A multiple of a round over the partitions: neither partition nor position in the interleave chunk change.
      : depth_offset_(kDistance / round(map) * round(map)) {}

  [[nodiscard]] std::uint64_t depth_address(std::uint64_t color_address) const {
    return color_address + depth_offset_;
  }
  [[nodiscard]] static std::uint64_t lock_address(std::uint64_t chunk) {
    return kLocks + chunk / kChunkBytes * kLockBytes;
  }
  static constexpr unsigned kLockBytes = 4;

  /// Throws InputError if memory cannot hold them: lines of L2 other than a chunk, an interleave that divides a
  /// chunk, channels that are addressed densely.
  static void validate(const memory::MemoryConfig& config);

 private:
  static constexpr std::uint64_t kDistance = 0x2000'0000'0000;  ///< above all allocations, below code
  static constexpr std::uint64_t kLocks = 0x4000'0000'0000;
  static std::uint64_t round(const memory::AddressMap& map) {
    return map.partitions() * map.interleave_bytes();
  }
  std::uint64_t depth_offset_;
};

/// Depths as memory holds them.
void store_depths(const DepthLine& depths, unsigned char* to);
[[nodiscard]] DepthLine load_depths(const unsigned char* from);

}  // namespace heddle::determinism
