#include <cmath>

#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::gaussian {

namespace {

Verdict run(host::Device& device, const Options& options) {
  const std::uint32_t n = pick(options.size, 20u, 64u, 512u);
  Random random(options.seed);
  std::vector<float> a = random.floats(std::size_t{n} * n), b = random.floats(n);
  for (std::size_t i = 0; i < n; ++i) a[i * n + i] += static_cast<float>(n);  // no pivoting needed

  const auto module = device.load_ptx_file(module_path("gaussian", options));
  const auto a_d = device.upload(a, "a"), b_d = device.upload(b, "b");
  const auto factor_d = device.allocate(n * sizeof(float), "factor");
  for (std::uint32_t column = 0; column + 1 < n; ++column) {
    const std::uint32_t rows = n - column - 1;
    device.launch(module, "gauss_factors", cover(rows, 128),
                  host::Args().add(a_d).add(factor_d).add(n).add(column));
    device.launch(module, "gauss_rows", cover(rows + 1, rows, 16, 8),
                  host::Args().add(a_d).add(b_d).add(factor_d).add(n).add(column));
  }

  for (std::size_t column = 0; column + 1 < n; ++column)
    for (std::size_t row = column + 1; row < n; ++row) {
      const float factor = a[row * n + column] / a[column * n + column];
      for (std::size_t col = column; col < n; ++col)
        a[row * n + col] = std::fmaf(-factor, a[column * n + col], a[row * n + col]);
      b[row] = std::fmaf(-factor, b[column], b[row]);
    }
  return combine({compare("a", device.download<float>(a_d, a.size()), a),
                  compare("b", device.download<float>(b_d, n), b)});
}

}  // namespace

Workload gaussian() {
  return {.name = "gaussian",
          .description = "Gaussian elimination, two launches a column",
          .stresses = "many short launches, column accesses that do not coalesce, a shrinking problem",
          .source = "gaussian.cu",
          .run = run};
}

}  // namespace heddle::workloads::gaussian
