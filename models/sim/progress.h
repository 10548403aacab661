// What the watchdog needs to know: has anything changed that a waiting thread could notice?
#pragma once

#include <cstdint>
#include <vector>

#include "sim/lock_holders.h"
#include "sim/memory_log.h"
#include "sim/store_watch.h"

namespace heddle::sim {

/// One per GPU, and a part of it for each core and memory partition, which may run on a thread of its own. Every block that
/// holds memory values (L2 slices, shared memory, local memory) reports every write that stores a value different from the
/// old one; an L1 reports a fill, since a fill can change what a later load sees.
class ProgressMonitor {
 public:
  ProgressMonitor() = default;
  /// A part of `whole`, which outlives it.
  explicit ProgressMonitor(ProgressMonitor& whole) : log(whole.log), stores(whole.stores) {
    whole.parts_.push_back(this);
  }
  ProgressMonitor(const ProgressMonitor&) = delete;
  ProgressMonitor& operator=(const ProgressMonitor&) = delete;

  void memory_changed() { ++memory_changes_; }
  /// Waiting lanes go on: a barrier was released, lanes have met.
  void lanes_released() { ++releases_; }
  /// What never happens twice: a CTA started, lanes exited.
  void advanced() { ++advances_; }

  /// Of the whole, its parts included.
  [[nodiscard]] std::uint64_t advances() const { return sum(&ProgressMonitor::advances_); }
  /// Of any kind.
  [[nodiscard]] std::uint64_t changes() const {
    return sum(&ProgressMonitor::memory_changes_) + sum(&ProgressMonitor::releases_) + advances();
  }
  /// Who took the lock at this word last (LockHolders); nullptr: nobody, or forgotten.
  [[nodiscard]] const LockHolders::Holder* last_holder(std::uint64_t word) const {
    const LockHolders::Holder* found = locks.last(word);
    for (const ProgressMonitor* part : parts_)
      if (found == nullptr) found = part->locks.last(word);
    return found;
  }
  void forget_holders() {
    locks.clear();
    for (ProgressMonitor* part : parts_) part->locks.clear();
  }

 private:
  MemoryLog own_log_;
  StoreWatch own_stores_;

 public:
  MemoryLog& log{own_log_};  ///< the whole's; nothing runs ahead while it is active
  LockHolders locks;         ///< who took them here
  StoreWatch& stores{own_stores_};

 private:
  [[nodiscard]] std::uint64_t sum(std::uint64_t ProgressMonitor::*count) const {
    std::uint64_t all = this->*count;
    for (const ProgressMonitor* part : parts_) all += part->*count;
    return all;
  }

  std::vector<ProgressMonitor*> parts_;
  std::uint64_t memory_changes_ = 0;
  std::uint64_t releases_ = 0;
  std::uint64_t advances_ = 0;
};

}  // namespace heddle::sim
