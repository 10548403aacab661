#include "workloads/octree.h"
#include "workloads/parameters.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::bh_sort {

namespace {

struct Shape {
  std::uint32_t bodies, ctas, threads;
};

Verdict run(const char* kernel, host::Device& device, const Options& options) {
  Shape s = pick(options.size, Shape{300, 2, 64}, Shape{4'000, 15, 128}, Shape{30'000, 28, 256});
  s = {chosen(options, "bodies", s.bodies), chosen(options, "ctas", s.ctas),
       chosen(options, "threads", s.threads)};
  Random random(options.seed);
  const Octree tree = build_octree(random_bodies(random, s.bodies));
  const std::vector<std::int32_t> count = count_bodies(tree);
  const auto cells = static_cast<std::uint32_t>(tree.cells());
  std::vector<std::int32_t> start(cells, -1), sorted(s.bodies, 0);
  start[0] = 0;
  const std::vector<std::int32_t> unknown = start;
  for (std::size_t cell = 0; cell < cells; ++cell) {  // parents before their children
    std::int32_t next = start[cell];
    for (std::size_t octant = 0; octant < 8; ++octant) {
      const std::int32_t there = tree.child[8 * cell + octant];
      if (there > tree.bodies) {
        const auto below = static_cast<std::size_t>(there - tree.bodies);
        start[below] = next;
        next += count[below];
      } else if (there > 0) {
        sorted[static_cast<std::size_t>(next++)] = there - 1;
      }
    }
  }

  const auto module = device.load_ptx_file(module_path("bh_sort", options));
  const auto child_d = device.upload(tree.child, "child"), count_d = device.upload(count, "count");
  const auto start_d = device.upload(unknown, "start");
  const auto sorted_d = device.allocate(s.bodies * sizeof(std::int32_t), "sorted");
  device.launch(module, kernel, grid(s.ctas, s.threads),
                host::Args()
                    .add(child_d)
                    .add(count_d)
                    .add(s.bodies)
                    .add(cells)
                    .add((cells + s.ctas - 1) / s.ctas)
                    .add(start_d)
                    .add(sorted_d));
  return combine({compare("start", device.download<std::int32_t>(start_d, cells), start),
                  compare("sorted", device.download<std::int32_t>(sorted_d, s.bodies), sorted)});
}

std::vector<Parameter> parameters() {
  return {{"bodies", "of the tree", 2, 1u << 22},
          {"ctas", "of the grid", 1, 1u << 20},
          {"threads", "of a CTA", 1, 1024}};
}

}  // namespace

Workload bh_sort() {
  return {.name = "bh-sort",
          .description = "Barnes-Hut: bodies in tree order, cells wait for their parents, SIMT-safe (ST)",
          .stresses = "wait and signal between lanes of a warp and between warps, by polling",
          .source = "bh_sort.cu",
          .parameters = parameters(),
          .run = [](host::Device& d, const Options& o) { return run("bh_sort", d, o); }};
}

Workload bh_sort_mimd() {
  return {.name = "bh-sort-mimd",
          .description = "Barnes-Hut sort with a waiting loop in MIMD form (ST)",
          .stresses = "forward progress of diverged lanes: a lane waits for one of its own warp",
          .source = "bh_sort.cu",
          .needs_simt_progress = true,
          .parameters = parameters(),
          .run = [](host::Device& d, const Options& o) { return run("bh_sort_mimd", d, o); }};
}

}  // namespace heddle::workloads::bh_sort
