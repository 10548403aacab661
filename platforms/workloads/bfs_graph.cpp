#include "workloads/bfs_graph.h"

namespace heddle::workloads {

Graph random_graph(Random& random, std::uint32_t nodes) {
  Graph graph;
  const std::uint32_t reach = nodes / 4;
  for (std::uint32_t v = 0; v < nodes; ++v) {
    graph.first_edge.push_back(static_cast<std::int32_t>(graph.edges.size()));
    const std::uint32_t degree = random.below(64) == 0 ? random.below(32) : random.below(8);
    for (std::uint32_t e = 0; e < degree; ++e)
      graph.edges.push_back(static_cast<std::int32_t>((v + nodes - reach / 4 + random.below(reach)) % nodes));
  }
  graph.first_edge.push_back(static_cast<std::int32_t>(graph.edges.size()));
  return graph;
}

std::int32_t hub_of(const Graph& graph) {
  std::int32_t hub = 0, most = -1;
  for (std::int32_t v = 0; v < graph.nodes(); ++v) {
    const auto at = static_cast<std::size_t>(v);
    const std::int32_t degree = graph.first_edge[at + 1] - graph.first_edge[at];
    if (degree > most) most = degree, hub = v;
  }
  return hub;
}

Graph starting_at(const Graph& graph, std::int32_t node) {
  const std::int32_t nodes = graph.nodes();
  Graph renumbered;
  for (std::int32_t i = 0; i < nodes; ++i) {
    const auto v = static_cast<std::size_t>((i + node) % nodes);
    renumbered.first_edge.push_back(static_cast<std::int32_t>(renumbered.edges.size()));
    for (auto e = static_cast<std::size_t>(graph.first_edge[v]);
         e < static_cast<std::size_t>(graph.first_edge[v + 1]); ++e)
      renumbered.edges.push_back((graph.edges[e] - node + nodes) % nodes);
  }
  renumbered.first_edge.push_back(static_cast<std::int32_t>(renumbered.edges.size()));
  return renumbered;
}

std::vector<std::int32_t> levels_of(const Graph& graph, std::int32_t source) {
  std::vector<std::int32_t> level(static_cast<std::size_t>(graph.nodes()), -1);
  std::vector<std::int32_t> queue{source};
  level[static_cast<std::size_t>(source)] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const auto v = static_cast<std::size_t>(queue[head]);
    for (auto e = static_cast<std::size_t>(graph.first_edge[v]);
         e < static_cast<std::size_t>(graph.first_edge[v + 1]); ++e) {
      const auto neighbour = static_cast<std::size_t>(graph.edges[e]);
      if (level[neighbour] >= 0) continue;
      level[neighbour] = level[v] + 1;
      queue.push_back(graph.edges[e]);
    }
  }
  return level;
}

}  // namespace heddle::workloads
