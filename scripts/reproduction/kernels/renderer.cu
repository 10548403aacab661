// A path tracer of spheres with its shading inlined: three materials, a shadow ray, and exits from within (sky, lamp, absorption,
// roulette), several of which share code by goto. Unstructured as written: Multi-Path's opportunistic reconvergence is for it.
// Each thread renders one pixel: colour[pixel] gets its radiance.

constexpr int kSpheres = 12;
constexpr int kBounces = 8;

struct Sphere {
  float x, y, z, radius;
  float shade;   // of its surface
  int material;  // 0 matte, 1 mirror, 2 glass, 3 lamp
};

__device__ static unsigned random_bits(unsigned& state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

__device__ static float random_unit(unsigned& state) { return float(random_bits(state) >> 8) * (1.0f / 16777216.0f); }

extern "C" __global__ void render(float* colour, int width, unsigned seed) {
  const int pixel = int(blockIdx.x * blockDim.x + threadIdx.x);
  unsigned state = (unsigned(pixel) + 1u) * 2654435761u ^ seed;
  float ox = 0, oy = 0, oz = -4, dx = (float(pixel % width) + random_unit(state)) / float(width) - 0.5f,
        dy = (float(pixel / width) + random_unit(state)) / float(width) - 0.5f, dz = 1;
  float weight = 1, radiance = 0;
  for (int bounce = 0; bounce < kBounces; ++bounce) {
    // The nearest sphere. They are made up as they are needed: six numbers of a hash each.
    float nearest = 1e30f;
    float cx = 0, cy = 0, cz = 0, cr = 1, shade = 0;
    int material = -1;
    for (int i = 0; i < kSpheres; ++i) {
      unsigned h = unsigned(i) * 747796405u + 2891336453u;
      Sphere s;
      s.x = float(h & 255u) * (1.0f / 64.0f) - 2.0f;
      s.y = float(h >> 8 & 255u) * (1.0f / 64.0f) - 2.0f;
      s.z = float(h >> 16 & 255u) * (1.0f / 64.0f);
      s.radius = 0.3f + float(h >> 24) * (1.0f / 512.0f);
      const float px = s.x - ox, py = s.y - oy, pz = s.z - oz;
      const float along = px * dx + py * dy + pz * dz;
      if (along <= 0) continue;
      const float across = px * px + py * py + pz * pz - along * along / (dx * dx + dy * dy + dz * dz);
      if (across > s.radius * s.radius) continue;
      const float distance = along - s.radius;
      if (distance < 1e-3f || distance >= nearest) continue;
      nearest = distance;
      cx = s.x, cy = s.y, cz = s.z, cr = s.radius;
      shade = 0.35f + 0.05f * float(i % 12);
      material = i % 4;
    }
    if (material < 0) {
      if (dy > 0.2f) goto sky;
      if (bounce == 0) break;
      goto haze;
    }
    ox += dx * nearest, oy += dy * nearest, oz += dz * nearest;
    float nx, ny, nz;
    nx = (ox - cx) / cr, ny = (oy - cy) / cr, nz = (oz - cz) / cr;
    if (material == 3) {
      radiance += weight * 4.0f * shade;
      break;
    }
    if (material == 1) {  // mirror: the ray goes on
      const float twice = 2 * (dx * nx + dy * ny + dz * nz);
      dx -= twice * nx, dy -= twice * ny, dz -= twice * nz;
      weight *= 0.9f;
      if (weight < 0.05f) goto absorbed;
      continue;
    }
    if (material == 2) {  // glass: through, or as a mirror
      float cosine = dx * nx + dy * ny + dz * nz;
      cosine = cosine < 0 ? -cosine : cosine;
      const float reflected = 0.04f + 0.96f * (1 - cosine) * (1 - cosine) * (1 - cosine);
      if (random_unit(state) >= reflected) {
        dx = dx * 0.66f - nx * 0.2f, dy = dy * 0.66f - ny * 0.2f, dz = dz * 0.66f - nz * 0.2f;
        ox += dx * 0.01f, oy += dy * 0.01f, oz += dz * 0.01f;
        if (dz < 0 && bounce > 3) goto haze;
        continue;
      }
      goto scatter;
    }
    {  // matte: is the lamp seen from here?
      float blocked = 0;
      for (int i = 0; i < 4; ++i) {
        const float lx = nx * 2 - ox, ly = 3 - oy + float(i) * 0.1f, lz = nz - oz;
        const float towards = lx * nx + ly * ny + lz * nz;
        if (towards <= 0) {
          blocked += 1;
          if (blocked > 2) goto dark;
          continue;
        }
        radiance += weight * shade * towards / (1 + lx * lx + ly * ly + lz * lz);
      }
    }
  scatter:
    dx = nx + random_unit(state) - 0.5f, dy = ny + random_unit(state) - 0.5f, dz = nz + random_unit(state) - 0.5f;
    {
      const float size = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-6f);
      dx *= size, dy *= size, dz *= size;
    }
    weight *= shade;
    if (bounce > 2) {
      if (random_unit(state) > 0.8f) goto absorbed;
      weight *= 1.25f;
    }
    continue;
  dark:
    weight *= 0.5f * shade;
    radiance += weight * 0.02f;
    if (random_unit(state) > 0.5f) goto scatter;
    continue;
  sky:
    radiance += weight * (0.4f + 0.6f * dy);
  haze:
    radiance += weight * 0.1f * (1 + dz * dz) / (1 + dx * dx + dy * dy);
    break;
  absorbed:
    radiance += weight * 0.01f;
    break;
  }
  colour[pixel] = radiance;
}
