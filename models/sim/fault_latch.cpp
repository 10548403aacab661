#include "sim/fault_latch.h"

#include <utility>

#include "sim/windows.h"

namespace heddle::sim {

void FaultLatch::raise(std::exception_ptr fault, std::uint32_t rank) {
  if (LogicalProcess* const process = LogicalProcess::running()) {
    process->fail_later(std::move(fault));
    process->defer_and_stop(
        [](void* latch, void* what) {
          auto& failed = *static_cast<LogicalProcess*>(what);
          static_cast<FaultLatch*>(latch)->raise(failed.failure(), failed.number());
        },
        this, process);
    return;
  }
  if (!fault_ || (clocks_.now() == time_ && rank < rank_)) {
    fault_ = std::move(fault);
    time_ = clocks_.now();
    rank_ = rank;
  }
  clocks_.pause();
}

}  // namespace heddle::sim
