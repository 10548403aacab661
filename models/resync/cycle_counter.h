// Cycles of a machine that issues several fetches at a time, of different threads ([Resync:M9]).
#pragma once

#include <cstdint>

#include "resync/thread_views.h"

namespace heddle::resync {

class CycleCounter {
 public:
  /// `fetch_units` per cycle; 0: one per thread.
  explicit CycleCounter(unsigned fetch_units = 0) : units_(fetch_units == 0 ? kMaxThreads : fetch_units) {}
  /// The next fetch. It opens a cycle if a thread of it has been served in the open one, or that one is full.
  void fetch(ThreadMask threads) {
    if ((served_ & threads) != 0 || in_cycle_ == units_) {
      served_ = 0;
      in_cycle_ = 0;
    }
    if (in_cycle_ == 0) ++cycles_;
    served_ |= threads;
    ++in_cycle_;
  }
  /// The open one included.
  [[nodiscard]] std::uint64_t cycles() const { return cycles_; }

 private:
  unsigned units_;
  unsigned in_cycle_ = 0;
  ThreadMask served_ = 0;
  std::uint64_t cycles_ = 0;
};

}  // namespace heddle::resync
