#include <algorithm>

#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::pathfinder {

namespace {

constexpr std::uint32_t kBlock = 128;  // kPathBlock in pathfinder.cu

struct Shape {
  std::uint32_t cols, rows, steps;  // steps: rows a launch
};

Verdict run(host::Device& device, const Options& options) {
  // Paper: Rodinia's 100 000 x 100 with 20 rows a launch.
  const Shape s = pick(options.size, Shape{500, 18, 5}, Shape{12'000, 50, 20}, Shape{100'000, 100, 20});
  Random random(options.seed);
  std::vector<std::int32_t> wall(std::size_t{s.cols} * s.rows);
  for (std::int32_t& w : wall) w = static_cast<std::int32_t>(random.below(10));
  std::vector<std::int32_t> cost(wall.begin(), wall.begin() + s.cols);

  const auto module = device.load_ptx_file(module_path("pathfinder", options));
  const auto wall_d = device.upload(wall, "wall");
  auto from_d = device.upload(cost, "cost");
  auto to_d = device.allocate(s.cols * sizeof(std::int32_t), "cost_next");
  for (std::uint32_t row = 1; row < s.rows; row += s.steps) {
    const std::uint32_t steps = std::min(s.steps, s.rows - row), useful = kBlock - 2 * steps;
    device.launch(module, "path_rows", grid((s.cols + useful - 1) / useful, kBlock),
                  host::Args().add(wall_d).add(s.cols).add(row).add(steps).add(from_d).add(to_d));
    std::swap(from_d, to_d);
  }

  for (std::size_t row = 1; row < s.rows; ++row) {
    const std::vector<std::int32_t> before = cost;
    for (std::size_t col = 0; col < s.cols; ++col) {
      std::int32_t best = before[col];
      if (col > 0) best = std::min(best, before[col - 1]);
      if (col + 1 < s.cols) best = std::min(best, before[col + 1]);
      cost[col] = best + wall[row * s.cols + col];
    }
  }
  return compare("cost", device.download<std::int32_t>(from_d, s.cols), cost);
}

}  // namespace

Workload pathfinder() {
  return {.name = "pathfinder",
          .description = "cheapest path down a grid: dynamic programming, several rows a launch",
          .stresses = "barriers in a loop, lanes that drop out from the edges of a CTA, redundant work",
          .source = "pathfinder.cu",
          .run = run};
}

}  // namespace heddle::workloads::pathfinder
