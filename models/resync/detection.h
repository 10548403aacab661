// Reconvergence detection ([Resync] §3.3.1): PCs that disjoint groups executed one after the other wait.
#pragma once

#include <cstdint>
#include <memory>

#include "resync/selection_policy.h"

namespace heddle::resync {

struct DetectionOptions {
  std::uint64_t hysteresis = 4;
  std::uint64_t ignore = 0;  ///< from this many misses everywhere on, they do not count; 0: never do
  bool decrement = false;    ///< a group that comes again as it was takes a miss back
};

/// A preference, never a block ([Resync:M7], [Resync:L4]); otherwise as MinSP-MinPC.
[[nodiscard]] std::unique_ptr<SelectionPolicy> make_detection(const DetectionOptions& options);

}  // namespace heddle::resync
