// Priorities of blocks for thread frontiers ([Resync] §3.2.3).
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::resync {

/// Length in blocks of the longest path without repetition from each node to an exit (a node without successors, or an
/// edge to `exit`); the last node counts 1. Exact for acyclic graphs and small ones, otherwise by a tree of edges that is
/// changed as long as paths grow; `approximated` says which. Nodes that lead to no exit have 1.
[[nodiscard]] std::vector<std::uint32_t> longest_paths(
    const std::vector<std::vector<std::uint32_t>>& successors, std::uint32_t exit, bool& approximated);

/// The same for the blocks of several functions, each by itself; an edge to isa::ProgramFacts::kNone leaves its function.
[[nodiscard]] std::vector<std::uint32_t> function_paths(
    const std::vector<std::vector<std::uint32_t>>& successors);

}  // namespace heddle::resync
