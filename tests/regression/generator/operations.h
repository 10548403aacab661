// Data instructions of the generator: a table of operations, each for many types.
#pragma once

#include <string>
#include <vector>

#include "generator/random_source.h"

namespace heddle::generator {

/// One operation of the table with a random type, modifiers and registers; sometimes a chain of them
/// (carries). No scratch registers, so that each line may be guarded.
[[nodiscard]] std::vector<std::string> random_operation(RandomSource& random);

/// Access to a thread's own slots in global, local or (with `shared`) shared memory, atomics with their
/// result among them.
[[nodiscard]] std::vector<std::string> random_own_access(RandomSource& random, bool shared);

/// Votes, matches, shuffles and reductions; for program points that full warps pass together.
[[nodiscard]] std::vector<std::string> random_warp_operation(RandomSource& random);

}  // namespace heddle::generator
