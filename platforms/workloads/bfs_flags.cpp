#include <fmt/format.h>

#include <array>

#include "workloads/bfs_graph.h"
#include "workloads/parameters.h"
#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::bfs_flags {

namespace {

constexpr std::int32_t kSource = 0;

/// Flags and costs of a search on the device.
struct Search {
  Search(host::Device& on, const Options& options)
      : device(on), nodes(chosen(options, "nodes", pick(options.size, 500u, 24'000u, 65'536u))) {
    Random random(options.seed);
    const Graph irregular = random_graph(random, nodes);
    graph = starting_at(irregular, hub_of(irregular));
    module = device.load_ptx_file(module_path("bfs_flags", options));
    over_d = device.symbol(module, "bfs_over");
    first_d = device.upload(graph.first_edge, "first_edge");
    edges_d = device.upload(graph.edges, "edges");
    std::vector<std::int32_t> at_source(nodes, 0), cost(nodes, -1);
    at_source[kSource] = 1;
    cost[kSource] = 0;
    active_d = device.upload(at_source, "active");
    visited_d = device.upload(at_source, "visited");
    cost_d = device.upload(cost, "cost");
  }
  /// Runs `step` until it activates nothing; more steps than two for each node mean a device that never stops.
  template <class Step>
  void run(Step step) {
    for (std::uint32_t i = 0; i < 2 * nodes + 2; ++i) {
      std::array<std::int32_t, 1> over{0};
      device.write(over_d, std::as_bytes(std::span(over)));
      step();
      device.read(over_d, std::as_writable_bytes(std::span(over)));
      if (over[0] == 0) break;
    }
  }
  [[nodiscard]] std::vector<std::int32_t> words(std::uint64_t address) const {
    return device.download<std::int32_t>(address, nodes);
  }
  /// The flags that every search ends with.
  [[nodiscard]] Verdict check_flags(const std::vector<std::int32_t>& level) const {
    std::vector<std::int32_t> reached;
    for (const std::int32_t l : level) reached.push_back(l >= 0 ? 1 : 0);
    return combine({compare("visited", words(visited_d), reached),
                    compare("active", words(active_d), std::vector<std::int32_t>(nodes, 0))});
  }

  host::Device& device;
  std::uint32_t nodes;
  Graph graph;
  host::ModuleHandle module = 0;
  std::uint64_t over_d = 0, first_d = 0, edges_d = 0, active_d = 0, visited_d = 0, cost_d = 0;
};

/// True of every order of the race: a node has a cost if it is reachable, at least its level and less than the number
/// of nodes; that of the source stays 0, since it is visited from the start.
Verdict check_costs(const std::vector<std::int32_t>& cost, const std::vector<std::int32_t>& level) {
  std::size_t above = 0;
  for (std::size_t v = 0; v < cost.size(); ++v) {
    const bool exact = level[v] < 0 || v == kSource;
    const auto most = exact ? level[v] : static_cast<std::int32_t>(cost.size()) - 1;
    if (cost[v] < level[v] || cost[v] > most)
      return {false, fmt::format("cost[{}] = {}, expected {} to {}", v, cost[v], level[v], most)};
    above += cost[v] != level[v] ? 1u : 0u;
  }
  return {true, fmt::format("{} costs match the invariants, {} above the level", cost.size(), above)};
}

Verdict run_race(host::Device& device, const Options& options) {
  Search search(device, options);
  search.run([&] {
    device.launch(search.module, "bfs_race", cover(search.nodes, 128),
                  host::Args()
                      .add(search.first_d)
                      .add(search.edges_d)
                      .add(search.active_d)
                      .add(search.visited_d)
                      .add(search.cost_d)
                      .add(search.nodes));
  });
  const auto level = levels_of(search.graph, kSource);
  return combine({check_costs(search.words(search.cost_d), level), search.check_flags(level)});
}

Verdict run_flags(host::Device& device, const Options& options) {
  Search search(device, options);
  const auto updating_d = device.upload(std::vector<std::int32_t>(search.nodes, 0), "updating");
  search.run([&] {
    device.launch(search.module, "bfs_expand", cover(search.nodes, 128),
                  host::Args()
                      .add(search.first_d)
                      .add(search.edges_d)
                      .add(search.active_d)
                      .add(updating_d)
                      .add(search.visited_d)
                      .add(search.cost_d)
                      .add(search.nodes));
    device.launch(search.module, "bfs_update", cover(search.nodes, 128),
                  host::Args().add(search.active_d).add(updating_d).add(search.visited_d).add(search.nodes));
  });
  const auto level = levels_of(search.graph, kSource);
  return combine({compare("cost", search.words(search.cost_d), level), search.check_flags(level),
                  compare("updating", search.words(updating_d), std::vector<std::int32_t>(search.nodes, 0))});
}

std::vector<Parameter> parameters() { return {{"nodes", "of the graph", 16, 1u << 22}}; }

}  // namespace

Workload bfs_racy() {
  return {
      .name = "bfs-racy",
      .description = "breadth-first search with a race between a node's thread and its neighbours' (BFSr)",
      .stresses = "a data race in global memory: results depend on timing unless execution is deterministic",
      .source = "bfs_flags.cu",
      .racy = true,
      .parameters = parameters(),
      .run = run_race};
}

Workload bfs_flags() {
  return {.name = "bfs-flags",
          .description = "breadth-first search in two kernels a step, without a race (BFSf)",
          .stresses = "short kernels, early exits, scattered loads and stores",
          .source = "bfs_flags.cu",
          .racy = false,
          .parameters = parameters(),
          .run = run_flags};
}

}  // namespace heddle::workloads::bfs_flags
