// Statistics of memory accesses as a profiler of the hardware counts them (core.lsu.access_statistics): warp instructions by
// space and kind, the sectors that they touch, and the sectors that loads find in L1. No hardware.
#pragma once

#include <array>
#include <cstdint>

#include "base/stats.h"
#include "core/memory/memory_instruction.h"

namespace heddle::core {

class AccessStatistics {
 public:
  void declare(base::StatGroup& stats);
  /// An operation that is no access to constants, with its line accesses. Those to shared memory only are not counted.
  void count(const MemoryInstruction& op);
  /// A global load found these of its sectors in L1, or on their way there.
  void hit(const MemoryInstruction& op, const LineAccess& access, sim::SectorMask found,
           unsigned sector_bytes);

 private:
  /// A lane's reductions give no value back. By it the counters are ordered.
  enum class Kind : std::uint8_t {
    kGlobalLoad,
    kGlobalStore,
    kGlobalAtomic,
    kGlobalReduction,
    kLocalLoad,
    kLocalStore
  };
  static constexpr unsigned kKinds = 6;
  static Kind kind_of(const MemoryInstruction& op);

  std::array<std::uint64_t, kKinds> requests_{}, sectors_{};
  std::uint64_t load_hits_ = 0;
};

}  // namespace heddle::core
