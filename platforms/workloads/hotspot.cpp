#include <algorithm>
#include <array>
#include <cmath>

#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::hotspot {

namespace {

struct Shape {
  std::uint32_t width, height, steps;
};

struct Model {  // HotspotModel in hotspot.cu
  float step_over_capacity, per_x, per_y, per_z, ambient;
};

std::vector<float> step(const Shape& s, const Model& m, const std::vector<float>& power,
                        const std::vector<float>& from) {
  std::vector<float> to(from.size());
  const auto at = [&](std::size_t x, std::size_t y) { return from[y * s.width + x]; };
  for (std::size_t y = 0; y < s.height; ++y)
    for (std::size_t x = 0; x < s.width; ++x) {
      const float here = at(x, y);
      const float vertical = std::fmaf(
          -2.0f, here, at(x, y == 0 ? 0 : y - 1) + at(x, std::min<std::size_t>(y + 1, s.height - 1)));
      const float horizontal = std::fmaf(
          -2.0f, here, at(x == 0 ? 0 : x - 1, y) + at(std::min<std::size_t>(x + 1, s.width - 1), y));
      float flow = std::fmaf(vertical, m.per_y, power[y * s.width + x]);
      flow = std::fmaf(horizontal, m.per_x, flow);
      flow = std::fmaf(m.ambient - here, m.per_z, flow);
      to[y * s.width + x] = std::fmaf(m.step_over_capacity, flow, here);
    }
  return to;
}

Verdict run(host::Device& device, const Options& options) {
  const Shape s = pick(options.size, Shape{41, 35, 4}, Shape{150, 130, 6}, Shape{512, 512, 60});
  const std::array<Model, 1> model{{{0.5f, 0.11f, 0.13f, 0.0625f, 80.0f}}};
  Random random(options.seed);
  std::vector<float> heat(std::size_t{s.width} * s.height), power(heat.size());
  for (float& h : heat) h = 60.0f + 20.0f * random.signed_unit();
  for (float& p : power) p = random.below(8) == 0 ? 1.0f + random.signed_unit() : 0.0f;

  const auto module = device.load_ptx_file(module_path("hotspot", options));
  device.write(device.symbol(module, "hotspot_model"), std::as_bytes(std::span(model)));
  const auto power_d = device.upload(power, "power");
  auto from_d = device.upload(heat, "heat");
  auto to_d = device.allocate(heat.size() * sizeof(float), "heat_next");
  for (std::uint32_t i = 0; i < s.steps; ++i) {
    device.launch(module, "hotspot_step", cover(s.width, s.height, 16, 16),
                  host::Args().add(power_d).add(from_d).add(to_d).add(s.width).add(s.height));
    std::swap(from_d, to_d);
    heat = step(s, model[0], power, heat);
  }
  return compare("heat", device.download<float>(from_d, heat.size()), heat);
}

}  // namespace

Workload hotspot() {
  return {.name = "hotspot",
          .description = "temperature of a chip: a 2-D stencil, one launch a step",
          .stresses = "tiles with a rim in shared memory: divergent halo loads, barriers, constant memory",
          .source = "hotspot.cu",
          .run = run};
}

}  // namespace heddle::workloads::hotspot
