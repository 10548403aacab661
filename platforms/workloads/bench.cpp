// The three kernels that Heddle's speed is quoted on. Shapes are fixed (they are in the comment of bench.cu),
// so that numbers can be compared; Options::size is ignored.
#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::bench {

namespace {

constexpr std::uint32_t kThreads = 256;

Verdict run_vecadd(host::Device& device, const Options& options) {
  constexpr std::uint32_t kN = 16'384;
  Random random(options.seed);
  const std::vector<float> a = random.floats(kN), b = random.floats(kN);
  std::vector<float> expected(kN);
  for (std::uint32_t i = 0; i < kN; ++i) expected[i] = a[i] + b[i];
  const auto module = device.load_ptx_file(module_path("bench", options));
  const auto a_d = device.upload(a, "a"), b_d = device.upload(b, "b"),
             c_d = device.allocate(kN * sizeof(float), "c");
  device.launch(module, "vecadd", cover(kN, kThreads), host::Args().add(a_d).add(b_d).add(c_d));
  return compare("c", device.download<float>(c_d, kN), expected);
}

Verdict run_sgemm(host::Device& device, const Options& options) {
  constexpr std::uint32_t kLog = 6, kN = 1u << kLog, kCount = kN * kN;
  Random random(options.seed);
  // Multiples of 1/64 in [-1, 1): every product and sum is exact in f32, so fusing them affects only the
  // instruction count, never the result.
  const auto coarse = [&] {
    std::vector<float> values(kCount);
    for (float& v : values) v = (static_cast<float>(random.below(128)) - 64.0f) / 64.0f;
    return values;
  };
  const std::vector<float> a = coarse(), b = coarse();
  std::vector<float> expected(kCount, 0.0f);
  for (std::uint32_t row = 0; row < kN; ++row)
    for (std::uint32_t col = 0; col < kN; ++col)
      for (std::uint32_t k = 0; k < kN; ++k) expected[row * kN + col] += a[row * kN + k] * b[k * kN + col];
  const auto module = device.load_ptx_file(module_path("bench", options));
  const auto a_d = device.upload(a, "a"), b_d = device.upload(b, "b");
  const auto c_d = device.allocate(kCount * sizeof(float), "c");
  device.launch(module, "sgemm", cover(kCount, kThreads),
                host::Args().add(a_d).add(b_d).add(c_d).add(kN).add(kLog));
  return compare("c", device.download<float>(c_d, kCount), expected);
}

Verdict run_diverge(host::Device& device, const Options& options) {
  constexpr std::uint32_t kN = 4'096, kSteps = 64;
  std::vector<std::uint32_t> a(kN), expected(kN);
  for (std::uint32_t i = 0; i < kN; ++i) {
    // Fixed by the benchmark, independent of the seed.
    std::uint32_t x = a[i] = i * 2654435761u + 12345u;
    for (std::uint32_t step = 0; step < kSteps; ++step) x = (x & 1) != 0 ? x * 3 + 1 : (x >> 1) + 7;
    expected[i] = x;
  }
  const auto module = device.load_ptx_file(module_path("bench", options));
  const auto a_d = device.upload(a, "a"), c_d = device.allocate(kN * sizeof(std::uint32_t), "c");
  device.launch(module, "diverge", cover(kN, kThreads), host::Args().add(a_d).add(c_d).add(kSteps));
  return compare("c", device.download<std::uint32_t>(c_d, kN), expected);
}

}  // namespace

Workload bench_vecadd() {
  return {.name = "bench-vecadd",
          .description = "speed benchmark: c = a + b, 16384 elements",
          .stresses = "the memory path: few instructions per access",
          .source = "bench.cu",
          .racy = false,
          .needs_simt_progress = false,
          .run = run_vecadd};
}

Workload bench_sgemm() {
  return {.name = "bench-sgemm",
          .description = "speed benchmark: c = a * b, 64 x 64, from global memory",
          .stresses = "issue rate and L1 hits: a loop of ten instructions with two loads",
          .source = "bench.cu",
          .racy = false,
          .needs_simt_progress = false,
          .run = run_sgemm};
}

Workload bench_diverge() {
  return {.name = "bench-diverge",
          .description = "speed benchmark: 64 data-dependent two-way branches per thread",
          .stresses = "divergence and reconvergence: a split in nearly every iteration",
          .source = "bench.cu",
          .racy = false,
          .needs_simt_progress = false,
          .run = run_diverge};
}

}  // namespace heddle::workloads::bench
