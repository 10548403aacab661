// What the watchdog needs to know: has anything changed that a waiting thread could notice?
#pragma once

#include <cstdint>

#include "sim/lock_holders.h"
#include "sim/memory_log.h"
#include "sim/store_watch.h"

namespace heddle::sim {

/// One per GPU. Every block that holds memory values (L2 slices, shared memory, local memory) reports every write that
/// stores a value different from the old one; an L1 reports a fill, since a fill can change what a later load
/// sees.
class ProgressMonitor {
 public:
  void memory_changed() { ++memory_changes_; }
  /// Waiting lanes go on: a barrier was released, lanes have met.
  void lanes_released() { ++releases_; }
  /// What never happens twice: a CTA started, lanes exited.
  void advanced() { ++advances_; }

  [[nodiscard]] std::uint64_t advances() const { return advances_; }
  /// Of any kind.
  [[nodiscard]] std::uint64_t changes() const { return memory_changes_ + releases_ + advances_; }

  MemoryLog log;
  LockHolders locks;
  StoreWatch stores;

 private:
  std::uint64_t memory_changes_ = 0;
  std::uint64_t releases_ = 0;
  std::uint64_t advances_ = 0;
};

}  // namespace heddle::sim
