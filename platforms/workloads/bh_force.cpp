#include <array>
#include <cmath>
#include <span>

#include "workloads/octree.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::bh_force {

namespace {

constexpr std::size_t kWarp = 32;
constexpr std::uint32_t kThreads = 128;  // 32 * kForceWarps in bh_force.cu

struct Shape {
  std::uint32_t bodies, ctas;
};

using Vector = std::array<float, 3>;

/// The bodies in the order in which the tree holds them.
void append_bodies(const Octree& tree, std::size_t cell, std::vector<std::int32_t>& order) {
  for (std::size_t octant = 0; octant < 8; ++octant) {
    const std::int32_t there = tree.child[8 * cell + octant];
    if (there > tree.bodies)
      append_bodies(tree, static_cast<std::size_t>(there - tree.bodies), order);
    else if (there > 0)
      order.push_back(there - 1);
  }
}

/// The bodies of one warp, which go through the tree together; the kernel's roundings in the kernel's order.
class Group {
 public:
  Group(const Octree& tree, const Bodies& bodies, const std::vector<float>& mass,
        const std::vector<float>& centre, std::span<const std::int32_t> members)
      : tree_(tree),
        bodies_(bodies),
        mass_(mass),
        centre_(centre),
        members_(members),
        pull_(members.size()),
        magnitude_(members.size()) {
    visit(0, 4.0f);
  }
  [[nodiscard]] float acceleration(std::size_t member, std::size_t axis) const { return pull_[member][axis]; }
  /// Each term is off by three times its root's error and the roundings of its products, each sum so far by its rounding.
  [[nodiscard]] float tolerance(std::size_t member, std::size_t axis) const {
    return 2.0f * magnitude_[member][axis] *
           (3.0f * approximate::kRsqrt + static_cast<float>(terms_ + 4) * approximate::kRounding);
  }

 private:
  void visit(std::size_t cell, float far_enough) {
    for (std::size_t octant = 0; octant < 8; ++octant) {
      const std::int32_t there = tree_.child[8 * cell + octant];
      if (there == 0) continue;
      const bool is_cell = there > tree_.bodies;
      const auto i = static_cast<std::size_t>(is_cell ? there - tree_.bodies : there - 1);
      const Vector at = is_cell ? Vector{centre_[4 * i], centre_[4 * i + 1], centre_[4 * i + 2]} : bodies_[i];
      if (is_cell && !far_from_all(at, far_enough))
        visit(i, far_enough * 0.25f);
      else
        attract(at, is_cell ? centre_[4 * i + 3] : mass_[i]);
    }
  }
  [[nodiscard]] Vector towards(const Vector& at, std::size_t member) const {
    const Vector& body = bodies_[static_cast<std::size_t>(members_[member])];
    return {at[0] - body[0], at[1] - body[1], at[2] - body[2]};
  }
  static float square(const Vector& d) { return std::fmaf(d[0], d[0], std::fmaf(d[1], d[1], d[2] * d[2])); }
  [[nodiscard]] bool far_from_all(const Vector& at, float far_enough) const {
    for (std::size_t m = 0; m < members_.size(); ++m)
      if (!(square(towards(at, m)) >= far_enough)) return false;
    return true;
  }
  void attract(const Vector& at, float mass) {
    for (std::size_t m = 0; m < members_.size(); ++m) {
      const Vector d = towards(at, m);
      const auto inverse = static_cast<float>(1.0 / std::sqrt(double{square(d) + 0.0001f}));
      const float strength = (mass * inverse) * (inverse * inverse);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        pull_[m][axis] = std::fmaf(d[axis], strength, pull_[m][axis]);
        magnitude_[m][axis] += std::fabs(d[axis] * strength);
      }
    }
    ++terms_;
  }

  const Octree& tree_;
  const Bodies& bodies_;
  const std::vector<float>& mass_;
  const std::vector<float>& centre_;
  std::span<const std::int32_t> members_;
  std::vector<Vector> pull_, magnitude_;  ///< the latter: sums of the terms' absolute values
  std::size_t terms_ = 0;
};

Verdict run(host::Device& device, const Options& options) {
  const Shape s = pick(options.size, Shape{96, 1}, Shape{1'000, 8}, Shape{30'000, 56});
  Random random(options.seed);
  const Bodies bodies = random_bodies(random, s.bodies);
  const Octree tree = build_octree(bodies);
  std::vector<float> mass(s.bodies);
  for (float& m : mass) m = 1.0f + std::abs(random.signed_unit());
  const std::vector<float> centre = centres_of_mass(tree, bodies, mass);
  std::vector<std::int32_t> order;
  append_bodies(tree, 0, order);

  const auto module = device.load_ptx_file(module_path("bh_force", options));
  const auto child_d = device.upload(tree.child, "child"), centre_d = device.upload(centre, "centre"),
             bodies_d = device.upload(bodies, "position"), mass_d = device.upload(mass, "mass"),
             order_d = device.upload(order, "order");
  const auto acceleration_d = device.allocate(bodies.size() * sizeof(Vector), "acceleration");
  device.launch(
      module, "bh_force", grid(s.ctas, kThreads),
      host::Args().add(child_d).add(centre_d).add(bodies_d).add(mass_d).add(order_d).add(s.bodies).add(
          acceleration_d));

  std::vector<float> acceleration(3 * bodies.size()), tolerance(acceleration.size());
  for (std::size_t first = 0; first < order.size(); first += kWarp) {
    const std::span members = std::span(order).subspan(first, std::min(kWarp, order.size() - first));
    const Group group(tree, bodies, mass, centre, members);
    for (std::size_t m = 0; m < members.size(); ++m)
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::size_t at = 3 * static_cast<std::size_t>(members[m]) + axis;
        acceleration[at] = group.acceleration(m, axis);
        tolerance[at] = group.tolerance(m, axis);
      }
  }
  return compare_near("acceleration", device.download<float>(acceleration_d, acceleration.size()),
                      acceleration, tolerance);
}

}  // namespace

Workload bh_force() {
  return {.name = "bh-force",
          .description = "Barnes-Hut: forces, a warp walks the tree as one by votes (BH-FC)",
          .stresses = "votes, barriers of a warp, a stack in shared memory that one lane writes, rsqrt",
          .source = "bh_force.cu",
          .run = run};
}

}  // namespace heddle::workloads::bh_force
