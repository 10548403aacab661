// Lee's two lists ([Resync] §3.1.6): threads that branch backwards wait until the others have done so or ended.
#pragma once

#include <memory>

#include "resync/selection_policy.h"

namespace heddle::resync {

/// `function_stack` ([Resync:M4]): a call pushes a pair of lists of the calling threads, which ends when the last of
/// them has returned; a thread that waits for the next turn and whose PC is chosen comes back. Without: the thesis' flat
/// lists.
/// Calls and returns are no branches ([Resync:S6]).
[[nodiscard]] std::unique_ptr<SelectionPolicy> make_lee(bool function_stack);

}  // namespace heddle::resync
