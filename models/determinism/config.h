// Configuration of the partition side of a deterministic GPU: Z-buffer units, and the lock-based commit that they are
// compared with ([GPUDet]).
#pragma once

#include <cstdint>

#include "base/config.h"

namespace heddle::determinism {

/// Who commits the logs.
enum class CommitEngineKind : std::uint8_t {
  kZBuffer,  ///< Z-buffer units at the memory partitions ([GPUDet] §4.4.3)
  kLock,     ///< the cores, with a lock per chunk ([GPUDet] §6.2.2)
};

/// What the scheduler of a Z-buffer unit does while the oldest ready request finds all ways of its set locked.
enum class SetFull : std::uint8_t {
  kStall,  ///< waits
  kSkip,   ///< goes on with requests to other sets ([GPUDet] §4.4.3, [GPUDet:S3])
};

/// A Z-buffer unit. Cycles are of its own clock.
struct ZBufferConfig {
  double clock_mhz = 650;
  std::uint32_t request_entries = 16;
  std::uint32_t comparator_entries = 16;
  std::uint32_t cache_kib = 16;
  std::uint32_t cache_ways = 4;
  std::uint32_t latency_cycles = 1;  ///< z_latency
  std::uint32_t l2_queue = 4;
  SetFull set_full = SetFull::kStall;
  bool full_depth_packet = false;
  std::uint32_t depth_bits = 32;

  void visit(base::ConfigVisitor& v);
  [[nodiscard]] std::uint32_t sets() const { return cache_kib * 1024 / 128 / cache_ways; }
  /// Throws InputError; `where`: path of this section.
  void validate(const std::string& where) const;
};

/// Lock-based commit of a core.
struct LockCommitConfig {
  std::uint32_t retry_cycles = 0;

  void visit(base::ConfigVisitor& v);
};

}  // namespace heddle::determinism
