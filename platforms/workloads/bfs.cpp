#include <array>

#include "workloads/bfs_graph.h"
#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::bfs {

namespace {

Verdict run(host::Device& device, const Options& options) {
  const std::uint32_t nodes = pick(options.size, 500u, 12'000u, 65'536u);
  Random random(options.seed);
  const Graph graph = random_graph(random, nodes);
  const std::int32_t source = hub_of(graph);
  std::vector<std::int32_t> level(nodes, -1);
  level[static_cast<std::size_t>(source)] = 0;

  const auto module = device.load_ptx_file(module_path("bfs", options));
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
  return compare("level", device.download<std::int32_t>(level_d, nodes), levels_of(graph, source));
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

}  // namespace heddle::workloads::bfs
