// Of one core: when its requests that have no answer yet entered the network.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "base/ids.h"
#include "base/ring.h"

namespace heddle::memory {

/// Requests are numbered in the order in which they enter, without a gap (sim::MemoryExtension::order). Each gets one answer, in any
/// order; another one, or one to a request that has not entered, is a std::logic_error.
class RequestTimes {
 public:
  void entered(std::uint64_t order, base::Cycle cycle) {
    if (cycles_.empty()) first_ = order;
    cycles_.push_back(cycle);
  }
  void answered(std::uint64_t order) {
    if (order - first_ >= cycles_.size() || cycles_[order - first_] == base::kNever)
      throw std::logic_error("crossbar: an answer to a request that waits for none");
    cycles_[order - first_] = base::kNever;
    for (; !cycles_.empty() && cycles_.front() == base::kNever; ++first_) cycles_.pop_front();
  }
  /// The cycle in which the oldest one entered; kNever: none waits.
  [[nodiscard]] base::Cycle oldest() const { return cycles_.empty() ? base::kNever : cycles_.front(); }

 private:
  base::GrowingRing<base::Cycle> cycles_;  ///< from the oldest one on; kNever: answered
  std::uint64_t first_ = 0;                ///< number of the first of them
};

}  // namespace heddle::memory
