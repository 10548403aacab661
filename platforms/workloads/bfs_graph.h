// Graphs of the breadth-first searches.
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/random.h"

namespace heddle::workloads {

struct Graph {
  std::vector<std::int32_t> first_edge;  // nodes + 1 entries
  std::vector<std::int32_t> edges;
  [[nodiscard]] std::int32_t nodes() const { return static_cast<std::int32_t>(first_edge.size()) - 1; }
};

/// Irregular on purpose: most nodes have 0 to 7 edges, one in 64 is a hub with up to 31, and a few nodes are
/// isolated or unreachable. Most edges are short, which gives a search of about a dozen levels.
[[nodiscard]] Graph random_graph(Random& random, std::uint32_t nodes);
/// The node with the most edges.
[[nodiscard]] std::int32_t hub_of(const Graph& graph);
/// The same graph with the nodes renumbered so that `node` is node 0.
[[nodiscard]] Graph starting_at(const Graph& graph, std::int32_t node);

/// The level of each node in a search from `source`; -1: unreachable.
[[nodiscard]] std::vector<std::int32_t> levels_of(const Graph& graph, std::int32_t source);

}  // namespace heddle::workloads
