// Distance ([Resync] §3.3.2): learns how long the sides of a branch take to their reconvergence, and lets a
// side run only as far.
#pragma once

#include <cstdint>
#include <memory>

#include "resync/selection_policy.h"

namespace heddle::resync {

struct DistanceOptions {
  bool round_robin =
      false;            ///< who runs when no side has a distance left: in turns; false: as RD, then MinSP
  bool greedy = false;  ///< of sides with a distance left the first one, not the one with most
  std::int64_t unbalance = -1;  ///< largest difference of the sides' lengths, in instructions; -1: any
};

/// Tables per PC, per set of threads and per branch: for replay only.
[[nodiscard]] std::unique_ptr<SelectionPolicy> make_distance(const DistanceOptions& options);

}  // namespace heddle::resync
