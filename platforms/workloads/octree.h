// The octree of the Barnes-Hut workloads on the CPU, in the kernels' layout.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "workloads/random.h"

namespace heddle::workloads {

using Bodies = std::vector<std::array<float, 3>>;

/// Different bodies in [-1, 1)^3, half of them crowded near the origin.
[[nodiscard]] Bodies random_bodies(Random& random, std::uint32_t count);

struct Octree {
  std::int32_t bodies = 0;
  /// child[8 * cell + octant]: 0 empty, 1 .. bodies a body (index plus one), bodies + c cell c. Cell 0 is the
  /// root, with centre 0 and half edge 1; a cell's index is above its parent's.
  std::vector<std::int32_t> child;
  [[nodiscard]] std::size_t cells() const { return child.size() / 8; }
};

[[nodiscard]] Octree build_octree(const Bodies& bodies);
/// Levels of cells.
[[nodiscard]] std::uint32_t depth(const Octree& tree);
/// Bodies below each cell.
[[nodiscard]] std::vector<std::int32_t> count_bodies(const Octree& tree);
/// x, y, z and mass of each cell, in bh_summarize.cu's order of operations.
[[nodiscard]] std::vector<float> centres_of_mass(const Octree& tree, const Bodies& bodies,
                                                 const std::vector<float>& mass);
/// The tree without the cells' numbers: its child entries in depth-first order, 0 for an empty one, a body's
/// index plus one, -1 for a cell, followed by its entries. -2: an invalid entry (a lock, a cell that does not
/// exist, a cell reached twice).
[[nodiscard]] std::vector<std::int32_t> outline(const Octree& tree);

}  // namespace heddle::workloads
