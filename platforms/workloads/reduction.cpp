#include <algorithm>

#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::reduction {

namespace {

struct Shape {
  std::uint32_t n, ctas, threads;  // threads: a power of two
};

/// reduce_sum on the CPU, with its additions in the same order.
std::vector<float> reference(const std::vector<float>& in, std::uint32_t ctas, std::uint32_t threads) {
  std::vector<float> out(ctas);
  for (std::uint32_t cta = 0; cta < ctas; ++cta) {
    std::vector<float> partial(threads, 0.0f);
    for (std::uint32_t t = 0; t < threads; ++t)
      for (std::size_t i = std::size_t{cta} * threads + t; i < in.size(); i += std::size_t{ctas} * threads)
        partial[t] += in[i];
    for (std::uint32_t half = threads / 2; half > 0; half /= 2)
      for (std::uint32_t t = 0; t < half; ++t) partial[t] += partial[t + half];
    out[cta] = partial[0];
  }
  return out;
}

Verdict run(host::Device& device, const Options& options) {
  const Shape s =
      pick(options.size, Shape{4'001, 6, 128}, Shape{262'157, 60, 256}, Shape{4'194'319, 240, 256});
  Random random(options.seed);
  std::vector<float> in = random.floats(s.n);
  // Values of different magnitude, so that another order of additions would change the bits.
  for (float& v : in) v = v / 3.0f + static_cast<float>(random.below(64));

  const auto module = device.load_ptx_file(module_path("reduction", options));
  const auto in_d = device.upload(in, "in");
  const auto partial_d = device.allocate(s.ctas * sizeof(float), "partial");
  const auto sum_d = device.allocate(sizeof(float), "sum");
  const auto shape = [&](std::uint32_t ctas) {
    return host::Launch{.grid = {ctas, 1, 1},
                        .block = {s.threads, 1, 1},
                        .dynamic_shared_bytes = static_cast<std::uint32_t>(s.threads * sizeof(float))};
  };
  device.launch(module, "reduce_sum", shape(s.ctas), host::Args().add(in_d).add(partial_d).add(s.n));
  device.launch(module, "reduce_sum", shape(1), host::Args().add(partial_d).add(sum_d).add(s.ctas));
  const std::vector<float> partial = reference(in, s.ctas, s.threads);
  return combine({compare("partial", device.download<float>(partial_d, s.ctas), partial),
                  compare("sum", device.download<float>(sum_d, 1), reference(partial, 1, s.threads))});
}

}  // namespace

Workload reduction() {
  return {
      .name = "reduction",
      .description =
          "sum of floats: strided loads, a tree in shared memory, a second launch over the CTAs' sums",
      .stresses =
          "dynamic shared memory, many barriers, lanes and warps that drop out of a tree, a tail of one CTA",
      .source = "reduction.cu",
      .racy = false,
      .needs_simt_progress = false,
      .run = run};
}

}  // namespace heddle::workloads::reduction
