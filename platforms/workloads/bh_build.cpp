#include "workloads/octree.h"
#include "workloads/parameters.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads {

namespace {

struct Shape {
  std::uint32_t bodies, ctas, threads;
};

Verdict run(const char* kernel, host::Device& device, const Options& options) {
  // Paper: TB of mimd-simt-and-bows §9.2 (30 000 bodies, few CTAs).
  Shape s = pick(options.size, Shape{300, 2, 96}, Shape{4'000, 15, 128}, Shape{30'000, 28, 512});
  s = {chosen(options, "bodies", s.bodies), chosen(options, "ctas", s.ctas),
       chosen(options, "threads", s.threads)};
  Random random(options.seed);
  const Bodies bodies = random_bodies(random, s.bodies);
  // The positions of the bodies determine the tree; only the numbering of the cells depends on the order of
  // threads.
  const Octree expected = build_octree(bodies);

  const auto module = device.load_ptx_file(ptx_path("bh_build", options.compiler));
  const auto bodies_d = device.upload(bodies, "position");
  const auto child_d = device.allocate(expected.child.size() * sizeof(std::int32_t), "child");
  const auto cells_d = device.upload(std::vector<std::int32_t>{1}, "cells");
  device.launch(module, kernel, grid(s.ctas, s.threads),
                host::Args().add(bodies_d).add(s.bodies).add(child_d).add(cells_d));
  const Octree actual{expected.bodies, device.download<std::int32_t>(child_d, expected.child.size())};
  return combine({compare("cells", device.download<std::int32_t>(cells_d, 1),
                          {static_cast<std::int32_t>(expected.cells())}),
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

}  // namespace heddle::workloads
