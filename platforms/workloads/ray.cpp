#include <array>
#include <cmath>

#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::ray {

namespace {

constexpr std::size_t kSpheres = 16;  // kRaySpheres in ray.cu

struct Shape {
  std::uint32_t width, height, spheres, bounces;
};

struct Vector {
  float x, y, z;
};

struct Sphere {  // RaySphere in ray.cu
  Vector centre;
  float radius, shade, mirror;
};
static_assert(sizeof(Sphere) == 24);

float dot(const Vector& a, const Vector& b) { return std::fmaf(a.x, b.x, std::fmaf(a.y, b.y, a.z * b.z)); }
Vector minus(const Vector& a, const Vector& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Vector over(const Vector& a, float divisor) { return {a.x / divisor, a.y / divisor, a.z / divisor}; }
Vector along(const Vector& origin, const Vector& direction, float t) {
  return {std::fmaf(t, direction.x, origin.x), std::fmaf(t, direction.y, origin.y),
          std::fmaf(t, direction.z, origin.z)};
}

struct Pixel {
  float brightness = 0.0f;
  std::int32_t rays = 0;
};

class Scene {
 public:
  Scene(Random& random, std::uint32_t spheres) : spheres_(spheres) {
    for (Sphere& s : spheres_)
      s = {{1.5f * random.signed_unit(), random.signed_unit(), 1.5f * random.signed_unit()},
           0.3f + 0.25f * std::abs(random.signed_unit()),
           0.5f + 0.5f * std::abs(random.signed_unit()),
           std::abs(random.signed_unit())};
    const Vector light{1.0f, 2.0f, -1.5f};
    light_ = over(light, std::sqrt(dot(light, light)));
  }
  [[nodiscard]] const std::vector<Sphere>& spheres() const { return spheres_; }
  [[nodiscard]] const Vector& light() const { return light_; }

  /// With the kernel's roundings, in the kernel's order.
  [[nodiscard]] Pixel trace(const Vector& through, std::uint32_t bounces) const {
    Vector origin{0.0f, 0.0f, -4.0f}, direction = over(through, std::sqrt(dot(through, through)));
    Pixel pixel;
    float weight = 1.0f;
    for (std::uint32_t bounce = 0; bounce <= bounces; ++bounce) {
      ++pixel.rays;
      float nearest = 1.0e30f;
      const Sphere* hit = nullptr;
      for (const Sphere& s : spheres_) {
        const float t = meets(s, origin, direction);
        if (t > 0.0f && t < nearest) nearest = t, hit = &s;
      }
      if (hit == nullptr) {
        pixel.brightness = std::fmaf(weight, std::fmaf(0.5f, direction.y, 0.5f), pixel.brightness);
        break;
      }
      const Vector point = along(origin, direction, nearest);
      const Vector normal = over(minus(point, hit->centre), hit->radius);
      const float diffuse = hit->shade * (0.1f + lit(point, normal, pixel));
      pixel.brightness = std::fmaf(weight * (1.0f - hit->mirror), diffuse, pixel.brightness);
      weight *= hit->mirror;
      if (weight < 0.05f) break;
      direction = along(direction, normal, -2.0f * dot(direction, normal));
      origin = point;
    }
    return pixel;
  }

 private:
  static float meets(const Sphere& s, const Vector& origin, const Vector& direction) {
    const Vector to = minus(s.centre, origin);
    const float closest = dot(to, direction);
    const float root = std::fmaf(closest, closest, std::fmaf(s.radius, s.radius, -dot(to, to)));
    if (root <= 0.0f) return -1.0f;
    const float half = std::sqrt(root);
    const float t = closest - half < 0.001f ? closest + half : closest - half;
    return t < 0.001f ? -1.0f : t;
  }
  [[nodiscard]] float lit(const Vector& point, const Vector& normal, Pixel& pixel) const {
    const float lit = dot(normal, light_);
    if (!(lit > 0.0f)) return 0.0f;
    ++pixel.rays;
    for (const Sphere& s : spheres_)
      if (meets(s, point, light_) > 0.0f) return 0.0f;
    return lit;
  }

  std::vector<Sphere> spheres_;
  Vector light_{};
};

Verdict run(host::Device& device, const Options& options) {
  // Paper: RAY of the ISPASS 2009 set, 256 x 256 in CTAs of 16 x 8.
  const Shape s = pick(options.size, Shape{40, 30, 5, 3}, Shape{160, 120, 8, 4}, Shape{256, 256, 16, 6});
  Random random(options.seed);
  const Scene scene(random, s.spheres);
  std::vector<Sphere> spheres = scene.spheres();
  spheres.resize(kSpheres, Sphere{});
  const std::array<Vector, 1> light{scene.light()};

  const auto module = device.load_ptx_file(module_path("ray", options));
  device.write(device.symbol(module, "ray_spheres"), std::as_bytes(std::span(spheres)));
  device.write(device.symbol(module, "ray_light"), std::as_bytes(std::span(light)));
  const std::size_t pixels = std::size_t{s.width} * s.height;
  const auto brightness_d = device.allocate(pixels * sizeof(float), "brightness");
  const auto rays_d = device.allocate(pixels * sizeof(std::int32_t), "rays");
  device.launch(
      module, "ray_trace", cover(s.width, s.height, 16, 8),
      host::Args().add(s.width).add(s.height).add(s.spheres).add(s.bounces).add(brightness_d).add(rays_d));

  std::vector<float> brightness(pixels);
  std::vector<std::int32_t> rays(pixels);
  const float scale = 2.0f / static_cast<float>(s.width);
  for (std::size_t i = 0; i < pixels; ++i) {
    const auto x = static_cast<std::int32_t>(i % s.width), y = static_cast<std::int32_t>(i / s.width);
    const Pixel pixel = scene.trace(
        {std::fmaf(static_cast<float>(x), scale, -1.0f),
         std::fmaf(static_cast<float>(static_cast<std::int32_t>(s.height / 2) - y), scale, 0.0f), 1.5f},
        s.bounces);
    brightness[i] = pixel.brightness;
    rays[i] = pixel.rays;
  }
  return combine({compare("brightness", device.download<float>(brightness_d, pixels), brightness),
                  compare("rays", device.download<std::int32_t>(rays_d, pixels), rays)});
}

}  // namespace

Workload ray() {
  return {.name = "ray",
          .description = "ray tracing of mirroring spheres with shadows",
          .stresses = "nested divergence: hit or miss, shadow, mirror; roots, divisions, constants by lane",
          .source = "ray.cu",
          .run = run};
}

}  // namespace heddle::workloads::ray
