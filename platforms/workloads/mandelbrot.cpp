#include <cmath>

#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::mandelbrot {

namespace {

struct Shape {
  std::uint32_t width, height, limit;
};

Verdict run(host::Device& device, const Options& options) {
  const Shape s = pick(options.size, Shape{50, 36, 60}, Shape{256, 192, 200}, Shape{1'024, 768, 1'000});
  // A window on the border of the set, moved a little by the seed.
  Random random(options.seed);
  const float step = 2.5f / static_cast<float>(s.width);
  const float left = -2.0f + 0.125f * random.signed_unit(), top = -1.0f + 0.125f * random.signed_unit();
  const auto module = device.load_ptx_file(module_path("mandelbrot", options));
  const std::size_t pixels = std::size_t{s.width} * s.height;
  const auto iterations_d = device.allocate(pixels * sizeof(std::int32_t), "iterations");
  device.launch(
      module, "mandelbrot", cover(s.width, s.height, 16, 16),
      host::Args().add(iterations_d).add(s.width).add(s.height).add(left).add(top).add(step).add(s.limit));

  std::vector<std::int32_t> iterations(pixels);
  for (std::size_t i = 0; i < pixels; ++i) {
    const std::size_t column = i % s.width, row = i / s.width;
    const float cx = std::fmaf(static_cast<float>(column), step, left),
                cy = std::fmaf(static_cast<float>(row), step, top);
    float x = 0.0f, y = 0.0f;
    while (iterations[i] < static_cast<std::int32_t>(s.limit) && !(std::fmaf(x, x, y * y) > 4.0f)) {
      const float next = std::fmaf(x, x, -(y * y)) + cx;
      y = std::fmaf(x + x, y, cy);
      x = next;
      ++iterations[i];
    }
  }
  return compare("iterations", device.download<std::int32_t>(iterations_d, pixels), iterations);
}

}  // namespace

Workload mandelbrot() {
  return {.name = "mandelbrot",
          .description = "Mandelbrot set: iterations until escape, a thread a pixel",
          .stresses = "one divergent loop of very uneven length, no memory inside",
          .source = "mandelbrot.cu",
          .run = run};
}

}  // namespace heddle::workloads::mandelbrot
