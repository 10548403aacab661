// In the character of tachyon (ray tracer with recursive reflections), volrend (rays through a volume, with early ends) and
// bodytrack (likelihood of particles against an image).
#include <algorithm>
#include <cmath>

#include "native.h"

namespace native {
namespace {

struct Vector {
  double x, y, z;
};
Vector operator+(Vector a, Vector b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Vector operator-(Vector a, Vector b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Vector operator*(Vector a, double k) { return {a.x * k, a.y * k, a.z * k}; }
double dot(Vector a, Vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

struct Sphere {
  Vector centre;
  double radius, mirror;
};
Sphere spheres[12];
unsigned pixels;

void prepare_rays(unsigned, unsigned size) {
  Random random(3);
  for (Sphere& s : spheres)
    s = {{4 * random.uniform() - 2, 4 * random.uniform() - 2, 3 + 4 * random.uniform()},
         0.3 + 0.5 * random.uniform(),
         random.uniform() < 0.4 ? 0.6 : 0.0};
  pixels = 8 * size;
}
NATIVE_NOINLINE int nearest(Vector from, Vector direction, double& distance) {
  int hit = -1;
  for (int i = 0; i < 12; ++i) {
    const Vector to = spheres[i].centre - from;
    const double along = dot(to, direction);
    const double square = spheres[i].radius * spheres[i].radius - (dot(to, to) - along * along);
    if (square < 0) continue;
    const double d = along - std::sqrt(square);
    if (d > 1e-4 && d < distance) {
      distance = d;
      hit = i;
    }
  }
  return hit;
}
NATIVE_NOINLINE double shade(Vector from, Vector direction, int depth) {
  double distance = 1e9;
  const int hit = nearest(from, direction, distance);
  if (hit < 0) return 0.2;
  const Vector at = from + direction * distance;
  const Vector normal = (at - spheres[hit].centre) * (1 / spheres[hit].radius);
  double light = std::max(0.0, dot(normal, Vector{0.577, 0.577, -0.577}));
  double shadow = 1e9;
  if (nearest(at, Vector{0.577, 0.577, -0.577}, shadow) >= 0) light *= 0.3;
  if (spheres[hit].mirror > 0 && depth < 3)
    light += spheres[hit].mirror * shade(at, direction - normal * (2 * dot(direction, normal)), depth + 1);
  return light;
}
void tachyon(unsigned t, unsigned threads) {
  double sum = 0;
  phase(t, 0);
  // Neighbouring pixels to neighbouring threads.
  for (unsigned i = 0; i < pixels; ++i) {
    const double x = (i * threads + t) % 192 / 96.0 - 1, y = (i * threads + t) / 192 / 4.0 - 0.5;
    const double norm = 1 / std::sqrt(x * x + y * y + 1);
    sum += shade({0, 0, 0}, Vector{x * norm, y * norm, norm}, 0);
  }
  sink[t] = static_cast<std::uint64_t>(sum * 1e6);
}

constexpr int kSide = 24;
unsigned char volume[kSide][kSide][kSide];
unsigned volume_rays;
void prepare_volume(unsigned, unsigned size) {
  Random random(5);
  for (auto& plane : volume)
    for (auto& row : plane)
      for (unsigned char& v : row)
        v = random.uniform() < 0.75 ? 0 : static_cast<unsigned char>(random.next() & 255);
  volume_rays = 14 * size;
}
void volrend(unsigned t, unsigned) {
  double sum = 0;
  phase(t, 0);
  for (unsigned i = 0; i < volume_rays; ++i) {
    // A block of the image for each thread; the volume does not fill it.
    const unsigned column = t % 4 * 10 + i % 10, row = t / 4 % 4 * 10 + i * 7 % 10;
    double x = column * 0.9 - 4, y = row * 0.9 - 4, z = 0, opacity = 0, colour = 0;
    const double dx = 0.3 - 0.04 * (t % 7), dy = 0.1 + 0.02 * (i % 7);
    if (x < 0 || x >= kSide || y < 0 || y >= kSide) continue;
    while (z < kSide && x >= 0 && x < kSide && y >= 0 && y < kSide) {
      const unsigned char v = volume[static_cast<int>(z)][static_cast<int>(y)][static_cast<int>(x)];
      if (v == 0) {  // empty space is skipped, along the ray to where something is
        do {
          z += 0.5;
          x += 0.5 * dx;
          y += 0.5 * dy;
        } while (z < kSide && x >= 0 && x < kSide && y >= 0 && y < kSide &&
                 volume[static_cast<int>(z)][static_cast<int>(y)][static_cast<int>(x)] == 0);
        continue;
      }
      const double alpha = v > 128 ? 0.25 : 0.05;
      colour += (1 - opacity) * alpha * v;
      opacity += (1 - opacity) * alpha;
      if (opacity > 0.9) break;
      z += 0.5;
      x += 0.5 * dx;
      y += 0.5 * dy;
    }
    sum += colour;
  }
  sink[t] = static_cast<std::uint64_t>(sum * 1e6);
}

unsigned char image[64][64];
double directions[64][2];
unsigned particles;
void prepare_body(unsigned, unsigned size) {
  Random random(9);
  for (auto& row : image)
    for (unsigned char& p : row) p = static_cast<unsigned char>(random.next() & 255);
  for (int d = 0; d < 64; ++d) {
    directions[d][0] = std::cos(d * 6.283185307 / 64);
    directions[d][1] = std::sin(d * 6.283185307 / 64);
  }
  particles = 5 * size;
}
NATIVE_NOINLINE double edge_error(double x0, double y0, unsigned direction) {
  const double c = directions[direction % 64][0], s = directions[direction % 64][1];
  double error = 0;
  for (int k = 0; k < 16; ++k) {
    const double x = x0 + k * c, y = y0 + k * s;
    if (x < 0 || x >= 64 || y < 0 || y >= 64) {
      error += 1;
      continue;
    }
    const double p = 1 - image[static_cast<int>(y)][static_cast<int>(x)] / 255.0;
    error += p * p;
  }
  return error;
}
void bodytrack(unsigned t, unsigned) {
  Random random(t + 1);
  double best = 1e9;
  for (unsigned i = 0; i < particles; ++i) {
    const double x = 16 + 32 * random.uniform(), y = 16 + 32 * random.uniform();
    double error = 0;
    for (int limb = 0; limb < 4; ++limb) error += edge_error(x, y, 16 * limb + random.next() % 3);
    if (error < best) best = error;
  }
  sink[t] = static_cast<std::uint64_t>(best * 1e6);
}

}  // namespace

const std::vector<Kernel>& ray_kernels() {
  static const std::vector<Kernel> all = {
      {"tach", "ray tracing with reflections", prepare_rays, tachyon},
      {"volr", "rays through a volume", prepare_volume, volrend},
      {"body", "likelihood of particles against an image", prepare_body, bodytrack}};
  return all;
}

}  // namespace native
