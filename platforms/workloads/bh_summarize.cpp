#include <cmath>

#include "workloads/octree.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::bh_summarize {

namespace {

struct Shape {
  std::uint32_t bodies, ctas, threads;
};

Verdict run(host::Device& device, const Options& options) {
  const Shape s = pick(options.size, Shape{300, 2, 64}, Shape{4'000, 15, 128}, Shape{30'000, 28, 256});
  Random random(options.seed);
  const Bodies bodies = random_bodies(random, s.bodies);
  const Octree tree = build_octree(bodies);
  std::vector<float> mass(s.bodies);
  for (float& m : mass) m = 1.0f + std::abs(random.signed_unit());
  const auto cells = static_cast<std::uint32_t>(tree.cells());

  const auto module = device.load_ptx_file(module_path("bh_summarize", options));
  const auto child_d = device.upload(tree.child, "child"), bodies_d = device.upload(bodies, "position"),
             mass_d = device.upload(mass, "mass");
  const auto centre_d = device.allocate(4 * std::uint64_t{cells} * sizeof(float), "centre");
  const auto count_d = device.allocate(cells * sizeof(std::int32_t), "count");
  device.launch(module, "bh_summarize", grid(s.ctas, s.threads),
                host::Args()
                    .add(child_d)
                    .add(bodies_d)
                    .add(mass_d)
                    .add(s.bodies)
                    .add(cells)
                    .add((cells + s.ctas - 1) / s.ctas)
                    .add(centre_d)
                    .add(count_d));
  return combine({compare("count", device.download<std::int32_t>(count_d, cells), count_bodies(tree)),
                  compare("centre", device.download<float>(centre_d, 4 * std::size_t{cells}),
                          centres_of_mass(tree, bodies, mass))});
}

}  // namespace

Workload bh_summarize() {
  return {.name = "bh-summarize",
          .description = "Barnes-Hut: centres of mass from the leaves up, cells wait for their children (SM)",
          .stresses = "wait and signal by polling, fences between data and signal, division",
          .source = "bh_summarize.cu",
          .run = run};
}

}  // namespace heddle::workloads::bh_summarize
