#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::lps {

namespace {

struct Shape {
  std::uint32_t nx, ny, nz, steps;
};

std::vector<float> step(const Shape& s, const std::vector<float>& from) {
  std::vector<float> to = from;
  const std::size_t row = s.nx, slice = std::size_t{s.nx} * s.ny;
  for (std::size_t z = 1; z + 1 < s.nz; ++z)
    for (std::size_t y = 1; y + 1 < s.ny; ++y)
      for (std::size_t x = 1; x + 1 < s.nx; ++x) {
        const std::size_t i = z * slice + y * row + x;
        float sum = from[i - 1] + from[i + 1];
        sum += from[i - row];
        sum += from[i + row];
        sum += from[i - slice];
        sum += from[i + slice];
        to[i] = sum * 0.16666667f;
      }
  return to;
}

Verdict run(host::Device& device, const Options& options) {
  // Paper: LPS of the ISPASS 2009 set, 100^3.
  const Shape s = pick(options.size, Shape{39, 10, 7, 2}, Shape{100, 60, 20, 2}, Shape{100, 100, 100, 10});
  Random random(options.seed);
  std::vector<float> potential = random.floats(std::size_t{s.nx} * s.ny * s.nz);
  const auto module = device.load_ptx_file(module_path("lps", options));
  auto from_d = device.upload(potential, "potential");
  auto to_d = device.allocate(potential.size() * sizeof(float), "potential_next");
  for (std::uint32_t i = 0; i < s.steps; ++i) {
    device.launch(module, "lps_step", cover(s.nx, s.ny, 32, 4),
                  host::Args().add(from_d).add(to_d).add(s.nx).add(s.ny).add(s.nz));
    std::swap(from_d, to_d);
    potential = step(s, potential);
  }
  return compare("potential", device.download<float>(from_d, potential.size()), potential);
}

}  // namespace

Workload lps() {
  return {
      .name = "lps",
      .description = "Laplace's equation in three dimensions: a 3-D stencil, plane by plane",
      .stresses = "registers and shared memory as a moving window, divergent rims, long loops with barriers",
      .source = "lps.cu",
      .run = run};
}

}  // namespace heddle::workloads::lps
