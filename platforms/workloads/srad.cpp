#include <algorithm>
#include <cmath>

#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::srad {

namespace {

constexpr std::size_t kBlock = 128;  // kSradBlock in srad.cu

struct Shape {
  std::uint32_t width, height, steps, ctas;
};

/// The kernels' sums: each thread over its pixels, each CTA in a tree, then the CTAs in order.
struct Sums {
  float sum = 0.0f, square = 0.0f;
};
Sums sums_of(const std::vector<float>& image, std::size_t ctas) {
  Sums all;
  for (std::size_t cta = 0; cta < ctas; ++cta) {
    std::vector<Sums> part(kBlock);
    for (std::size_t t = 0; t < kBlock; ++t)
      for (std::size_t i = cta * kBlock + t; i < image.size(); i += ctas * kBlock) {
        part[t].sum += image[i];
        part[t].square = std::fmaf(image[i], image[i], part[t].square);
      }
    for (std::size_t half = kBlock / 2; half > 0; half /= 2)
      for (std::size_t t = 0; t < half; ++t) {
        part[t].sum += part[t + half].sum;
        part[t].square += part[t + half].square;
      }
    all.sum += part[0].sum;
    all.square += part[0].square;
  }
  return all;
}

class Reference {
 public:
  /// `off`: by how much of its value each exponential is off, up and down in turns of three pixels: neighbours differ.
  Reference(const Shape& s, const std::vector<float>& pixel, float off = 0.0f) : s_(s), image_(pixel) {
    for (std::size_t i = 0; i < image_.size(); ++i) {
      const double sign = i / 3 % 2 == 0 ? 1.0 : -1.0;
      image_[i] =
          static_cast<float>(std::exp2(double{image_[i] * 0.0056576275f}) * (1.0 + sign * double{off}));
    }
  }
  void step(float rate) {
    const Sums sums = sums_of(image_, s_.ctas);
    const float pixels = static_cast<float>(s_.width * s_.height);
    const float mean = sums.sum / pixels;
    const float speckle = std::fmaf(-mean, mean, sums.square / pixels) / (mean * mean);
    std::vector<float> coefficient(image_.size()), moved(image_.size());
    each([&](std::size_t i, std::size_t north, std::size_t south, std::size_t west, std::size_t east) {
      coefficient[i] = diffusion(i, north, south, west, east, speckle);
    });
    each([&](std::size_t i, std::size_t north, std::size_t south, std::size_t west, std::size_t east) {
      const float here = image_[i], c = coefficient[i];
      float divergence = c * (image_[north] - here);
      divergence = std::fmaf(coefficient[south], image_[south] - here, divergence);
      divergence = std::fmaf(c, image_[west] - here, divergence);
      divergence = std::fmaf(coefficient[east], image_[east] - here, divergence);
      moved[i] = std::fmaf(rate, divergence, here);
    });
    image_ = moved;
  }
  [[nodiscard]] std::vector<float> pixels() const {
    std::vector<float> pixel = image_;
    for (float& p : pixel) p = static_cast<float>(std::log2(double{p})) * 176.75253f;
    return pixel;
  }

 private:
  template <class F>
  void each(F&& f) const {
    const std::size_t w = s_.width, h = s_.height;
    for (std::size_t y = 0; y < h; ++y)
      for (std::size_t x = 0; x < w; ++x)
        f(y * w + x, (y == 0 ? 0 : y - 1) * w + x, std::min(y + 1, h - 1) * w + x,
          y * w + (x == 0 ? 0 : x - 1), y * w + std::min(x + 1, w - 1));
  }
  [[nodiscard]] float diffusion(std::size_t i, std::size_t north, std::size_t south, std::size_t west,
                                std::size_t east, float speckle) const {
    const float here = image_[i];
    const float n = image_[north] - here, s = image_[south] - here, w = image_[west] - here,
                e = image_[east] - here;
    const float gradient = std::fmaf(n, n, std::fmaf(s, s, std::fmaf(w, w, e * e))) / (here * here);
    const float laplacian = (n + s + w + e) / here;
    const float top = std::fmaf(0.5f, gradient, -(0.0625f * (laplacian * laplacian)));
    const float bottom = std::fmaf(0.25f, laplacian, 1.0f);
    const float local = top / (bottom * bottom);
    const float c = 1.0f / (1.0f + (local - speckle) / (speckle * (1.0f + speckle)));
    return c < 0.0f ? 0.0f : c > 1.0f ? 1.0f : c;
  }

  Shape s_;
  std::vector<float> image_;
};

/// What errors of the exponentials do to any pixel: four times of what they do in one pattern, for others and for roundings
/// that turn out another way. And the error of the logarithm, and of the product behind it.
std::vector<float> tolerance(const std::vector<float>& expected, const std::vector<float>& off) {
  float most = 0.0f;
  for (std::size_t i = 0; i < expected.size(); ++i) most = std::max(most, std::fabs(off[i] - expected[i]));
  std::vector<float> all(expected.size(), 4.0f * most);
  for (std::size_t i = 0; i < expected.size(); ++i)
    all[i] += 176.75253f * approximate::kLog2 +
              std::fabs(expected[i]) * (approximate::kLog2 + 2.0f * approximate::kRounding);
  return all;
}

Verdict run(host::Device& device, const Options& options) {
  const Shape s = pick(options.size, Shape{37, 30, 2, 3}, Shape{128, 96, 3, 15}, Shape{502, 458, 20, 30});
  const float rate = 0.125f;
  Random random(options.seed);
  std::vector<float> pixel(std::size_t{s.width} * s.height);
  for (float& p : pixel) p = static_cast<float>(random.below(256));
  const auto n = static_cast<std::uint32_t>(pixel.size());

  const auto module = device.load_ptx_file(module_path("srad", options));
  const auto pixel_d = device.upload(pixel, "pixel");
  const auto buffer = [&](std::size_t count, const char* name) {
    return device.allocate(count * sizeof(float), name);
  };
  auto image_d = buffer(n, "image"), moved_d = buffer(n, "moved");
  const auto partial_d = buffer(std::size_t{2} * s.ctas, "partial"), coefficient_d = buffer(n, "coefficient");
  const host::Launch line = cover(n, kBlock), plane = cover(s.width, s.height, 16, 8);
  device.launch(module, "srad_extract", line, host::Args().add(pixel_d).add(image_d).add(n));
  Reference reference(s, pixel), off(s, pixel, approximate::kExp2);
  for (std::uint32_t step = 0; step < s.steps; ++step) {
    device.launch(module, "srad_sums", grid(s.ctas, kBlock), host::Args().add(image_d).add(n).add(partial_d));
    device.launch(
        module, "srad_coefficients", plane,
        host::Args().add(image_d).add(s.width).add(s.height).add(partial_d).add(s.ctas).add(coefficient_d));
    device.launch(
        module, "srad_move", plane,
        host::Args().add(image_d).add(coefficient_d).add(s.width).add(s.height).add(rate).add(moved_d));
    std::swap(image_d, moved_d);
    reference.step(rate);
    off.step(rate);
  }
  device.launch(module, "srad_compress", line, host::Args().add(image_d).add(pixel_d).add(n));
  const std::vector<float> expected = reference.pixels();
  return compare_near("pixel", device.download<float>(pixel_d, n), expected,
                      tolerance(expected, off.pixels()));
}

}  // namespace

Workload srad() {
  return {.name = "srad",
          .description = "speckle-reducing anisotropic diffusion of an image",
          .stresses = "divisions, exponentials and logarithms, reductions between stencils, clamped borders",
          .source = "srad.cu",
          .run = run};
}

}  // namespace heddle::workloads::srad
