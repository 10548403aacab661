// In the character of barnes (Barnes-Hut trees), fmm (adaptive multipoles), fluidanimate (smoothed particles in cells, with
// locks) and water (molecular dynamics, pairs within a cut-off, barriers and locks).
#include <algorithm>
#include <cmath>

#include "native.h"

namespace native {
namespace {

struct Body {
  double x, y, mass;
};
struct Node {
  double x, y, mass, size;
  int child[4];
  int body;  ///< -1: inner node
};
std::vector<Body> bodies;
std::vector<Node> tree;

int build(double x, double y, double size, std::vector<int> members) {
  const int number = static_cast<int>(tree.size());
  tree.push_back({0, 0, 0, size, {-1, -1, -1, -1}, -1});
  double mx = 0, my = 0, m = 0;
  for (const int b : members) {
    mx += bodies[b].x * bodies[b].mass;
    my += bodies[b].y * bodies[b].mass;
    m += bodies[b].mass;
  }
  tree[number].x = mx / m;
  tree[number].y = my / m;
  tree[number].mass = m;
  if (members.size() == 1 || size < 1e-3) {
    tree[number].body = members[0];
    return number;
  }
  std::vector<int> part[4];
  for (const int b : members) part[(bodies[b].x >= x ? 1 : 0) + (bodies[b].y >= y ? 2 : 0)].push_back(b);
  for (int q = 0; q < 4; ++q)
    if (!part[q].empty()) {
      const int child = build(x + ((q & 1) != 0 ? size / 4 : -size / 4),
                              y + ((q & 2) != 0 ? size / 4 : -size / 4), size / 2, part[q]);
      tree[number].child[q] = child;
    }
  return number;
}
void prepare_tree(unsigned threads, unsigned size) {
  Random random(21);
  bodies.resize(std::size_t{threads} * 3 * size);
  for (Body& b : bodies) {
    const double r = random.uniform() * random.uniform(), a = 6.28 * random.uniform();
    b = {r * std::cos(a), r * std::sin(a), 0.5 + random.uniform()};
  }
  tree.clear();
  std::vector<int> all(bodies.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
  build(0, 0, 2, all);
}
NATIVE_NOINLINE void force(const Body& on, int node, double& fx, double& fy) {
  const Node& n = tree[node];
  const double dx = n.x - on.x, dy = n.y - on.y, square = dx * dx + dy * dy + 1e-4;
  if (n.body >= 0 || n.size * n.size < 0.25 * square) {
    const double f = n.mass / (square * std::sqrt(square));
    fx += f * dx;
    fy += f * dy;
    return;
  }
  for (const int child : n.child)
    if (child >= 0) force(on, child, fx, fy);
}
void barnes(unsigned t, unsigned threads) {
  double sum = 0;
  phase(t, 0);
  splash_barrier();
  for (std::size_t i = t; i < bodies.size(); i += threads) {
    double fx = 0, fy = 0;
    force(bodies[i], 0, fx, fy);
    sum += fx * fx + fy * fy;
  }
  splash_barrier();
  phase(t, 1);
  sink[t] = static_cast<std::uint64_t>(sum * 1e3);
}

/// Interactions of pairs of cells: opened on one side or the other until they are far apart.
NATIVE_NOINLINE double interact(int a, int b) {
  const Node &m = tree[a], &n = tree[b];
  const double dx = m.x - n.x, dy = m.y - n.y, square = dx * dx + dy * dy + 1e-6;
  const double size = m.size + n.size;
  if (size * size < square) {
    const double r = 1 / square;  // expansion of the fourth order
    double term = m.mass * n.mass, sum = 0;
    for (int k = 0; k < 4; ++k) {
      term *= r * 0.5;
      sum += term;
    }
    return sum;
  }
  if (m.body >= 0 && n.body >= 0) return m.body == n.body ? 0 : m.mass * n.mass / std::sqrt(square);
  double sum = 0;
  if (n.body >= 0 || (m.body < 0 && m.size > n.size)) {
    for (const int child : m.child)
      if (child >= 0) sum += interact(child, b);
  } else {
    for (const int child : n.child)
      if (child >= 0) sum += interact(a, child);
  }
  return sum;
}
void fmm(unsigned t, unsigned threads) {
  double sum = 0;
  phase(t, 0);
  splash_barrier();
  for (std::size_t node = t + 1; node < tree.size() && node < 3 * threads; node += threads)
    sum += interact(static_cast<int>(node), 0);
  sink[t] = static_cast<std::uint64_t>(sum * 1e3);
}

constexpr int kMostCells = 41;
int fluid_cells;  ///< of a side: their number grows with the input, particles of a cell do not
struct Cell {
  int count;
  double x[12], y[12], density[12];
};
Cell cells[kMostCells][kMostCells];
double total_density;
/// `column`: the share of them that are in a column of water.
void fill_cells(unsigned threads, unsigned size, double column) {
  Random random(33);
  total_density = 0;
  fluid_cells = std::min(
      kMostCells, static_cast<int>(12 * std::sqrt(size)) | 1);  // odd: threads get cells of all columns
  for (auto& row : cells)
    for (Cell& c : row) c.count = 0;
  for (unsigned i = 0; i < threads * 12 * size; ++i) {
    const double x = random.uniform() * (random.uniform() < column ? 0.4 : 1), y = random.uniform();
    Cell& c = cells[static_cast<int>(y * fluid_cells)][static_cast<int>(x * fluid_cells)];
    if (c.count == 12) continue;
    c.x[c.count] = x;
    c.y[c.count] = y;
    c.density[c.count++] = 0;
  }
}
/// A column that falls: most cells are full or empty.
void prepare_fluid(unsigned threads, unsigned size) { fill_cells(threads, size, 0.8); }
/// Particles everywhere: what changes if nothing else does (models/resync/reproduction).
void prepare_still_fluid(unsigned threads, unsigned size) { fill_cells(threads, size, 0); }
void fluidanimate(unsigned t, unsigned threads) {
  double mine = 0;
  const int side = fluid_cells;
  const double reach = 2.88 / (side * side);
  for (int number = static_cast<int>(t); number < side * side; number += static_cast<int>(threads)) {
    Cell& c = cells[number / side][number % side];
    for (int i = 0; i < c.count; ++i)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
          const int ny = number / side + dy, nx = number % side + dx;
          if (ny < 0 || nx < 0 || ny >= side || nx >= side) continue;
          const Cell& n = cells[ny][nx];
          for (int j = 0; j < n.count; ++j) {
            const double ex = c.x[i] - n.x[j], ey = c.y[i] - n.y[j], square = ex * ex + ey * ey;
            if (square >= reach) continue;
            const double w = reach - square;
            c.density[i] += w * w * w;
          }
        }
    for (int i = 0; i < c.count; ++i) mine += c.density[i];
  }
  pthread_mutex_lock(&mutex);
  total_density += mine;
  pthread_mutex_unlock(&mutex);
  barrier();
  sink[t] = static_cast<std::uint64_t>(mine * 1e12);
}

std::vector<double> position, velocity, acceleration;
void prepare_water(unsigned threads, unsigned size) {
  Random random(44);
  const std::size_t n = std::size_t{threads} * 2 * size;
  position.resize(3 * n);
  velocity.assign(3 * n, 0);
  acceleration.assign(3 * n, 0);
  for (double& p : position) p = 2.2 * random.uniform();
}
NATIVE_NOINLINE bool pair_force(std::size_t i, std::size_t j, double* f) {
  double d[3], square = 1e-3;
  for (int k = 0; k < 3; ++k) {
    d[k] = position[3 * i + k] - position[3 * j + k];
    if (d[k] > 1.1) d[k] -= 2.2;  // periodic
    if (d[k] < -1.1) d[k] += 2.2;
    square += d[k] * d[k];
  }
  if (square > 0.8) return false;
  const double r2 = 1 / square, r6 = r2 * r2 * r2, g = r6 * (r6 - 0.5) * r2 * 1e-6;
  for (int k = 0; k < 3; ++k) f[k] = g * d[k];
  return true;
}
void water(unsigned t, unsigned threads) {
  const std::size_t n = position.size() / 3, each = n / threads;
  for (int step = 0; step < 2; ++step) {
    phase(t, static_cast<unsigned>(step));
    for (std::size_t i = t * each; i < (t + 1) * each; ++i) {
      double sum[3] = {0, 0, 0};
      for (std::size_t k = 1; k <= n / 2; ++k) {
        double f[3];
        if (!pair_force(i, (i + k) % n, f)) continue;
        for (int c = 0; c < 3; ++c) sum[c] += f[c];
      }
      pthread_mutex_lock(&mutex);
      for (int c = 0; c < 3; ++c) acceleration[3 * i + c] += sum[c];
      pthread_mutex_unlock(&mutex);
    }
    splash_barrier();
    for (std::size_t i = 3 * t * each; i < 3 * (t + 1) * each; ++i) {
      velocity[i] += 0.01 * acceleration[i];
      position[i] += 0.01 * velocity[i];
      acceleration[i] = 0;
    }
    splash_barrier();
  }
  sink[t] = static_cast<std::uint64_t>(position[3 * t * each] * 1e9);
}

}  // namespace

const std::vector<Kernel>& particle_kernels() {
  static const std::vector<Kernel> all = {
      {"barn", "n-body by a tree", prepare_tree, barnes},
      {"fmm", "n-body by pairs of cells", prepare_tree, fmm},
      {"fluid", "smoothed particles in cells", prepare_fluid, fluidanimate},
      {"fluid-still", "the same with particles everywhere", prepare_still_fluid, fluidanimate},
      {"water", "molecules within a cut-off", prepare_water, water}};
  return all;
}

}  // namespace native
