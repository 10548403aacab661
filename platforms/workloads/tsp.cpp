#include <algorithm>
#include <limits>
#include <numeric>

#include "workloads/parameters.h"
#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::tsp {

namespace {

struct Shape {
  std::uint32_t cities, climbers, ctas, threads;  // cities: at most kTspCities of tsp.cu
};

using Distances = std::vector<std::int32_t>;

/// Cities on a plane, distances in the maximum norm, rounded down.
Distances random_distances(Random& random, std::uint32_t cities) {
  std::vector<std::int32_t> x, y;
  for (std::uint32_t i = 0; i < cities; ++i) {
    x.push_back(static_cast<std::int32_t>(random.below(10'000)));
    y.push_back(static_cast<std::int32_t>(random.below(10'000)));
  }
  Distances distance;
  for (std::uint32_t i = 0; i < cities; ++i)
    for (std::uint32_t j = 0; j < cities; ++j)
      distance.push_back(std::max(std::abs(x[i] - x[j]), std::abs(y[i] - y[j])));
  return distance;
}

struct Climb {
  std::int32_t length = 0;
  std::vector<std::int32_t> tour;
};

/// The work of one thread of tsp.cu before it reports.
Climb climb(const Distances& distance, std::uint32_t cities, std::uint32_t climber, std::uint32_t seed) {
  const auto between = [&](std::int32_t a, std::int32_t b) {
    return distance[static_cast<std::size_t>(a) * cities + static_cast<std::size_t>(b)];
  };
  Climb result;
  std::vector<std::int32_t>& tour = result.tour;
  tour.resize(cities);
  std::iota(tour.begin(), tour.end(), 0);
  std::uint32_t random = seed + climber * 2654435761u;
  for (std::uint32_t i = cities - 1; i > 0; --i) {
    random = random * 1664525u + 1013904223u;
    std::swap(tour[i], tour[(std::uint64_t{random} * (i + 1)) >> 32]);
  }
  for (bool improved = true; improved;) {
    improved = false;
    for (std::size_t i = 0; i + 2 < cities; ++i)
      for (std::size_t j = i + 2; j < cities; ++j) {
        const std::size_t next = (j + 1) % cities;
        if (next == i) continue;
        if (between(tour[i], tour[i + 1]) + between(tour[j], tour[next]) <=
            between(tour[i], tour[j]) + between(tour[i + 1], tour[next]))
          continue;
        std::reverse(tour.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                     tour.begin() + static_cast<std::ptrdiff_t>(j) + 1);
        improved = true;
      }
  }
  for (std::size_t i = 0; i < cities; ++i) result.length += between(tour[i], tour[(i + 1) % cities]);
  return result;
}

Verdict run(host::Device& device, const Options& options) {
  // Paper: TSP of [DDOS/BOWS] §6.4 (76 cities, 3000 climbers).
  Shape s = pick(options.size, Shape{9, 100, 2, 48}, Shape{24, 600, 5, 128}, Shape{76, 3'000, 12, 256});
  s = {chosen(options, "cities", s.cities), chosen(options, "climbers", s.climbers),
       chosen(options, "ctas", s.ctas), chosen(options, "threads", s.threads)};
  Random random(options.seed);
  const Distances distance = random_distances(random, s.cities);
  const std::uint32_t seed = random.below(1u << 31);

  const std::int32_t none = std::numeric_limits<std::int32_t>::max();
  const auto module = device.load_ptx_file(module_path("tsp", options));
  const auto distance_d = device.upload(distance, "distance");
  const auto lock_d = device.allocate(sizeof(std::int32_t), "lock");
  const auto length_d = device.upload(std::vector<std::int32_t>{none}, "best_length"),
             climber_d = device.upload(std::vector<std::int32_t>{none}, "best_climber");
  const auto tour_d = device.allocate(s.cities * sizeof(std::int32_t), "best_tour");
  device.launch(module, "tsp_climb", grid(s.ctas, s.threads),
                host::Args()
                    .add(distance_d)
                    .add(s.cities)
                    .add(s.climbers)
                    .add(seed)
                    .add(lock_d)
                    .add(length_d)
                    .add(climber_d)
                    .add(tour_d));

  Climb best{none, {}};
  std::int32_t who = none;
  for (std::uint32_t climber = 0; climber < s.climbers; ++climber) {
    Climb one = climb(distance, s.cities, climber, seed);
    if (one.length >= best.length) continue;
    best = std::move(one);
    who = static_cast<std::int32_t>(climber);
  }
  return combine({compare("best_length", device.download<std::int32_t>(length_d, 1), {best.length}),
                  compare("best_climber", device.download<std::int32_t>(climber_d, 1), {who}),
                  compare("best_tour", device.download<std::int32_t>(tour_d, s.cities), best.tour),
                  compare("lock", device.download<std::int32_t>(lock_d, 1), {0})});
}

std::vector<Parameter> parameters() {
  return {{"cities", "of the tour", 4, 80},
          {"climbers", "that report", 1, 1u << 24},
          {"ctas", "of the grid", 1, 1u << 20},
          {"threads", "of a CTA", 1, 1024}};
}

}  // namespace

Workload tsp() {
  return {.name = "tsp",
          .description = "travelling salesman: hill climbers report under one global lock, lane by lane",
          .stresses = "local memory, long divergent loops, then one lock that the whole grid wants",
          .source = "tsp.cu",
          .parameters = parameters(),
          .run = run};
}

}  // namespace heddle::workloads::tsp
