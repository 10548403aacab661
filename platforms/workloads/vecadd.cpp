#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::vecadd {

namespace {

Verdict run(host::Device& device, const Options& options) {
  // Not a multiple of the block, so that the bounds check matters; a multiple of 4 for vector_add4.
  const std::uint32_t n = pick(options.size, 1'000u, 60'004u, 4'000'012u);
  Random random(options.seed);
  const std::vector<float> a = random.floats(n), b = random.floats(n);
  std::vector<float> expected(n);
  for (std::uint32_t i = 0; i < n; ++i) expected[i] = a[i] + b[i];

  const auto module = device.load_ptx_file(module_path("vecadd", options));
  const auto a_d = device.upload(a, "a"), b_d = device.upload(b, "b");
  const auto c_d = device.allocate(n * sizeof(float), "c"), c4_d = device.allocate(n * sizeof(float), "c4");
  device.launch(module, "vector_add", cover(n, 256), host::Args().add(a_d).add(b_d).add(c_d).add(n));
  device.launch(module, "vector_add4", cover(n / 4, 256), host::Args().add(a_d).add(b_d).add(c4_d).add(n));
  return combine({compare("c", device.download<float>(c_d, n), expected),
                  compare("c4", device.download<float>(c4_d, n), expected)});
}

}  // namespace

Workload vecadd() {
  return {.name = "vecadd",
          .description = "c = a + b, once element by element and once four elements a thread",
          .stresses = "streaming loads and stores, coalescing of 32- and 128-bit accesses, DRAM bandwidth",
          .source = "vecadd.cu",
          .racy = false,
          .needs_simt_progress = false,
          .run = run};
}

}  // namespace heddle::workloads::vecadd
