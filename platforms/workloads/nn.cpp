#include <algorithm>
#include <cmath>
#include <numeric>

#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::nn {

namespace {

struct Shape {
  std::uint32_t records, nearest;
};

Verdict run(host::Device& device, const Options& options) {
  // Small: the size of Rodinia's input.
  const Shape s = pick(options.size, Shape{1'000, 3}, Shape{42'764, 5}, Shape{1'000'000, 10});
  Random random(options.seed);
  std::vector<float> x(s.records), y(s.records);
  // Positions of hurricanes, in steps of a tenth of a degree: some are equal.
  for (float& latitude : x) latitude = 7.0f + static_cast<float>(random.below(570)) / 10.0f;
  for (float& longitude : y) longitude = static_cast<float>(random.below(3'580)) / 10.0f;
  const float at_x = 30.0f, at_y = 90.0f;

  const auto module = device.load_ptx_file(module_path("nn", options));
  const auto x_d = device.upload(x, "x"), y_d = device.upload(y, "y");
  const auto distance_d = device.allocate(s.records * sizeof(float), "distance");
  const auto nearest_d = device.allocate(s.nearest * sizeof(std::int32_t), "nearest");
  device.launch(module, "nn_distances", cover(s.records, 128),
                host::Args().add(x_d).add(y_d).add(s.records).add(at_x).add(at_y).add(distance_d));
  device.launch(module, "nn_select", grid(1, 256),
                host::Args().add(distance_d).add(s.records).add(s.nearest).add(nearest_d));

  std::vector<float> distance(s.records);
  for (std::size_t i = 0; i < s.records; ++i) {
    const float dx = x[i] - at_x, dy = y[i] - at_y;
    distance[i] = std::sqrt(std::fmaf(dx, dx, dy * dy));
  }
  std::vector<std::int32_t> order(s.records);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t i, std::int32_t j) {
    return distance[static_cast<std::size_t>(i)] < distance[static_cast<std::size_t>(j)];
  });
  order.resize(s.nearest);
  for (const std::int32_t taken : order) distance[static_cast<std::size_t>(taken)] = -1.0f;
  return combine({compare("nearest", device.download<std::int32_t>(nearest_d, s.nearest), order),
                  compare("distance", device.download<float>(distance_d, s.records), distance)});
}

}  // namespace

Workload nn() {
  return {.name = "nn",
          .description = "k nearest neighbours of a place: distances, then k minima by one CTA",
          .stresses = "streaming with square roots; reductions of pairs with data-dependent branches",
          .source = "nn.cu",
          .run = run};
}

}  // namespace heddle::workloads::nn
