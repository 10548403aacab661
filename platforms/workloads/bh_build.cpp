#include <algorithm>
#include <array>

#include "workloads/octree.h"
#include "workloads/parameters.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::bh_build {

namespace {

struct Shape {
  std::uint32_t bodies, ctas, threads;
};

// Paper: TB of [DDOS/BOWS] §6.4 (30 000 bodies, few CTAs).
constexpr std::array<Shape, 3> kShapes{{{300, 2, 96}, {4'000, 15, 128}, {30'000, 28, 512}}};
// One lock: a turn takes as long whatever the size is.
constexpr std::array<Shape, 3> kCoarseShapes{{{80, 2, 64}, {600, 10, 64}, {30'000, 60, 288}}};

Shape shape(const Options& options, const std::array<Shape, 3>& shapes) {
  const Shape s = pick(options.size, shapes[0], shapes[1], shapes[2]);
  return {chosen(options, "bodies", s.bodies), chosen(options, "ctas", s.ctas),
          chosen(options, "threads", s.threads)};
}

/// `one_lock`: the kernel takes the address of a lock.
Verdict run(const char* kernel, host::Device& device, const Options& options, bool one_lock = false) {
  const Shape s = shape(options, one_lock ? kCoarseShapes : kShapes);
  Random random(options.seed);
  const Bodies bodies = random_bodies(random, s.bodies);
  // The positions of the bodies determine the tree; only the numbering of the cells depends on the order of
  // threads.
  const Octree expected = build_octree(bodies);

  const auto module = device.load_ptx_file(module_path("bh_build", options));
  const auto bodies_d = device.upload(bodies, "position");
  const auto child_d = device.allocate(expected.child.size() * sizeof(std::int32_t), "child");
  const auto cells_d = device.upload(std::vector<std::int32_t>{1}, "cells");
  host::Args args = host::Args().add(bodies_d).add(s.bodies).add(child_d).add(cells_d);
  if (one_lock) args.add(device.allocate(sizeof(std::int32_t), "lock"));
  device.launch(module, kernel, grid(s.ctas, s.threads), args);
  const Octree actual{expected.bodies, device.download<std::int32_t>(child_d, expected.child.size())};
  return combine({compare("cells", device.download<std::int32_t>(cells_d, 1),
                          {static_cast<std::int32_t>(expected.cells())}),
                  compare("tree", outline(actual), outline(expected))});
}

/// Threads take cells of their own, so that which numbers are used depends on the order of the transactions.
Verdict run_transactions(host::Device& device, const Options& options) {
  const Shape s = shape(options, kShapes);
  Random random(options.seed);
  const Bodies bodies = random_bodies(random, s.bodies);
  const Octree expected = build_octree(bodies);
  const std::uint32_t threads = s.ctas * s.threads;
  // A body makes at most a cell for each level.
  const std::uint32_t own_cells = (s.bodies + threads - 1) / threads * depth(expected);
  const std::size_t places = 8 * (1 + std::size_t{threads} * own_cells);

  const auto module = device.load_ptx_file(module_path("bh_build", options));
  const auto bodies_d = device.upload(bodies, "position");
  const auto child_d = device.allocate(places * sizeof(std::int32_t), "child");
  device.launch(module, "bh_build_tx", grid(s.ctas, s.threads),
                host::Args().add(bodies_d).add(s.bodies).add(child_d).add(own_cells));
  const Octree actual{expected.bodies, device.download<std::int32_t>(child_d, places)};
  const auto used = [](const Octree& tree) {
    return static_cast<std::int32_t>(
        std::ranges::count_if(tree.child, [](std::int32_t c) { return c != 0; }));
  };
  return combine({compare("used places", std::vector<std::int32_t>{used(actual)}, {used(expected)}),
                  compare("tree", outline(actual), outline(expected))});
}

std::vector<Parameter> parameters() {
  return {{"bodies", "of the tree", 2, 1u << 22},
          {"ctas", "of the grid", 1, 1u << 20},
          {"threads", "of a CTA", 1, 1024}};
}

}  // namespace

Workload bh_build() {
  return {
      .name = "bh-build",
      .description = "Barnes-Hut: octree built by all threads, a lock on each place of the tree (TB)",
      .stresses = "pointer chasing of uneven depth, locks that are the data, a CTA barrier between retries",
      .source = "bh_build.cu",
      .racy = true,
      .parameters = parameters(),
      .run = [](host::Device& d, const Options& o) { return run("bh_build", d, o); }};
}

Workload bh_build_coarse() {
  return {.name = "bh-build-coarse",
          .description = "Barnes-Hut: octree built under one lock",
          .stresses = "one lock that all threads want, behind pointer chasing",
          .source = "bh_build.cu",
          .racy = true,
          .parameters = parameters(),
          .run = [](host::Device& d, const Options& o) { return run("bh_build_coarse", d, o, true); }};
}

Workload bh_build_tx() {
  return {.name = "bh-build-tx",
          .description = "Barnes-Hut: octree built by all threads, a transaction a level (BH)",
          .stresses = "read-only transactions on the way down, few that write, of uneven length",
          .source = "bh_build.cu",
          .racy = true,
          .needs_transactions = true,
          .parameters = parameters(),
          .run = run_transactions};
}

Workload bh_build_mimd() {
  return {
      .name = "bh-build-mimd",
      .description = "Barnes-Hut: octree built under locks in MIMD form, without a barrier (TB)",
      .stresses = "forward progress of diverged lanes: one lock word is also the data, released by a store",
      .source = "bh_build.cu",
      .racy = true,
      .needs_simt_progress = true,
      .parameters = parameters(),
      .run = [](host::Device& d, const Options& o) { return run("bh_build_mimd", d, o); }};
}

}  // namespace heddle::workloads::bh_build
