#include <array>
#include <cmath>

#include "workloads/parameters.h"
#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::coulomb {

namespace {

constexpr std::uint32_t kBlockX = 16, kBlockY = 8, kPointsPerThread = 4;
constexpr float kSpacing = 0.125f;

struct Shape {
  std::uint32_t ctas_x, ctas_y, atoms;
};

struct Atom {  // CoulombAtom in coulomb.cu
  float x, y, z2, charge;
};
static_assert(sizeof(Atom) == 16);

/// The function's value, rounded once, as the special-function unit has it.
float inverse_root(float a) { return static_cast<float>(1.0 / std::sqrt(double{a})); }

struct Reference {
  std::vector<float> potential, tolerance;
};

/// Column by column of a thread: points a CTA's width apart, each from the one before.
Reference reference(const Shape& s, const std::vector<Atom>& atoms) {
  const std::uint32_t width = s.ctas_x * kBlockX * kPointsPerThread, height = s.ctas_y * kBlockY;
  const float step = static_cast<float>(kBlockX) * kSpacing;
  // Each term is off by its root's error, each sum so far by its rounding.
  const float error = approximate::kRsqrt + static_cast<float>(atoms.size()) * approximate::kRounding;
  Reference all{.potential = std::vector<float>(std::size_t{width} * height), .tolerance = {}};
  all.tolerance.resize(all.potential.size());
  for (std::uint32_t row = 0; row < height; ++row)
    for (std::uint32_t cta = 0; cta < s.ctas_x; ++cta)
      for (std::uint32_t lane = 0; lane < kBlockX; ++lane) {
        const std::uint32_t column = cta * kBlockX * kPointsPerThread + lane;
        std::array<float, kPointsPerThread> sum{}, magnitude{};
        for (const Atom& atom : atoms) {
          const float dy = static_cast<float>(row) * kSpacing - atom.y;
          const float across = std::fmaf(dy, dy, atom.z2);
          float dx = static_cast<float>(column) * kSpacing - atom.x;
          for (std::uint32_t p = 0; p < kPointsPerThread; ++p) {
            const float root = inverse_root(std::fmaf(dx, dx, across));
            sum[p] = std::fmaf(atom.charge, root, sum[p]);
            magnitude[p] += std::fabs(atom.charge) * root;
            dx += step;
          }
        }
        for (std::uint32_t p = 0; p < kPointsPerThread; ++p) {
          const std::size_t at = std::size_t{row} * width + column + std::size_t{p} * kBlockX;
          all.potential[at] = sum[p];
          all.tolerance[at] = 2.0f * error * magnitude[p];  // twice: rounding up and down
        }
      }
  return all;
}

Verdict run(host::Device& device, const Options& options) {
  Shape s = pick(options.size, Shape{1, 3, 40}, Shape{8, 32, 60}, Shape{8, 32, 1024});
  s = {chosen(options, "ctas_x", s.ctas_x), chosen(options, "ctas_y", s.ctas_y),
       chosen(options, "atoms", s.atoms)};
  Random random(options.seed);
  const std::uint32_t width = s.ctas_x * kBlockX * kPointsPerThread;
  const float across = static_cast<float>(width) * kSpacing,
              down = static_cast<float>(s.ctas_y * kBlockY) * kSpacing;
  std::vector<Atom> atoms(s.atoms);
  for (Atom& atom : atoms) {
    const float z = 1.0f + 0.5f * random.signed_unit();
    atom = {across * (0.5f + 0.5f * random.signed_unit()), down * (0.5f + 0.5f * random.signed_unit()), z * z,
            random.signed_unit()};
  }
  const auto module = device.load_ptx_file(module_path("coulomb", options));
  device.write(device.symbol(module, "coulomb_atoms"), std::as_bytes(std::span(atoms)));
  const Reference expected = reference(s, atoms);
  const std::size_t points = expected.potential.size();
  const auto potential_d = device.allocate(points * sizeof(float), "potential");
  device.launch(module, "coulomb_potential",
                {.grid = {s.ctas_x, s.ctas_y, 1}, .block = {kBlockX, kBlockY, 1}, .dynamic_shared_bytes = 0},
                host::Args().add(s.atoms).add(kSpacing).add(potential_d).add(width));
  return compare_near("potential", device.download<float>(potential_d, points), expected.potential,
                      expected.tolerance);
}

}  // namespace

Workload coulomb() {
  return {.name = "coulomb",
          .description = "potential of charged atoms on a plane, direct summation (CP)",
          .stresses = "constant memory, reciprocal roots, long loops without memory or divergence",
          .source = "coulomb.cu",
          .racy = false,
          .parameters = {{"ctas_x", "of a row of the grid", 1, 1024},
                         {"ctas_y", "rows of CTAs", 1, 1024},
                         {"atoms", "in constant memory", 1, 1024}},
          .run = run};
}

}  // namespace heddle::workloads::coulomb
