// The extremes of the family ([Resync] §3.3.4).
#pragma once

#include <memory>

#include "resync/selection_policy.h"

namespace heddle::resync {

/// One instruction of one thread at a time, cyclic: no sharing, DLP is 1.
[[nodiscard]] std::unique_ptr<SelectionPolicy> make_round_robin();
/// The same rotation, but all threads at the selected PC execute it. A thread that has been served in a round, selected
/// or not, is skipped until all have been. Rounds start at the thread behind the last reference; they are not restarted
/// at thread 0.
[[nodiscard]] std::unique_ptr<SelectionPolicy> make_round_robin_sharing();

}  // namespace heddle::resync
