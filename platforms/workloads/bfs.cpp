#include <algorithm>
#include <array>

#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads {

namespace {

struct Graph {
  std::vector<std::int32_t> first_edge;  // nodes + 1 entries
  std::vector<std::int32_t> edges;
  [[nodiscard]] std::int32_t nodes() const { return static_cast<std::int32_t>(first_edge.size()) - 1; }
};

/// Irregular on purpose: most nodes have 0 to 7 edges, one in 64 is a hub with up to 31, and a few nodes are
/// isolated or unreachable. Most edges are short, which gives a search of about a dozen levels.
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

std::vector<std::int32_t> reference(const Graph& graph, std::int32_t source) {
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

Verdict run(host::Device& device, const Options& options) {
  const std::uint32_t nodes = pick(options.size, 500u, 12'000u, 65'536u);
  Random random(options.seed);
  const Graph graph = random_graph(random, nodes);
  // Start at the node with the most edges.
  std::int32_t source = 0, most = -1;
  for (std::size_t v = 0; v < nodes; ++v) {
    const std::int32_t degree = graph.first_edge[v + 1] - graph.first_edge[v];
    if (degree > most) most = degree, source = static_cast<std::int32_t>(v);
  }
  std::vector<std::int32_t> level(nodes, -1);
  level[static_cast<std::size_t>(source)] = 0;

  const auto module = device.load_ptx_file(ptx_path("bfs", options.compiler));
  const auto changed_d = device.symbol(module, "bfs_changed");
  const auto first_d = device.upload(graph.first_edge, "first_edge"),
             edges_d = device.upload(graph.edges, "edges");
  const auto level_d = device.upload(level, "level");
  // A search has fewer levels than nodes: stops a device that reports changes forever.
  for (std::int32_t depth = 0; depth < graph.nodes(); ++depth) {
    std::array<std::int32_t, 1> changed{0};
    device.write(changed_d, std::as_bytes(std::span(changed)));
    device.launch(module, "bfs_level", cover(nodes, 128),
                  host::Args().add(first_d).add(edges_d).add(level_d).add(nodes).add(depth));
    device.read(changed_d, std::as_writable_bytes(std::span(changed)));
    if (changed[0] == 0) break;
  }
  return compare("level", device.download<std::int32_t>(level_d, nodes), reference(graph, source));
}

}  // namespace

Workload bfs() {
  return {.name = "bfs",
          .description = "breadth-first search by levels over an irregular graph, one launch a level",
          .stresses =
              "divergent loops of uneven length, scattered loads that bypass L1, many launches, early exits",
          .source = "bfs.cu",
          .racy = false,
          .needs_simt_progress = false,
          .run = run};
}

}  // namespace heddle::workloads
