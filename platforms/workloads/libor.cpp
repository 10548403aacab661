#include <algorithm>
#include <cmath>

#include "workloads/parameters.h"
#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::libor {

namespace {

struct Shape {
  std::uint32_t ctas, threads, rates, steps;
};

struct Model {
  std::vector<float> volatility;
  std::vector<float> strikes;
};

/// `off`: by how much of its value each exponential is off.
float value_of(const Shape& s, const Model& model, const std::vector<float>& normals, std::size_t path,
               float off = 0.0f) {
  const std::size_t paths = std::size_t{s.ctas} * s.threads;
  std::vector<float> rate(s.rates, 0.051f);
  for (std::uint32_t n = 0; n < s.steps; ++n) {
    const float kick = 0.5f * normals[n * paths + path];
    float drift = 0.0f;
    for (std::uint32_t i = n + 1; i < s.rates; ++i) {
      const float sigma = model.volatility[i - n - 1];
      const float step = 0.25f * sigma;
      drift = drift + (step * rate[i]) / std::fmaf(0.25f, rate[i], 1.0f);
      const float move = std::fmaf(step, drift, sigma * std::fmaf(-0.5f, step, kick));
      rate[i] = rate[i] * static_cast<float>(std::exp2(double{1.4426950f * move}) * (1.0 + double{off}));
    }
  }
  float bond = 1.0f, annuity = 0.0f, total = 0.0f;
  std::size_t next = 0;
  for (std::uint32_t i = s.steps; i < s.rates; ++i) {
    bond = bond / std::fmaf(0.25f, rate[i], 1.0f);
    annuity = std::fmaf(0.25f, bond, annuity);
    if (next >= model.strikes.size() || i - s.steps != 2 * next + 1) continue;
    const float swap = std::fmaf(model.strikes[next], annuity, bond) - 1.0f;
    if (swap < 0.0f) total = std::fmaf(-100.0f, swap, total);
    ++next;
  }
  return total;
}

Verdict run(host::Device& device, const Options& options) {
  // Paper: 80 rates and 40 steps on 64 CTAs of 64 threads; here at most 40 rates.
  Shape s = pick(options.size, Shape{2, 64, 10, 4}, Shape{64, 64, 20, 8}, Shape{64, 64, 40, 30});
  s = {chosen(options, "ctas", s.ctas), chosen(options, "threads", s.threads),
       chosen(options, "rates", s.rates), chosen(options, "steps", s.steps)};
  s.steps = std::min(s.steps, s.rates - 1);
  Random random(options.seed);
  Model model;
  for (std::uint32_t i = 0; i < s.rates; ++i) model.volatility.push_back(0.2f + 0.1f * random.signed_unit());
  for (std::uint32_t i = 0; i < (s.rates - s.steps) / 2; ++i)
    model.strikes.push_back(0.045f + 0.001f * static_cast<float>(i));
  const std::uint32_t paths = s.ctas * s.threads;
  const std::vector<float> normals = random.floats(std::size_t{s.steps} * paths);
  // A portfolio is worth the less the higher its rates are: all exponentials up, or all down, are the worst cases. Twice that:
  // the sums' terms of about 1 round another way, each by 100 times a unit in its last place.
  std::vector<float> expected(paths), tolerance(paths);
  for (std::size_t path = 0; path < paths; ++path) {
    expected[path] = value_of(s, model, normals, path);
    const float up = value_of(s, model, normals, path, approximate::kExp2),
                down = value_of(s, model, normals, path, -approximate::kExp2);
    tolerance[path] = 2.0f * std::max(std::fabs(up - expected[path]), std::fabs(down - expected[path])) +
                      100.0f * approximate::kRounding * static_cast<float>(2 * s.rates);
  }

  const auto module = device.load_ptx_file(module_path("libor", options));
  const auto volatility_d = device.upload(model.volatility, "volatility"),
             normals_d = device.upload(normals, "normals"),
             strikes_d = device.upload(model.strikes, "strikes");
  const auto value_d = device.allocate(paths * sizeof(float), "value");
  device.launch(module, "libor_paths", grid(s.ctas, s.threads),
                host::Args()
                    .add(volatility_d)
                    .add(normals_d)
                    .add(strikes_d)
                    .add(s.rates)
                    .add(s.steps)
                    .add(static_cast<std::uint32_t>(model.strikes.size()))
                    .add(value_d)
                    .add(paths));
  return compare_near("value", device.download<float>(value_d, paths), expected, tolerance);
}

}  // namespace

Workload libor() {
  return {.name = "libor",
          .description = "swaptions in the LIBOR market model by Monte-Carlo (LIB)",
          .stresses = "indexed local memory, exponentials and divisions in long loops without divergence",
          .source = "libor.cu",
          .racy = false,
          .parameters = {{"ctas", "of the grid", 1, 1u << 16},
                         {"threads", "of a CTA", 1, 1024},
                         {"rates", "forward rates", 4, 40},
                         {"steps", "of a path, less than the rates", 1, 39}},
          .run = run};
}

}  // namespace heddle::workloads::libor
