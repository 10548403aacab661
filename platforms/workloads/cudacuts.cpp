#include <fmt/format.h>

#include <array>
#include <utility>

#include "workloads/parameters.h"
#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::cudacuts {

namespace {

struct Shape {
  std::uint32_t width, height, rounds, threads;
  std::uint32_t sources = 100;  ///< per cent of the bright nodes
};

// Paper: CC of [WarpTM] Tab 6.2, an image of 200 x 150.
constexpr std::array<Shape, 3> kShapes{{{12, 10, 3, 64}, {96, 80, 6, 256}, {200, 150, 12, 256}}};
// One lock: a turn takes as long whatever the size is.
constexpr std::array<Shape, 3> kCoarseShapes{{{8, 6, 2, 32}, {24, 20, 3, 64}, {200, 150, 12, 256}}};

/// A node's neighbour in direction d, or -1: as in cudacuts.cu.
std::int64_t neighbour(std::size_t u, unsigned d, const Shape& s) {
  const std::size_t x = u % s.width, y = u / s.width;
  const auto at = static_cast<std::int64_t>(u);
  switch (d) {
    case 0:
      return x + 1 < s.width ? at + 1 : -1;
    case 1:
      return x > 0 ? at - 1 : -1;
    case 2:
      return y + 1 < s.height ? at + s.width : -1;
    default:
      return y > 0 ? at - s.width : -1;
  }
}

struct Flow {
  std::vector<std::int32_t> excess, capacity, sink;
};

/// Which way flow goes depends on the order of the pushes, so a grid after some rounds is held against what is true of any
/// order: what has left an edge is on the way back, what has gone into a node and not out is its excess, and nothing is
/// negative.
Verdict check(const Flow& before, const Flow& after, const Shape& s) {
  std::int64_t arrived = 0;
  for (std::size_t u = 0; u < before.excess.size(); ++u) {
    const std::int32_t drained = before.sink[u] - after.sink[u];
    std::int64_t excess = std::int64_t{before.excess[u]} - drained;
    for (unsigned d = 0; d < 4; ++d) {
      const std::size_t edge = 4 * u + d;
      const std::int64_t pushed = std::int64_t{before.capacity[edge]} - after.capacity[edge];
      const std::int64_t v = neighbour(u, d, s);
      const std::size_t back = v < 0 ? edge : 4 * static_cast<std::size_t>(v) + (d ^ 1u);
      const std::int64_t returned = v < 0 ? 0 : std::int64_t{after.capacity[back]} - before.capacity[back];
      if (pushed != returned || after.capacity[edge] < 0)
        return {false, fmt::format("edge {} of node {}: {} pushed, {} on the way back, {} left", d, u, pushed,
                                   returned, after.capacity[edge])};
      excess -= pushed;
    }
    if (after.excess[u] != excess || excess < 0)
      return {false, fmt::format("excess[{}] = {}, expected {}", u, after.excess[u], excess)};
    if (drained < 0 || after.sink[u] < 0)
      return {false, fmt::format("sink[{}] = {}, expected 0 to {}", u, after.sink[u], before.sink[u])};
    arrived += drained;
  }
  if (arrived == 0) return {false, "no flow has arrived at the sink"};
  return {true, fmt::format("flow of {} nodes matches its edges, {} arrived", after.excess.size(), arrived)};
}

Verdict run(const char* kernel, host::Device& device, const Options& options,
            const std::array<Shape, 3>& shapes = kShapes) {
  Shape s = pick(options.size, shapes[0], shapes[1], shapes[2]);
  s = {chosen(options, "width", s.width), chosen(options, "height", s.height),
       chosen(options, "rounds", s.rounds), chosen(options, "threads", s.threads),
       chosen(options, "sources", s.sources)};
  const std::size_t nodes = std::size_t{s.width} * s.height;
  Random random(options.seed);
  Flow before{std::vector<std::int32_t>(nodes), std::vector<std::int32_t>(4 * nodes),
              std::vector<std::int32_t>(nodes)};
  for (std::size_t u = 0; u < nodes; ++u) {
    // A bright spot in the middle against a dark rim, with noise.
    const bool bright = u % s.width * 2 / s.width != u / s.width * 2 / s.height;
    const auto weight = static_cast<std::int32_t>(random.below(200));
    const bool source =
        (u * std::uint64_t{2654435761u} >> 16) % 100 < s.sources;  // no neighbours in particular
    if (!bright || source) (bright ? before.excess : before.sink)[u] = weight;
    for (unsigned d = 0; d < 4; ++d)
      if (neighbour(u, d, s) >= 0) before.capacity[4 * u + d] = static_cast<std::int32_t>(random.below(50));
  }
  const auto module = device.load_ptx_file(module_path("cudacuts", options));
  auto label_d = device.upload(std::vector<std::int32_t>(nodes, 1), "label");
  auto next_d = device.allocate(nodes * sizeof(std::int32_t), "next label");
  const auto excess_d = device.upload(before.excess, "excess"),
             capacity_d = device.upload(before.capacity, "capacity"),
             sink_d = device.upload(before.sink, "sink"),
             lock_d = device.allocate(sizeof(std::int32_t), "lock");
  const auto ctas = static_cast<std::uint32_t>((nodes + s.threads - 1) / s.threads);
  for (std::uint32_t round = 0; round < s.rounds; ++round) {
    device.launch(module, "cuts_relabel", grid(ctas, s.threads),
                  host::Args()
                      .add(s.width)
                      .add(s.height)
                      .add(label_d)
                      .add(next_d)
                      .add(excess_d)
                      .add(capacity_d)
                      .add(sink_d));
    std::swap(label_d, next_d);
    device.launch(module, kernel, grid(ctas, s.threads),
                  host::Args()
                      .add(s.width)
                      .add(s.height)
                      .add(label_d)
                      .add(excess_d)
                      .add(capacity_d)
                      .add(sink_d)
                      .add(lock_d));
  }
  const Flow after{device.download<std::int32_t>(excess_d, nodes),
                   device.download<std::int32_t>(capacity_d, 4 * nodes),
                   device.download<std::int32_t>(sink_d, nodes)};
  return combine({check(before, after, s), compare("lock", device.download<std::int32_t>(lock_d, 1), {0})});
}

std::vector<Parameter> parameters() {
  return {{"width", "nodes of a row", 2, 4096},
          {"height", "rows of nodes", 2, 4096},
          {"rounds", "of relabelling and pushing, a launch each", 1, 1000},
          {"threads", "of a CTA", 1, 1024},
          {"sources", "per cent of the bright nodes that flow comes in at", 1, 100}};
}

}  // namespace

Workload cudacuts() {
  return {.name = "cudacuts",
          .description = "minimum cut of a grid by push and relabel, pushes by atomic additions (CC)",
          .stresses = "few threads of a warp with atomics, on their node and its neighbours",
          .source = "cudacuts.cu",
          .racy = true,
          .parameters = parameters(),
          .run = [](host::Device& d, const Options& o) { return run("cuts_push_atomic", d, o); }};
}

Workload cudacuts_coarse() {
  return {
      .name = "cudacuts-coarse",
      .description = "minimum cut of a grid by push and relabel, pushes under one lock",
      .stresses = "one lock that all threads want, in a divergent loop",
      .source = "cudacuts.cu",
      .racy = true,
      .parameters = parameters(),
      .run = [](host::Device& d, const Options& o) { return run("cuts_push_coarse", d, o, kCoarseShapes); }};
}

Workload cudacuts_tx() {
  return {.name = "cudacuts-tx",
          .description = "minimum cut of a grid by push and relabel, each push a transaction (CC)",
          .stresses = "transactions of a few lanes of a warp, on four words",
          .source = "cudacuts.cu",
          .racy = true,
          .needs_transactions = true,
          .parameters = parameters(),
          .run = [](host::Device& d, const Options& o) { return run("cuts_push_tx", d, o); }};
}

}  // namespace heddle::workloads::cudacuts
