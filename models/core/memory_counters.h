// What a warp has outstanding in the load/store unit. Any other client of the unit has counters like these.
#pragma once

#include <cstdint>

namespace heddle::core {

struct MemoryCounters {
  /// Operations not finished (stores: not acknowledged), and dirty lines that they displaced from L1.
  std::uint32_t memory_outstanding = 0;
  /// Of these, loads and atomics without data, and stores that have not left the core.
  std::uint32_t order_outstanding = 0;
  /// Of these, those that will write registers.
  std::uint32_t fills_outstanding = 0;
  /// Of these, those that wait in the queue of their sub-core (core.lsu.local_queue_entries).
  std::uint32_t queued = 0;

  /// An operation begins; `writes_registers`: its instruction has destinations.
  void begin(bool writes_registers) {
    ++memory_outstanding;
    ++order_outstanding;
    if (writes_registers) ++fills_outstanding;
  }
  /// One without destinations has left the core.
  void left() { --order_outstanding; }
  void finish(bool writes_registers) {
    --memory_outstanding;
    if (!writes_registers) return;
    --order_outstanding;
    --fills_outstanding;
  }
};

}  // namespace heddle::core
