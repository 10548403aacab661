// Carries an exception out of a SystemC process. The kernel would turn it into an sc_report and lose its
// kind, so the process stores it here and pauses the simulation; whoever called sc_start() rethrows it.
#pragma once

#include <exception>
#include <systemc>

namespace heddle::sim {

class FaultLatch {
 public:
  /// Keeps the first exception and pauses the simulation.
  void raise(std::exception_ptr fault) {
    if (!fault_) fault_ = std::move(fault);
    sc_core::sc_pause();
  }
  [[nodiscard]] bool raised() const { return fault_ != nullptr; }
  void rethrow() {
    if (fault_) std::rethrow_exception(fault_);
  }

 private:
  std::exception_ptr fault_;
};

}  // namespace heddle::sim
