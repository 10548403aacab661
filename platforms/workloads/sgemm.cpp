#include <array>
#include <cmath>

#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::sgemm {

namespace {

constexpr std::uint32_t kTile = 16;  // kTile in sgemm.cu

struct Problem {
  std::uint32_t m, n, k;
};

/// The kernel's roundings in the kernel's order: fused multiply-adds over k from 0, then alpha and beta. (The
/// zeros that pad the last tile change nothing: fma(0, 0, s) == s for all s that occur, which are never -0.)
std::vector<float> reference(const Problem& p, const std::vector<float>& a, const std::vector<float>& b,
                             std::vector<float> c, float alpha, float beta) {
  for (std::uint32_t row = 0; row < p.m; ++row) {
    std::vector<float> sums(p.n, 0.0f);
    for (std::uint32_t i = 0; i < p.k; ++i)
      for (std::uint32_t col = 0; col < p.n; ++col)
        sums[col] = std::fmaf(a[row * p.k + i], b[i * p.n + col], sums[col]);
    for (std::uint32_t col = 0; col < p.n; ++col) {
      float& out = c[row * p.n + col];
      out = std::fmaf(beta, out, alpha * sums[col]);
    }
  }
  return c;
}

Verdict run(host::Device& device, const Options& options) {
  // Tiny and small have partly filled tiles on all sides.
  const Problem p = pick(options.size, Problem{40, 33, 24}, Problem{120, 125, 100}, Problem{512, 512, 512});
  Random random(options.seed);
  const std::vector<float> a = random.floats(std::size_t{p.m} * p.k),
                           b = random.floats(std::size_t{p.k} * p.n),
                           c = random.floats(std::size_t{p.m} * p.n);
  const std::array<float, 2> scale{0.75f, -1.5f};  // alpha, beta

  const auto module = device.load_ptx_file(module_path("sgemm", options));
  device.write(device.symbol(module, "sgemm_scale"), std::as_bytes(std::span(scale)));
  const auto a_d = device.upload(a, "a"), b_d = device.upload(b, "b"), c_d = device.upload(c, "c");
  const host::Launch shape{.grid = {(p.n + kTile - 1) / kTile, (p.m + kTile - 1) / kTile, 1},
                           .block = {kTile, kTile, 1},
                           .dynamic_shared_bytes = 0};
  device.launch(module, "sgemm_tiled", shape,
                host::Args().add(a_d).add(b_d).add(c_d).add(p.m).add(p.n).add(p.k));
  return compare("c", device.download<float>(c_d, c.size()), reference(p, a, b, c, scale[0], scale[1]));
}

}  // namespace

Workload sgemm() {
  return {
      .name = "sgemm",
      .description = "C = alpha A B + beta C in single precision, tiled in shared memory",
      .stresses =
          "shared memory, barriers, constant memory, two-dimensional grids and blocks, fused multiply-adds",
      .source = "sgemm.cu",
      .racy = false,
      .needs_simt_progress = false,
      .run = run};
}

}  // namespace heddle::workloads::sgemm
