#include <cmath>

#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::nonbonded {
namespace {

constexpr std::uint32_t kAtoms = 64;
constexpr float kCutoff2 = 1.2f, kSwitch2 = 0.9f;

struct Shape {
  std::uint32_t side, pairs;  ///< patches along each edge of the box; CTAs
};

struct Atom {
  float x, y, z, charge;
};
struct Force {
  float x, y, z, energy;
};

Force force_on(const Atom& own, const Atom* other, std::uint32_t low, std::uint32_t high) {
  Force sum{0.0f, 0.0f, 0.0f, 0.0f};
  for (std::uint32_t j = 0; j < kAtoms; ++j) {
    const float dx = own.x - other[j].x, dy = own.y - other[j].y, dz = own.z - other[j].z;
    const float r2 = std::fma(dx, dx, std::fma(dy, dy, dz * dz));
    if (!(r2 < kCutoff2)) continue;
    if ((((j < 32 ? low : high) >> (j & 31)) & 1u) != 0) continue;
    const float inverse = 1.0f / (r2 + 0.01f);
    const float six = inverse * inverse * inverse;
    float strength = six * std::fma(2.0f, six, -1.0f);
    if (r2 > kSwitch2) {
      const float fade = (kCutoff2 - r2) / (kCutoff2 - kSwitch2);
      strength = strength * (fade * std::fma(-2.0f, fade, 3.0f));
    }
    const float force = std::fma(own.charge * other[j].charge, inverse, strength);
    sum.energy += force;
    sum.x = std::fma(force, dx, sum.x);
    sum.y = std::fma(force, dy, sum.y);
    sum.z = std::fma(force, dz, sum.z);
  }
  return sum;
}

Verdict run(host::Device& device, const Options& options) {
  const Shape s = pick(options.size, Shape{2, 12}, Shape{3, 180}, Shape{8, 4096});
  Random random(options.seed);
  const std::uint32_t patches = s.side * s.side * s.side;
  std::vector<Atom> atoms;
  for (std::uint32_t p = 0; p < patches; ++p)
    for (std::uint32_t a = 0; a < kAtoms; ++a)
      atoms.push_back({static_cast<float>(p % s.side) + 0.5f * (1.0f + random.signed_unit()),
                       static_cast<float>(p / s.side % s.side) + 0.5f * (1.0f + random.signed_unit()),
                       static_cast<float>(p / s.side / s.side) + 0.5f * (1.0f + random.signed_unit()),
                       0.5f * random.signed_unit()});
  std::vector<std::int32_t> pairs;
  for (std::uint32_t i = 0; i < s.pairs; ++i) {
    // A patch and one of its neighbours, or itself.
    const std::uint32_t p = random.below(patches);
    const auto near = [&](std::uint32_t at) {
      const std::uint32_t to = at + random.below(3);  // -1, 0, +1, and 1 more
      return to == 0 ? 0u : std::min(to - 1, s.side - 1);
    };
    const std::uint32_t q =
        near(p % s.side) + s.side * (near(p / s.side % s.side) + s.side * near(p / s.side / s.side));
    pairs.push_back(static_cast<std::int32_t>(p));
    pairs.push_back(static_cast<std::int32_t>(q));
  }
  std::vector<std::uint32_t> excluded(2 * kAtoms, 0);
  for (std::uint32_t a = 0; a < kAtoms; ++a)
    for (std::uint32_t b = a < 2 ? 0 : a - 2; b < std::min(a + 3, kAtoms); ++b)
      excluded[2 * a + b / 32] |= 1u << b % 32;
  std::vector<float> expected;
  for (std::uint32_t i = 0; i < s.pairs; ++i)
    for (std::uint32_t a = 0; a < kAtoms; ++a) {
      const Force f = force_on(atoms[static_cast<std::size_t>(pairs[2 * i]) * kAtoms + a],
                               &atoms[static_cast<std::size_t>(pairs[2 * i + 1]) * kAtoms], excluded[2 * a],
                               excluded[2 * a + 1]);
      expected.insert(expected.end(), {f.x, f.y, f.z, f.energy});
    }

  const auto module = device.load_ptx_file(module_path("nonbonded", options));
  const auto atoms_d = device.upload(atoms, "atoms");
  const auto pairs_d = device.upload(pairs, "pairs"), excluded_d = device.upload(excluded, "excluded");
  const auto forces_d = device.allocate(expected.size() * sizeof(float), "forces");
  device.launch(
      module, "nonbonded_forces", host::Launch{{s.pairs, 1, 1}, {kAtoms, 1, 1}},
      host::Args().add(atoms_d).add(pairs_d).add(excluded_d).add(kCutoff2).add(kSwitch2).add(forces_d));
  return compare("forces", device.download<float>(forces_d, expected.size()), expected);
}

}  // namespace

Workload nonbonded() {
  return {.name = "nonbonded",
          .description = "forces between atoms of neighbouring patches of space, within a cut-off",
          .stresses =
              "a branch in a long loop that a part of the lanes takes, a different one each time; divisions, "
              "shared "
              "memory read by all lanes alike",
          .source = "nonbonded.cu",
          .run = run};
}

}  // namespace heddle::workloads::nonbonded
