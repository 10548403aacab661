#include <cmath>

#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::lud {

namespace {

constexpr std::uint32_t kTile = 16;  // kLudTile in lud.cu

Verdict run(host::Device& device, const Options& options) {
  const std::uint32_t n = pick(options.size, 48u, 128u, 512u);  // a multiple of kTile
  Random random(options.seed);
  std::vector<float> a = random.floats(std::size_t{n} * n);
  for (std::size_t i = 0; i < n; ++i) a[i * n + i] += static_cast<float>(n);  // no pivoting needed

  const auto module = device.load_ptx_file(module_path("lud", options));
  const auto a_d = device.upload(a, "a");
  for (std::uint32_t at = 0; at < n; at += kTile) {
    const host::Args args = host::Args().add(a_d).add(n).add(at);
    const std::uint32_t rest = (n - at) / kTile - 1;
    device.launch(module, "lud_diagonal", grid(1, kTile), args);
    if (rest == 0) break;
    device.launch(module, "lud_perimeter", grid(rest, 2 * kTile), args);
    device.launch(module, "lud_internal", cover(rest * kTile, rest * kTile, kTile, kTile), args);
  }

  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = k + 1; i < n; ++i) {
      a[i * n + k] = a[i * n + k] / a[k * n + k];
      for (std::size_t j = k + 1; j < n; ++j)
        a[i * n + j] = std::fmaf(-a[i * n + k], a[k * n + j], a[i * n + j]);
    }
  return compare("a", device.download<float>(a_d, a.size()), a);
}

}  // namespace

Workload lud() {
  return {.name = "lud",
          .description = "LU decomposition by blocks, three launches a block of the diagonal",
          .stresses = "half-warp divergence, launches of very different size, few threads, bank conflicts",
          .source = "lud.cu",
          .run = run};
}

}  // namespace heddle::workloads::lud
