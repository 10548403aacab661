#include "workloads/octree.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace heddle::workloads {

namespace {

struct Place {
  std::array<float, 3> centre{};
  float half = 1.0f;

  [[nodiscard]] std::size_t octant(const std::array<float, 3>& body) const {
    std::size_t octant = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (body[axis] >= centre[axis]) octant |= std::size_t{1} << axis;
    return octant;
  }
  void descend(std::size_t octant) {
    half /= 2;
    for (std::size_t axis = 0; axis < 3; ++axis) centre[axis] += (octant >> axis & 1) != 0 ? half : -half;
  }
};

void outline_from(const Octree& tree, std::size_t cell, std::vector<bool>& seen,
                  std::vector<std::int32_t>& out) {
  seen[cell] = true;
  for (std::size_t octant = 0; octant < 8; ++octant) {
    const std::int32_t there = tree.child[8 * cell + octant];
    const auto next = static_cast<std::size_t>(there - tree.bodies);
    if (there >= 0 && there <= tree.bodies) {
      out.push_back(there);
    } else if (there < 0 || next >= tree.cells() || seen[next]) {
      out.push_back(-2);
    } else {
      out.push_back(-1);
      outline_from(tree, next, seen, out);
    }
  }
}

}  // namespace

Bodies random_bodies(Random& random, std::uint32_t count) {
  std::set<std::array<float, 3>> taken;
  Bodies bodies;
  while (bodies.size() < count) {
    const float scale = bodies.size() % 2 == 0 ? 1.0f : 0.125f;
    std::array<float, 3> body{};
    for (float& coordinate : body) coordinate = random.signed_unit() * scale;
    if (taken.insert(body).second) bodies.push_back(body);
  }
  return bodies;
}

Octree build_octree(const Bodies& bodies) {
  const auto n = static_cast<std::int32_t>(bodies.size());
  Octree tree{.bodies = n, .child = std::vector<std::int32_t>(8, 0)};
  for (std::int32_t body = 0; body < n; ++body) {
    const auto& mine = bodies[static_cast<std::size_t>(body)];
    Place at;
    std::size_t place = at.octant(mine);
    while (tree.child[place] != 0) {
      const std::int32_t there = tree.child[place];
      at.descend(place % 8);
      if (there <= n) {  // a body: one cell more between it and the root
        const std::size_t fresh = tree.cells();
        tree.child.resize(tree.child.size() + 8, 0);
        tree.child[8 * fresh + at.octant(bodies[static_cast<std::size_t>(there - 1)])] = there;
        tree.child[place] = n + static_cast<std::int32_t>(fresh);
      }
      place = 8 * static_cast<std::size_t>(tree.child[place] - n) + at.octant(mine);
    }
    tree.child[place] = body + 1;
  }
  return tree;
}

std::uint32_t depth(const Octree& tree) {
  std::vector<std::uint32_t> level(tree.cells(), 1);
  std::uint32_t deepest = 1;
  for (std::size_t cell = 0; cell < tree.cells(); ++cell)  // parents before their children
    for (std::size_t octant = 0; octant < 8; ++octant)
      if (const std::int32_t there = tree.child[8 * cell + octant]; there > tree.bodies)
        deepest = std::max(deepest, level[static_cast<std::size_t>(there - tree.bodies)] = level[cell] + 1);
  return deepest;
}

std::vector<std::int32_t> count_bodies(const Octree& tree) {
  std::vector<std::int32_t> count(tree.cells(), 0);
  for (std::size_t cell = tree.cells(); cell-- > 0;)  // children before their parents
    for (std::size_t octant = 0; octant < 8; ++octant) {
      const std::int32_t there = tree.child[8 * cell + octant];
      if (there > tree.bodies)
        count[cell] += count[static_cast<std::size_t>(there - tree.bodies)];
      else if (there > 0)
        ++count[cell];
    }
  return count;
}

std::vector<float> centres_of_mass(const Octree& tree, const Bodies& bodies, const std::vector<float>& mass) {
  std::vector<float> centre(4 * tree.cells());
  for (std::size_t cell = tree.cells(); cell-- > 0;) {  // children before their parents
    float sum[3] = {}, m = 0.0f;
    for (std::size_t octant = 0; octant < 8; ++octant) {
      const std::int32_t there = tree.child[8 * cell + octant];
      if (there == 0) continue;
      const bool is_cell = there > tree.bodies;
      const auto i = static_cast<std::size_t>(is_cell ? there - tree.bodies : there - 1);
      const float child_mass = is_cell ? centre[4 * i + 3] : mass[i];
      for (std::size_t axis = 0; axis < 3; ++axis)
        sum[axis] = std::fmaf(child_mass, is_cell ? centre[4 * i + axis] : bodies[i][axis], sum[axis]);
      m += child_mass;
    }
    for (std::size_t axis = 0; axis < 3; ++axis) centre[4 * cell + axis] = sum[axis] / m;
    centre[4 * cell + 3] = m;
  }
  return centre;
}

std::vector<std::int32_t> outline(const Octree& tree) {
  std::vector<bool> seen(tree.cells(), false);
  std::vector<std::int32_t> places;
  outline_from(tree, 0, seen, places);
  return places;
}

}  // namespace heddle::workloads
