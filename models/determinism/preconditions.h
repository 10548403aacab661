// What determinism needs of the machine ([GPUDet:D1] to [GPUDet:D12], and the rules of the Z-buffer unit), looked at while
// it runs: a rule that does not hold ends the run with its name and place, instead of a result that depends on timing.
//
// One per GPU, made by the mechanism; the parts ask watched() before they look at anything. ACCEPTANCE.md says who looks at
// what.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/protocols/lsu_protocol.h"
#include "sim/fault_latch.h"

namespace heddle::core {
struct LaunchContext;
}

namespace heddle::determinism {

class Preconditions {
 public:
  Preconditions(bool watched, sim::FaultLatch& faults) : watched_(watched), faults_(faults) {}

  [[nodiscard]] bool watched() const { return watched_; }
  /// Ends the run. `rule`: "[GPUDet:D3]"; `where`: the kernel's line, or a part of the GPU. Returns: within a SystemC
  /// process that is not a core's nobody would catch an exception.
  void broken(const std::string& rule, const std::string& where, const std::string& what);

  // ---- [GPUDet:D7]: who may store to global memory, and when ----

  /// What only one core reads and writes, in this launch: logs, local memory, tables of control flow.
  void set_private(std::vector<core::AddressRange> ranges) {
    before_ = std::exchange(private_, std::move(ranges));
  }
  [[nodiscard]] bool is_private(std::uint64_t address) const {
    return core::is_in(private_, address) || core::is_in(before_, address);
  }
  /// From the beginning of a commit to the end of the quantum's serial mode.
  void open_memory(bool open) { open_ = open; }
  [[nodiscard]] bool memory_open() const { return open_; }

 private:
  bool watched_;
  sim::FaultLatch& faults_;
  std::vector<core::AddressRange> private_;
  std::vector<core::AddressRange>
      before_;  ///< of the launch before: its last write-backs may be on their way
  bool open_ = false;
};

/// The place of an instruction: "file:line (kernel)".
[[nodiscard]] std::string place_of(const core::LaunchContext& launch, base::Pc pc);

}  // namespace heddle::determinism
