#include "sim/fault_latch.h"

#include <memory>
#include <utility>

#include "sim/windows.h"

namespace heddle::sim {

void FaultLatch::raise(std::exception_ptr fault) {
  if (LogicalProcess* const process = LogicalProcess::running()) {
    process->defer_and_stop(
        [](void* latch, void* what) {
          const std::unique_ptr<std::exception_ptr> kept(static_cast<std::exception_ptr*>(what));
          static_cast<FaultLatch*>(latch)->raise(*kept);
        },
        this, new std::exception_ptr(std::move(fault)));
    return;
  }
  if (!fault_) fault_ = std::move(fault);
  clocks_.pause();
}

}  // namespace heddle::sim
