#include <algorithm>
#include <array>
#include <cmath>

#include "workloads/parameters.h"
#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::cfd {

namespace {

constexpr std::size_t kFaces = 4, kQuantities = 5;
constexpr std::uint32_t kStages = 3;  ///< Runge-Kutta

struct Shape {
  std::uint32_t width, height, steps;
  [[nodiscard]] std::uint32_t cells() const { return width * height; }
};

/// Cells of a plane, numbered irregularly: of `width` columns, in blocks of shuffled numbers.
struct Mesh {
  Mesh(const Shape& s, Random& random)
      : cells(s.cells()), neighbour(kFaces * cells), normal(3 * kFaces * cells) {
    constexpr std::uint32_t kBlock = 64;
    std::vector<std::int32_t> number(cells);
    for (std::uint32_t first = 0; first < cells; first += kBlock) {
      std::vector<std::int32_t> some;
      for (std::uint32_t i = first; i < std::min(cells, first + kBlock); ++i)
        some.push_back(static_cast<std::int32_t>(i));
      random.shuffle(some);
      std::copy(some.begin(), some.end(), number.begin() + first);
    }
    constexpr std::array<std::array<int, 2>, kFaces> kSide{{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}};
    for (std::uint32_t y = 0; y < s.height; ++y)
      for (std::uint32_t x = 0; x < s.width; ++x) {
        const auto i = static_cast<std::size_t>(number[y * s.width + x]);
        for (std::size_t f = 0; f < kFaces; ++f) {
          const int ox = static_cast<int>(x) + kSide[f][0], oy = static_cast<int>(y) + kSide[f][1];
          const bool wall =
              ox < 0 || oy < 0 || ox >= static_cast<int>(s.width) || oy >= static_cast<int>(s.height);
          neighbour[f * cells + i] =
              wall ? -1 : number[static_cast<std::size_t>(oy) * s.width + static_cast<std::size_t>(ox)];
          for (std::size_t axis = 0; axis < 2; ++axis)
            normal[(3 * f + axis) * cells + i] = static_cast<float>(kSide[f][axis]);
        }
      }
  }
  std::uint32_t cells;
  std::vector<std::int32_t> neighbour;
  std::vector<float> normal;
};

struct Cell {
  std::array<float, kQuantities> q;  ///< density, momenta, energy
  std::array<float, 3> velocity;
  float pressure, sound, speed;
};

Cell cell_at(const std::vector<float>& state, std::size_t cells, std::size_t i) {
  Cell c{};
  for (std::size_t k = 0; k < kQuantities; ++k) c.q[k] = state[k * cells + i];
  const float inverse = 1.0f / c.q[0];
  for (std::size_t a = 0; a < 3; ++a) c.velocity[a] = c.q[1 + a] * inverse;
  const auto& [u, v, w] = c.velocity;
  const float square = std::fmaf(w, w, std::fmaf(v, v, u * u));
  c.speed = std::sqrt(square);
  c.pressure = 0.4f * std::fmaf(-0.5f * c.q[0], square, c.q[4]);
  c.sound = std::sqrt((1.4f * c.pressure) * inverse);
  return c;
}

float along(const std::array<float, 3>& velocity, const std::array<float, 3>& normal) {
  return std::fmaf(velocity[2], normal[2], std::fmaf(velocity[1], normal[1], velocity[0] * normal[0]));
}

/// What flows into cell i over its faces.
std::array<float, kQuantities> flux_into(const Mesh& mesh, const std::vector<float>& state, std::size_t i) {
  const Cell c = cell_at(state, mesh.cells, i);
  std::array<float, kQuantities> flux{};
  for (std::size_t f = 0; f < kFaces; ++f) {
    std::array<float, 3> normal{};
    for (std::size_t a = 0; a < 3; ++a) normal[a] = mesh.normal[(3 * f + a) * mesh.cells + i];
    const std::int32_t other = mesh.neighbour[f * mesh.cells + i];
    if (other < 0) {
      for (std::size_t a = 0; a < 3; ++a) flux[1 + a] = std::fmaf(-c.pressure, normal[a], flux[1 + a]);
      continue;
    }
    const Cell o = cell_at(state, mesh.cells, static_cast<std::size_t>(other));
    const float smooth =
        (0.25f * std::sqrt(along(normal, normal))) * ((c.speed + o.speed) + (c.sound + o.sound));
    const float here = along(c.velocity, normal), there = along(o.velocity, normal);
    const float pressure = -0.5f * (c.pressure + o.pressure);
    for (std::size_t k = 0; k < kQuantities; ++k) {
      const bool energy = k + 1 == kQuantities;
      const float mine = energy ? c.q[k] + c.pressure : c.q[k], its = energy ? o.q[k] + o.pressure : o.q[k];
      flux[k] = std::fmaf(smooth, o.q[k] - c.q[k], flux[k]);
      flux[k] = std::fmaf(-0.5f, std::fmaf(mine, here, its * there), flux[k]);
      if (k >= 1 && k <= 3) flux[k] = std::fmaf(pressure, normal[k - 1], flux[k]);
    }
  }
  return flux;
}

void reference_step(const Mesh& mesh, const std::vector<float>& area, std::vector<float>& state) {
  const std::size_t cells = mesh.cells;
  const std::vector<float> old = state;
  std::vector<float> factor(cells);
  for (std::size_t i = 0; i < cells; ++i) {
    const Cell c = cell_at(state, cells, i);
    factor[i] = 0.25f / (std::sqrt(area[i]) * (c.speed + c.sound));
  }
  for (std::uint32_t stage = 0; stage < kStages; ++stage) {
    const float share = 1.0f / static_cast<float>(kStages - stage);
    std::vector<float> next(state.size());
    for (std::size_t i = 0; i < cells; ++i) {
      const auto flux = flux_into(mesh, state, i);
      const float step = factor[i] * share;
      for (std::size_t k = 0; k < kQuantities; ++k)
        next[k * cells + i] = std::fmaf(step, flux[k], old[k * cells + i]);
    }
    state = std::move(next);
  }
}

Verdict run(host::Device& device, const Options& options) {
  Shape s = pick(options.size, Shape{25, 20, 1}, Shape{128, 96, 2}, Shape{360, 270, 20});
  s = {chosen(options, "width", s.width), chosen(options, "height", s.height),
       chosen(options, "steps", s.steps)};
  Random random(options.seed);
  const Mesh mesh(s, random);
  const std::size_t cells = mesh.cells;
  std::vector<float> state(kQuantities * cells), area(cells);
  for (std::size_t i = 0; i < cells; ++i) {
    area[i] = 1.0f + 0.25f * random.signed_unit();
    state[i] = 1.4f + 0.2f * random.signed_unit();
    for (std::size_t a = 1; a <= 2; ++a) state[a * cells + i] = 0.4f * random.signed_unit();
    state[4 * cells + i] = 2.5f + 0.5f * random.signed_unit();
  }
  const auto module = device.load_ptx_file(module_path("cfd", options));
  const auto neighbour_d = device.upload(mesh.neighbour, "neighbour"),
             normal_d = device.upload(mesh.normal, "normal"), area_d = device.upload(area, "area"),
             state_d = device.upload(state, "state");
  const auto bytes = state.size() * sizeof(float);
  const auto old_d = device.allocate(bytes, "old"), flux_d = device.allocate(bytes, "flux"),
             factor_d = device.allocate(cells * sizeof(float), "factor");
  const auto n = static_cast<std::int32_t>(cells);
  const host::Launch shape = cover(mesh.cells, 128);
  for (std::uint32_t step = 0; step < s.steps; ++step) {
    device.launch(module, "cfd_copy", shape, host::Args().add(state_d).add(old_d).add(n));
    device.launch(module, "cfd_step_factor", shape,
                  host::Args().add(state_d).add(area_d).add(factor_d).add(n));
    for (std::uint32_t stage = 0; stage < kStages; ++stage) {
      device.launch(module, "cfd_flux", shape,
                    host::Args().add(state_d).add(neighbour_d).add(normal_d).add(flux_d).add(n));
      device.launch(module, "cfd_time_step", shape,
                    host::Args()
                        .add(old_d)
                        .add(factor_d)
                        .add(flux_d)
                        .add(state_d)
                        .add(1.0f / static_cast<float>(kStages - stage))
                        .add(n));
    }
    reference_step(mesh, area, state);
  }
  return compare("state", device.download<float>(state_d, state.size()), state);
}

}  // namespace

Workload cfd() {
  return {
      .name = "cfd",
      .description = "Euler equations of a gas on an unstructured grid, eight short launches a step (CFD)",
      .stresses = "short kernels, loads of neighbours in irregular order, divisions and roots",
      .source = "cfd.cu",
      .racy = false,
      .parameters = {{"width", "cells of a row", 2, 4096},
                     {"height", "rows of cells", 2, 4096},
                     {"steps", "of three stages", 1, 10'000}},
      .run = run};
}

}  // namespace heddle::workloads::cfd
