// The loops in which a kernel's text says that threads wait (Kernel::spin_marks), by instruction: what statistics of
// synchronisation go by.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/kernel.h"

namespace heddle::spin {

class SyncLoops {
 public:
  SyncLoops() = default;
  /// Of all marks of the kernel. Throws InputError for a mark in no loop.
  explicit SyncLoops(const isa::Kernel& kernel);

  /// There is no loop.
  [[nodiscard]] bool none() const { return facts_.empty(); }
  /// The instruction is in the body of some loop: blocks between the target of a marked branch and the branch.
  [[nodiscard]] bool in_body(base::Pc pc) const { return has(pc, kBody); }
  /// An atomic that tries to acquire a lock: a CAS in a lock loop; in one without a CAS, an exchange whose result is used.
  [[nodiscard]] bool attempts(base::Pc pc) const { return has(pc, kAttempt); }
  /// A branch, exit or return by which lanes may end a pass of a wait loop.
  [[nodiscard]] bool ends_wait_pass(base::Pc pc) const {
    return has(pc, kWaitBranch | kWaitExit | kWaitFallThrough);
  }
  /// Lanes that take it go round a wait loop.
  [[nodiscard]] bool waits_again(base::Pc pc) const { return has(pc, kWaitBranch); }
  /// Lanes that take it leave a wait loop.
  [[nodiscard]] bool leaves_taken(base::Pc pc) const { return has(pc, kWaitExit); }
  /// Lanes that do not take it leave a wait loop.
  [[nodiscard]] bool leaves_untaken(base::Pc pc) const { return has(pc, kWaitFallThrough); }

 private:
  enum Fact : std::uint8_t { kBody = 1, kAttempt = 2, kWaitBranch = 4, kWaitExit = 8, kWaitFallThrough = 16 };
  [[nodiscard]] bool has(base::Pc pc, unsigned facts) const {
    return !facts_.empty() && (facts_[pc.value()] & facts) != 0;
  }
  void add(const isa::Kernel& kernel, isa::SpinMark::Kind kind, const std::vector<base::Pc>& branches,
           const std::vector<bool>& body);

  std::vector<std::uint8_t> facts_;  ///< by PC; empty: no loops
};

}  // namespace heddle::spin
