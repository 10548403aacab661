// What the watchdog needs to know: has anything changed that a waiting thread could notice?
#pragma once

#include <cstdint>

namespace heddle::sim {

/// One per GPU. Whoever holds memory values (L2 slices, shared memory, local memory) reports every write that
/// stores a value different from the old one; an L1 reports a fill, since a fill can change what a later load
/// sees.
class ProgressMonitor {
 public:
  void memory_changed() { ++changes_; }
  /// A CTA started, lanes exited, a barrier was released: what waits may go on.
  void control_changed() { ++changes_; }
  [[nodiscard]] std::uint64_t changes() const { return changes_; }

 private:
  std::uint64_t changes_ = 0;
};

}  // namespace heddle::sim
