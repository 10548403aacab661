// The fewest fetches that a set of traces needs: its shortest common supersequence ([Resync] §1.4), by dynamic
// programming over the threads' positions. For small traces: the states are up to the product of the lengths.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::resync {

struct Supersequences {
  std::uint64_t length = 0;
  /// Different ones of this length, up to the number asked for, in ascending order.
  std::vector<std::vector<std::uint64_t>> sequences;
};

/// `traces`: PCs by thread. Throws base::InputError if it would need more than `most_states` states.
[[nodiscard]] Supersequences shortest_supersequence(const std::vector<std::vector<std::uint64_t>>& traces,
                                                    std::size_t most_sequences = 0,
                                                    std::size_t most_states = std::size_t{1} << 24);

}  // namespace heddle::resync
