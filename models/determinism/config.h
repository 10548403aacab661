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

/// Rules of a Z-buffer unit, broken one at a time by tests that must notice (BrokenRule).
struct ZBufferRules {
  bool less_equal = true;    ///< [GPUDet:Z1]: a wavefront's later store wins over its earlier one
  bool oldest_first = true;  ///< [GPUDet:Z2]: requests to a chunk are scheduled in the order of their arrival
  bool atomic_wake =
      true;  ///< [GPUDet:Z2]: waiting requests are ready in the clock in which the line is released
  bool set_full_stays = true;     ///< [GPUDet:Z3]: a request that finds all ways locked waits for no address
  bool l2_in_order = true;        ///< [GPUDet:Z4]
  bool ack_when_accepted = true;  ///< an acknowledgement follows the L2's acceptance
  bool locks_exclude = true;      ///< a locked line is no hit
  bool mask_by_result = true;     ///< only the words that pass are written
  bool depth_reset = true;        ///< [GPUDet] §4.4.2
};

/// Lock-based commit of a core.
struct LockCommitConfig {
  std::uint32_t retry_cycles = 0;

  void visit(base::ConfigVisitor& v);
};

}  // namespace heddle::determinism
