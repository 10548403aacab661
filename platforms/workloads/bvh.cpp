#include <algorithm>
#include <array>
#include <cmath>

#include "workloads/parameters.h"
#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::bvh {

namespace {

struct Shape {
  std::uint32_t width, height, triangles;  // width: even
};

using Vector = std::array<float, 3>;

struct Triangle {  // BvhTriangle in bvh.cu
  Vector corner, edge1, edge2;
};

struct Node {  // BvhNode
  Vector low, high;
  std::int32_t first, count;
};

/// Half of them small and crowded, the others large.
std::vector<Triangle> random_triangles(Random& random, std::uint32_t count) {
  std::vector<Triangle> triangles(count);
  for (std::size_t i = 0; i < count; ++i) {
    const float size = i % 2 == 0 ? 0.08f : 0.4f, spread = i % 2 == 0 ? 0.5f : 1.5f;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      triangles[i].corner[axis] = spread * random.signed_unit();
      triangles[i].edge1[axis] = size * random.signed_unit();
      triangles[i].edge2[axis] = size * random.signed_unit();
    }
  }
  return triangles;
}

/// Halves at the median of the longest axis, down to leaves of at most four triangles. Sorts the triangles.
class Tree {
 public:
  explicit Tree(std::vector<Triangle>& triangles) : triangles_(triangles) {
    nodes_.push_back({});
    split(0, 0, triangles.size());
  }
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }

 private:
  static float centre(const Triangle& t, std::size_t axis) {
    return t.corner[axis] + (t.edge1[axis] + t.edge2[axis]) / 3;
  }
  void split(std::size_t at, std::size_t begin, std::size_t end) {
    Node node{
        {9, 9, 9}, {-9, -9, -9}, static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end - begin)};
    // Wide enough that rounding cannot make a ray miss the box of a triangle that it hits.
    constexpr float kMargin = 1.0f / 1024;
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const Triangle& t = triangles_[i];
        const float a = t.corner[axis], b = a + t.edge1[axis], c = a + t.edge2[axis];
        node.low[axis] = std::min(node.low[axis], std::min({a, b, c}) - kMargin);
        node.high[axis] = std::max(node.high[axis], std::max({a, b, c}) + kMargin);
      }
    if (end - begin > 4) {
      std::size_t axis = 0;
      for (std::size_t other = 1; other < 3; ++other)
        if (node.high[other] - node.low[other] > node.high[axis] - node.low[axis]) axis = other;
      const auto from = triangles_.begin() + static_cast<std::ptrdiff_t>(begin);
      // Sorted completely, because nth_element orders the other elements differently in different libraries.
      std::sort(from, triangles_.begin() + static_cast<std::ptrdiff_t>(end),
                [axis](const Triangle& a, const Triangle& b) {
                  const float at_a = centre(a, axis), at_b = centre(b, axis);
                  return at_a != at_b ? at_a < at_b : a.corner < b.corner;
                });
      const std::size_t children = nodes_.size(), middle = begin + (end - begin) / 2;
      node.first = static_cast<std::int32_t>(children);
      node.count = 0;
      nodes_.resize(children + 2);
      split(children, begin, middle);
      split(children + 1, middle, end);
    }
    nodes_[at] = node;
  }

  std::vector<Triangle>& triangles_;
  std::vector<Node> nodes_;
};

float dot(const Vector& a, const Vector& b) {
  return std::fmaf(a[0], b[0], std::fmaf(a[1], b[1], a[2] * b[2]));
}
Vector cross(const Vector& a, const Vector& b) {
  return {std::fmaf(a[1], b[2], -(a[2] * b[1])), std::fmaf(a[2], b[0], -(a[0] * b[2])),
          std::fmaf(a[0], b[1], -(a[1] * b[0]))};
}

/// With the kernel's roundings, in the kernel's order.
float meets(const Triangle& triangle, const Vector& origin, const Vector& direction) {
  const Vector across = cross(direction, triangle.edge2);
  const float determinant = dot(triangle.edge1, across);
  if (determinant > -1.0e-6f && determinant < 1.0e-6f) return -1.0f;
  const Vector to{origin[0] - triangle.corner[0], origin[1] - triangle.corner[1],
                  origin[2] - triangle.corner[2]};
  const float u = dot(to, across) / determinant;
  if (u < 0.0f || u > 1.0f) return -1.0f;
  const Vector other = cross(to, triangle.edge1);
  const float v = dot(direction, other) / determinant;
  if (v < 0.0f || u + v > 1.0f) return -1.0f;
  return dot(triangle.edge2, other) / determinant;
}

/// A mesh in the device's memory, and what is to be seen of it.
struct Scene {
  Scene(const Shape& s, host::Device& device, const Options& options)
      : shape(s), module(device.load_ptx_file(module_path("bvh", options))) {
    Random random(options.seed);
    triangles = random_triangles(random, s.triangles);
    const Tree tree(triangles);
    nodes_d = device.upload(tree.nodes(), "nodes");
    triangles_d = device.upload(triangles, "triangles");
    hit_d = device.allocate(pixels() * sizeof(std::int32_t), "hit");
    depth_d = device.allocate(pixels() * sizeof(float), "depth");
  }
  [[nodiscard]] std::size_t pixels() const { return std::size_t{shape.width} * shape.height; }
  [[nodiscard]] host::Args args() const {
    return host::Args()
        .add(nodes_d)
        .add(triangles_d)
        .add(shape.width)
        .add(shape.height)
        .add(hit_d)
        .add(depth_d);
  }

  /// Tests every ray against every triangle: the result must not depend on the tree. `any`: only whether it meets one.
  [[nodiscard]] Verdict check(host::Device& device, bool any = false) const {
    std::vector<std::int32_t> hit(pixels(), -1);
    std::vector<float> depth(pixels(), 1.0e30f);
    const float scale = 2.0f / static_cast<float>(shape.width);
    for (std::size_t i = 0; i < pixels(); ++i) {
      const auto x = static_cast<std::int32_t>(i % shape.width),
                 y = static_cast<std::int32_t>(i / shape.width);
      const Vector direction{
          std::fmaf(static_cast<float>(x) + 0.5f, scale, -1.0f),
          std::fmaf(static_cast<float>(static_cast<std::int32_t>(shape.height / 2) - y) + 0.5f, scale, 0.0f),
          2.0f};
      for (std::size_t k = 0; k < triangles.size(); ++k) {
        const float t = meets(triangles[k], {0.0f, 0.0f, -3.0f}, direction);
        if (t > 0.0f && t < depth[i]) depth[i] = t, hit[i] = static_cast<std::int32_t>(k);
      }
    }
    if (any) {
      for (std::int32_t& each : hit) each = each >= 0 ? 1 : 0;
      return compare("hit", device.download<std::int32_t>(hit_d, pixels()), hit);
    }
    return combine({compare("hit", device.download<std::int32_t>(hit_d, pixels()), hit),
                    compare("depth", device.download<float>(depth_d, pixels()), depth)});
  }

  Shape shape;
  host::ModuleHandle module;
  std::vector<Triangle> triangles;
  std::uint64_t nodes_d = 0, triangles_d = 0, hit_d = 0, depth_d = 0;
};

Verdict run(host::Device& device, const Options& options) {
  // Paper: REND of [MultiPath] Tab 7.2 has 64 threads a CTA.
  const Shape s = pick(options.size, Shape{24, 16, 60}, Shape{96, 64, 800}, Shape{256, 256, 4'000});
  const std::uint32_t columns = chosen(options, "block_x", 8), rows = chosen(options, "block_y", 8);
  const Scene scene(s, device, options);
  device.launch(scene.module, "bvh_render", cover(s.width, s.height, columns, rows), scene.args());
  return scene.check(device);
}

Verdict run_persistent(host::Device& device, const Options& options) {
  // Paper: NVRT of [TBC] Tab 3.1 has CTAs of 32 x 6 threads, three on a core.
  const Shape s = pick(options.size, Shape{24, 16, 60}, Shape{96, 64, 800}, Shape{256, 256, 4'000});
  const std::uint32_t ctas = chosen(options, "ctas", pick(options.size, 2u, 12u, 90u));
  const std::uint32_t any = chosen(options, "any", 0);
  const Scene scene(s, device, options);
  const auto taken_d = device.upload(std::vector<std::int32_t>{0}, "taken");
  device.launch(scene.module, "bvh_persistent", {{ctas, 1, 1}, {32, chosen(options, "warps", 6), 1}},
                scene.args().add(taken_d).add(any));
  return scene.check(device, any != 0);
}

}  // namespace

Workload bvh() {
  return {.name = "bvh",
          .description = "rendering of a triangle mesh by a tree of boxes, a ray a pixel (REND)",
          .stresses = "tree traversal with a stack in local memory: lanes in boxes and lanes in leaves",
          .source = "bvh.cu",
          .parameters = {{"block_x", "columns of a CTA", 1, 32}, {"block_y", "rows of a CTA", 1, 32}},
          .run = run};
}

Workload bvh_persistent() {
  return {.name = "bvh-persistent",
          .description = "the same by persistent threads, whose warps take rays until none are left (NVRT)",
          .stresses = "loops in loops that lanes leave one by one; a counter that one lane of a warp moves",
          .source = "bvh.cu",
          .parameters = {{"ctas", "of the grid", 1, 1u << 16},
                         {"warps", "of a CTA", 1, 8},
                         {"any", "1: ask only whether a ray meets a triangle", 0, 1}},
          .run = run_persistent};
}

}  // namespace heddle::workloads::bvh
