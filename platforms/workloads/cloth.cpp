#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "workloads/parameters.h"
#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::cloth {

namespace {

constexpr float kGrid = 4096.0f;  // corrections are multiples of 1 / kGrid

struct Shape {
  std::uint32_t width, height, sweeps, ctas, threads;
};

struct Spring {  // ClothSpring in cloth.cu
  std::int32_t a, b;
  float rest;
};
static_assert(sizeof(Spring) == 12);

/// How the springs are listed: in random order, or so that neighbours in the list are neighbours in the mesh and share
/// no particle: row by row of one direction, even ones before odd ones.
enum class Order { kRandom, kMesh };

/// Springs to the right, down, and along both diagonals of a unit grid.
std::vector<Spring> springs_of(const Shape& s, Order order, Random& random) {
  std::vector<Spring> springs;
  const auto connect = [&](std::uint32_t x, std::uint32_t y, int right, float rest) {
    const auto a = static_cast<std::int32_t>(y * s.width + x);
    springs.push_back({a, a + right, rest});
  };
  const auto width = static_cast<int>(s.width);
  const float diagonal = std::sqrt(2.0f);
  const auto springs_from = [&](std::uint32_t x, std::uint32_t y, auto wanted) {
    const bool right = x + 1 < s.width, down = y + 1 < s.height;
    if (wanted(0) && right) connect(x, y, 1, 1.0f);
    if (wanted(1) && down) connect(x, y, width, 1.0f);
    if (wanted(2) && right && down) connect(x, y, width + 1, diagonal);
    if (wanted(3) && x > 0 && down) connect(x, y, width - 1, diagonal);
  };
  const auto each_particle = [&](auto with) {
    for (std::uint32_t y = 0; y < s.height; ++y)
      for (std::uint32_t x = 0; x < s.width; ++x) with(x, y);
  };
  if (order == Order::kMesh) {
    for (const unsigned direction : {0u, 1u, 2u, 3u})
      for (const std::uint32_t parity : {0u, 1u})
        each_particle([&](std::uint32_t x, std::uint32_t y) {
          if ((direction == 0 ? x : y) % 2 == parity)
            springs_from(x, y, [&](unsigned one) { return one == direction; });
        });
    return springs;
  }
  each_particle([&](std::uint32_t x, std::uint32_t y) { springs_from(x, y, [](unsigned) { return true; }); });
  random.shuffle(springs);
  return springs;
}

double length(const std::vector<float>& position, const Spring& s) {
  double square = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double d = double{position[3 * static_cast<std::size_t>(s.b) + i]} -
                     position[3 * static_cast<std::size_t>(s.a) + i];
    square += d * d;
  }
  return std::sqrt(square);
}

/// Sum of the deviations of the springs from their rest lengths.
double tension(const std::vector<float>& position, const std::vector<Spring>& springs) {
  double sum = 0;
  for (const Spring& s : springs) sum += std::abs(length(position, s) - double{s.rest});
  return sum;
}

/// Sum of what the springs that are too long have too much.
double stretch(const std::vector<float>& position, const std::vector<Spring>& springs) {
  double sum = 0;
  for (const Spring& s : springs) sum += std::max(0.0, length(position, s) - double{s.rest});
  return sum;
}

/// The order of the corrections affects their values. But each is added to one particle and subtracted from
/// another, so the coordinates stay on the grid and their sums do not change.
Verdict check_positions(const std::vector<float>& before, const std::vector<float>& after,
                        const std::vector<Spring>& springs,
                        double (*measure)(const std::vector<float>&, const std::vector<Spring>&)) {
  std::array<double, 3> sum{};
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (!(std::abs(after[i]) < 1024.0f) || std::nearbyint(after[i] * kGrid) != after[i] * kGrid)
      return {false,
              fmt::format("position[{}] = {}, expected a multiple of 1/{} below 1024", i, after[i], kGrid)};
    sum[i % 3] += double{after[i]} - double{before[i]};  // exact
  }
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (sum[axis] != 0)
      return {false,
              fmt::format("the particles drifted by {} in all along axis {}, expected 0", sum[axis], axis)};
  const double was = measure(before, springs), is = measure(after, springs);
  if (is > was / 2) return {false, fmt::format("tension went from {} to {}, expected half or less", was, is)};
  return {true, fmt::format("positions match the invariants, tension {:.4g} of {:.4g}", is, was)};
}

/// What a spring adds to the moves of its ends.
enum class Moves : std::uint8_t {
  kOne,       ///< 1 to each, whenever it is done
  kBalanced,  ///< cloth_pull: its number to the one, and takes it from the other, when it is stretched
};

Verdict check_moves(const std::vector<std::int32_t>& moves) {
  std::int64_t sum = 0, moved = 0;
  for (const std::int32_t m : moves) {
    sum += m;
    moved += m != 0 ? 1 : 0;
  }
  if (sum != 0) return {false, fmt::format("moves add up to {}, expected 0", sum)};
  if (moved == 0) return {false, "no particle has moved"};
  return {true, fmt::format("moves of {} particles add up to 0", moved)};
}

constexpr std::array<Shape, 3> kShapes{{{9, 8, 3, 2, 96}, {60, 50, 2, 15, 128}, {250, 200, 8, 96, 256}}};
// Paper: CL of [WarpTM] Tab 6.2, 60 000 springs.
constexpr std::array<Shape, 3> kPullShapes{{{9, 8, 4, 2, 96}, {20, 16, 2, 3, 512}, {125, 121, 2, 118, 512}}};
// One lock: a turn takes as long whatever the size is.
constexpr std::array<Shape, 3> kCoarseShapes{{{5, 4, 4, 1, 64}, {12, 10, 2, 5, 64}, {125, 121, 2, 118, 512}}};

Verdict run(const char* kernel, Order order, host::Device& device, const Options& options,
            Moves counted = Moves::kOne, const std::array<Shape, 3>& shapes = kShapes) {
  Shape s = pick(options.size, shapes[0], shapes[1], shapes[2]);
  s = {chosen(options, "width", s.width), chosen(options, "height", s.height),
       chosen(options, "sweeps", s.sweeps), chosen(options, "ctas", s.ctas),
       chosen(options, "threads", s.threads)};
  Random random(options.seed);
  const std::vector<Spring> springs = springs_of(s, order, random);
  const std::size_t particles = std::size_t{s.width} * s.height;
  std::vector<float> position(3 * particles);
  for (std::size_t i = 0; i < position.size(); ++i) {
    const std::size_t particle = i / 3;
    const std::size_t column = particle % s.width, row = particle / s.width;
    const float home = i % 3 == 0 ? static_cast<float>(column) : i % 3 == 1 ? static_cast<float>(row) : 0.0f;
    position[i] = home + std::nearbyint(random.signed_unit() * 0.5f * kGrid) / kGrid;
  }
  std::vector<std::int32_t> moves(particles, 0);
  for (const Spring& spring : springs)
    for (const std::int32_t end : {spring.a, spring.b})
      moves[static_cast<std::size_t>(end)] += static_cast<std::int32_t>(s.sweeps);

  const auto module = device.load_ptx_file(module_path("cloth", options));
  const auto springs_d = device.upload(springs, "springs"), position_d = device.upload(position, "position");
  const auto moves_d = device.allocate(particles * sizeof(std::int32_t), "moves");
  const auto locks_d = device.allocate(particles * sizeof(std::int32_t), "locks");
  for (std::uint32_t sweep = 0; sweep < s.sweeps; ++sweep)
    device.launch(module, kernel, grid(s.ctas, s.threads),
                  host::Args()
                      .add(springs_d)
                      .add(static_cast<std::int32_t>(springs.size()))
                      .add(position_d)
                      .add(moves_d)
                      .add(locks_d));
  const auto moved = device.download<std::int32_t>(moves_d, particles);
  const bool balanced = counted == Moves::kBalanced;
  return combine({balanced ? check_moves(moved) : compare("moves", moved, moves),
                  check_positions(position, device.download<float>(position_d, position.size()), springs,
                                  balanced ? stretch : tension),
                  compare("locks", device.download<std::int32_t>(locks_d, particles),
                          std::vector<std::int32_t>(particles, 0))});
}

std::vector<Parameter> parameters() {
  return {{"width", "particles of a row", 2, 4096},
          {"height", "rows of particles", 2, 4096},
          {"sweeps", "over all springs, a launch each", 1, 1000},
          {"ctas", "of the grid", 1, 1u << 20},
          {"threads", "of a CTA", 1, 1024}};
}

}  // namespace

Workload cloth() {
  return {.name = "cloth",
          .description = "cloth distance solver, two locks a spring, SIMT-safe lock loop (DS)",
          .stresses =
              "nested locks of neighbours: contention follows the mesh; square roots and divisions inside",
          .source = "cloth.cu",
          .racy = true,
          .parameters = parameters(),
          .run = [](host::Device& d, const Options& o) { return run("cloth_solve", Order::kRandom, d, o); }};
}

Workload cloth_mimd() {
  return {
      .name = "cloth-mimd",
      .description = "cloth distance solver with two spin locks in MIMD form (DS)",
      .stresses = "forward progress of diverged lanes, two locks deep",
      .source = "cloth.cu",
      .racy = true,
      .needs_simt_progress = true,
      .parameters = parameters(),
      .run = [](host::Device& d, const Options& o) { return run("cloth_solve_mimd", Order::kRandom, d, o); }};
}

Workload cloth_pull() {
  return {.name = "cloth-pull",
          .description = "cloth whose springs only pull, two locks a spring, SIMT-safe lock loop (CL)",
          .stresses = "as cloth; stretched springs only write",
          .source = "cloth.cu",
          .racy = true,
          .parameters = parameters(),
          .run = [](host::Device& d, const Options& o) {
            return run("cloth_pull", Order::kRandom, d, o, Moves::kBalanced, kPullShapes);
          }};
}

Workload cloth_coarse() {
  return {.name = "cloth-coarse",
          .description = "cloth whose springs only pull, under one lock",
          .stresses = "one lock that all threads want",
          .source = "cloth.cu",
          .racy = true,
          .parameters = parameters(),
          .run = [](host::Device& d, const Options& o) {
            return run("cloth_pull_coarse", Order::kRandom, d, o, Moves::kBalanced, kCoarseShapes);
          }};
}

Workload cloth_tx() {
  return {
      .name = "cloth-tx",
      .description = "cloth whose springs only pull, each a transaction (CL)",
      .stresses = "transactions of up to 11 reads and 8 writes, some read-only; conflicts follow the mesh",
      .source = "cloth.cu",
      .racy = true,
      .needs_transactions = true,
      .parameters = parameters(),
      .run = [](host::Device& d, const Options& o) {
        return run("cloth_pull_tx", Order::kRandom, d, o, Moves::kBalanced, kPullShapes);
      }};
}

Workload cloth_tx_preloaded() {
  return {.name = "cloth-tx-preloaded",
          .description = "cloth whose springs only pull, read before their transactions (CLto)",
          .stresses = "as cloth-tx, with shorter transactions",
          .source = "cloth.cu",
          .racy = true,
          .needs_transactions = true,
          .parameters = parameters(),
          .run = [](host::Device& d, const Options& o) {
            return run("cloth_pull_tx_preloaded", Order::kRandom, d, o, Moves::kBalanced, kPullShapes);
          }};
}

Workload cloth_interleaved() {
  return {
      .name = "cloth-interleaved",
      .description = "cloth distance solver, neighbouring springs to neighbouring lanes (CLopt)",
      .stresses = "as cloth, with accesses of a warp that coalesce and lanes that do not want the same locks",
      .source = "cloth.cu",
      .racy = true,
      .parameters = parameters(),
      .run = [](host::Device& d, const Options& o) { return run("cloth_solve", Order::kMesh, d, o); }};
}

Workload cloth_blocked() {
  return {.name = "cloth-blocked",
          .description = "cloth distance solver, a block of neighbouring springs to each thread (CL)",
          .stresses = "as cloth, with accesses of a warp far apart",
          .source = "cloth.cu",
          .racy = true,
          .parameters = parameters(),
          .run = [](host::Device& d, const Options& o) {
            return run("cloth_solve_blocked", Order::kMesh, d, o);
          }};
}

}  // namespace heddle::workloads::cloth
