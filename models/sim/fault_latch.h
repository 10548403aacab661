// Carries an exception out of a SystemC process. The kernel would turn it into an sc_report and lose its
// kind, so the process stores it here and pauses the simulation; the caller of sc_start() rethrows it.
#pragma once

#include <cstdint>
#include <exception>

#include "sim/clock.h"

namespace heddle::sim {

class FaultLatch {
 public:
  explicit FaultLatch(ClockManager& clocks) : clocks_(clocks) {}
  /// Keeps the first exception, of several in one instant that of the smallest `rank`, and pauses the simulation. From a
  /// logical process: when the rest of the machine has come to its instant.
  void raise(std::exception_ptr fault, std::uint32_t rank = ~0u);
  [[nodiscard]] bool raised() const { return fault_ != nullptr; }
  void rethrow() {
    if (fault_) std::rethrow_exception(fault_);
  }

 private:
  ClockManager& clocks_;
  std::exception_ptr fault_;
  std::uint64_t time_ = 0;
  std::uint32_t rank_ = 0;
};

}  // namespace heddle::sim
