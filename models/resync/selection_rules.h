// Rules around a policy: decisions at block ends only, and the rule against starvation. Each wraps a policy.
#pragma once

#include <cstdint>
#include <memory>

#include "resync/selection_policy.h"

namespace heddle::resync {

/// The policy decides at the ends of blocks, calls and returns; the chosen threads run the whole block, and threads that
/// wait at a PC on the way join ([Resync] §1.2, [Resync:M6]). A thread that ends within its block ends the choice
/// ([Resync:L5]).
[[nodiscard]] std::unique_ptr<SelectionPolicy> by_blocks(std::unique_ptr<SelectionPolicy> policy);

/// [Resync:L1], [Resync:S2]: a live thread that has not been served for `selections` selections is served next, for one
/// block, against the policy's choice and masks. `served` counts how often.
[[nodiscard]] std::unique_ptr<SelectionPolicy> with_aging(std::unique_ptr<SelectionPolicy> policy,
                                                          std::uint64_t selections,
                                                          std::uint64_t* served = nullptr);

}  // namespace heddle::resync
