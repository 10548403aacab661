#include <fmt/format.h>

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
  float error = 0.0f;      ///< of the payoff, from those of the approximate functions
  bool undecided = false;  ///< it came so near to the barrier that they decide whether it ends there
};

/// How much a step's factor is off at most, of its value: `radius` is the root of -2 ln u, `cosine` what it is multiplied with.
float error_of_step(float volatility, float u, float radius, float cosine, float exponent) {
  const float log = std::fabs(static_cast<float>(std::log2(double{u})));
  const float square = 1.3862944f * approximate::kLog2 * (u > 0.5f ? 1.0f : log);  // of the radius' square
  // A root of a small number is off by the root of its error at most.
  const float of_radius =
      std::min(std::sqrt(square), square / std::max(radius, 1e-20f)) + radius * approximate::kRounding;
  const float of_normal =
      std::fabs(cosine) * of_radius + radius * (approximate::kCos + approximate::kRounding);
  const float of_exponent = volatility * of_normal + std::fabs(exponent) * approximate::kRounding;
  return 0.6931472f * of_exponent + approximate::kExp2 + approximate::kRounding;
}

std::uint32_t next(std::uint32_t& state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

Path follow(const Option& option, std::uint32_t& state, std::uint32_t steps) {
  const float ulp = 5.9604645e-08f;  // 2^-24
  float stock = option.start, error = 0.0f;
  bool undecided = false;
  for (std::uint32_t step = 0; step < steps; ++step) {
    const float u = static_cast<float>((next(state) >> 8) + 1) * ulp;
    const float v = static_cast<float>(next(state) >> 8) * ulp;
    const float radius = std::sqrt(-1.3862944f * static_cast<float>(std::log2(double{u})));
    const auto cosine = static_cast<float>(std::cos(double{6.2831855f * v}));
    const float exponent = std::fmaf(option.volatility, radius * cosine, option.drift);
    stock *= static_cast<float>(std::exp2(double{exponent}));
    error += error_of_step(option.volatility, u, radius, cosine, exponent);
    undecided = undecided || std::fabs(stock - option.barrier) <= stock * error;
    if (stock >= option.barrier) return {.steps = step, .undecided = undecided};
  }
  return {.payoff = std::max(stock - option.strike, 0.0f),
          .steps = steps,
          .error = stock * error,
          .undecided = undecided};
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

  std::vector<float> payoff(s.ctas), tolerance(s.ctas), sum(s.threads);
  std::vector<std::uint32_t> steps(seed.size(), 0);
  std::vector<float> payoffs = device.download<float>(payoff_d, s.ctas);
  const auto steps_done = device.download<std::uint32_t>(steps_d, seed.size());
  std::size_t apart =
      0;  // CTAs with a thread that ended a path elsewhere, as it may: its later random numbers are others
  for (std::size_t cta = 0; cta < s.ctas; ++cta) {
    bool is_apart = false;
    for (std::size_t t = 0; t < s.threads; ++t) {
      const std::size_t thread = cta * s.threads + t;
      std::uint32_t state = seed[thread];
      sum[t] = 0.0f;
      bool undecided = false;
      for (std::uint32_t path = 0; path < s.paths; ++path) {
        const Path one = follow(option[0], state, s.steps);
        sum[t] += one.payoff;
        steps[thread] += one.steps;
        tolerance[cta] += one.error;
        undecided = undecided || one.undecided;
      }
      if (undecided && steps_done[thread] != steps[thread]) {
        steps[thread] = steps_done[thread];
        is_apart = true;
      }
    }
    for (std::size_t half = s.threads / 2; half > 0; half /= 2)
      for (std::size_t t = 0; t < half; ++t) sum[t] += sum[t + half];
    payoff[cta] = sum[0];
    tolerance[cta] =
        2.0f * (tolerance[cta] + sum[0] * static_cast<float>(s.paths + 8) * approximate::kRounding);
    if (is_apart) payoffs[cta] = payoff[cta], ++apart;
  }
  if (8 * apart > s.ctas)
    return {false, fmt::format("{} of {} CTAs have paths that end elsewhere", apart, s.ctas)};
  return combine({compare_near("payoff", payoffs, payoff, tolerance), compare("steps", steps_done, steps)});
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
