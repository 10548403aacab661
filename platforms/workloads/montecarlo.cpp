#include <algorithm>
#include <array>
#include <cmath>

#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::montecarlo {

namespace {

struct Shape {
  std::uint32_t ctas, threads, paths, steps;  // threads: a power of two, at most 256
};

struct Option {  // McOption in montecarlo.cu
  float start, strike, barrier, drift, volatility;
};

struct Path {
  float payoff = 0.0f;
  std::uint32_t steps = 0;
};

std::uint32_t next(std::uint32_t& state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

Path follow(const Option& option, std::uint32_t& state, std::uint32_t steps) {
  const float ulp = 5.9604645e-08f;  // 2^-24
  float stock = option.start;
  for (std::uint32_t step = 0; step < steps; ++step) {
    const float u = static_cast<float>((next(state) >> 8) + 1) * ulp;
    const float v = static_cast<float>(next(state) >> 8) * ulp;
    const float radius = std::sqrt(-1.3862944f * static_cast<float>(std::log2(double{u})));
    const float normal = radius * static_cast<float>(std::cos(double{6.2831855f * v}));
    stock *= static_cast<float>(std::exp2(double{std::fmaf(option.volatility, normal, option.drift)}));
    if (stock >= option.barrier) return {0.0f, step};
  }
  return {std::max(stock - option.strike, 0.0f), steps};
}

Verdict run(host::Device& device, const Options& options) {
  const Shape s = pick(options.size, Shape{2, 64, 2, 8}, Shape{30, 128, 4, 16}, Shape{240, 256, 16, 32});
  const std::array<Option, 1> option{{{100.0f, 100.0f, 130.0f, 0.002f, 0.12f}}};
  Random random(options.seed);
  std::vector<std::uint32_t> seed(std::size_t{s.ctas} * s.threads);
  for (std::uint32_t& one : seed) one = 1 + random.below(0xffff'fffe);

  const auto module = device.load_ptx_file(module_path("montecarlo", options));
  device.write(device.symbol(module, "mc_option"), std::as_bytes(std::span(option)));
  const auto seed_d = device.upload(seed, "seed");
  const auto payoff_d = device.allocate(s.ctas * sizeof(float), "payoff");
  const auto steps_d = device.allocate(seed.size() * sizeof(std::uint32_t), "steps_done");
  device.launch(module, "mc_paths", grid(s.ctas, s.threads),
                host::Args().add(seed_d).add(s.paths).add(s.steps).add(payoff_d).add(steps_d));

  std::vector<float> payoff(s.ctas), sum(s.threads);
  std::vector<std::uint32_t> steps(seed.size(), 0);
  for (std::size_t cta = 0; cta < s.ctas; ++cta) {
    for (std::size_t t = 0; t < s.threads; ++t) {
      std::uint32_t state = seed[cta * s.threads + t];
      sum[t] = 0.0f;
      for (std::uint32_t path = 0; path < s.paths; ++path) {
        const Path one = follow(option[0], state, s.steps);
        sum[t] += one.payoff;
        steps[cta * s.threads + t] += one.steps;
      }
    }
    for (std::size_t half = s.threads / 2; half > 0; half /= 2)
      for (std::size_t t = 0; t < half; ++t) sum[t] += sum[t + half];
    payoff[cta] = sum[0];
  }
  return combine({compare("payoff", device.download<float>(payoff_d, s.ctas), payoff),
                  compare("steps", device.download<std::uint32_t>(steps_d, seed.size()), steps)});
}

}  // namespace

Workload montecarlo() {
  return {.name = "montecarlo",
          .description = "price of a barrier option by Monte-Carlo",
          .stresses = "the special-function unit: logarithm, cosine, exponential, root; paths that end early",
          .source = "montecarlo.cu",
          .run = run};
}

}  // namespace heddle::workloads::montecarlo
