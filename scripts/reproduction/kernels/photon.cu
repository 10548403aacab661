// Transport of photons through layered tissue (hop, drop, spin, roulette), one photon a thread at a time: the walk of the published
// Monte Carlo photon simulations. A photon leaves by either surface, is reflected at boundaries inside, or dies by roulette, from
// within nested conditions that share code. Each thread adds up what its photons leave behind: absorbed[thread], escaped[thread].

constexpr int kLayers = 4;
constexpr int kSteps = 100;

__device__ static float random_unit(unsigned& state) {
  state = state * 1664525u + 1013904223u;
  return float(state >> 8) * (1.0f / 16777216.0f) + 1e-7f;
}

// Of an angle in -5 .. 4: a parabola's improvement, near enough for a walk.
__device__ static float cosine_of(float angle) {
  float a = (angle < 0 ? -angle : angle) * 0.63661977f;  // in quarters of a turn
  if (a > 2) a = 4 - a;
  const float b = 1 - a, bow = b * (2 - (b < 0 ? -b : b));
  return bow * (0.775f + 0.225f * (bow < 0 ? -bow : bow));
}

extern "C" __global__ void transport(float* absorbed, float* escaped, int photons, unsigned seed) {
  const int thread = int(blockIdx.x * blockDim.x + threadIdx.x);
  unsigned state = (unsigned(thread) + 1u) * 2654435761u ^ seed;
  float left = 0, gone = 0;
  for (int photon = 0; photon < photons; ++photon) {
    float z = 0, ux = 0, uy = 0, uz = 1, weight = 1, rest = 0;
    int layer = 0;
    for (int step = 0; step < kSteps; ++step) {
      const float absorb = 0.1f + 0.15f * float(layer), scatter = 6.0f + 3.0f * float(layer & 1), depth = float(layer + 1) * 0.25f;
      float way;
      if (rest > 0) {
        way = rest / (absorb + scatter);
        rest = 0;
      } else {
        way = -0.6931472f * __log2f(random_unit(state)) / (absorb + scatter);
      }
      float bound;
      if (uz > 0) {
        bound = (depth - z) / uz;
      } else if (uz < 0) {
        bound = (depth - 0.25f - z) / uz;
      } else {
        goto hop;
      }
      if (way > bound) {  // to the boundary
        rest = (way - bound) * (absorb + scatter);
        z += uz * bound;
        if (uz > 0) {
          if (layer == kLayers - 1) {
            if (uz < 0.6f) goto reflect;  // total reflection
            gone += weight;
            break;
          }
          if (uz < 0.2f && (layer & 1) != 0) goto reflect;
          ++layer;
          continue;
        }
        if (layer == 0) {
          if (uz > -0.6f) goto reflect;
          if (random_unit(state) < 0.05f) goto reflect;
          gone += weight;
          break;
        }
        if (uz > -0.2f && (layer & 1) == 0) goto reflect;
        --layer;
        continue;
      }
    hop:
      z += uz * way;
      {  // drop
        const float part = weight * absorb / (absorb + scatter);
        weight -= part;
        left += part;
      }
      {  // spin: Henyey-Greenstein
        const float g = 0.9f, u = random_unit(state);
        const float t = (1 - g * g) / (1 - g + 2 * g * u);
        float cosine = (1 + g * g - t * t) / (2 * g);
        if (cosine < -1) cosine = -1;
        const float square = 1 - cosine * cosine + 1e-12f, sine = square * rsqrtf(square), phi = 6.2831853f * random_unit(state) - 3.1415927f;
        const float cp = cosine_of(phi), sp = cosine_of(phi - 1.5707963f);
        if (uz > 0.9999f || uz < -0.9999f) {
          ux = sine * cp, uy = sine * sp, uz = uz > 0 ? cosine : -cosine;
        } else {
          const float side = (1 - uz * uz) * rsqrtf(1 - uz * uz);
          const float vx = sine * (ux * uz * cp - uy * sp) / side + ux * cosine, vy = sine * (uy * uz * cp + ux * sp) / side + uy * cosine;
          uz = -sine * cp * side + uz * cosine;
          ux = vx, uy = vy;
        }
      }
      goto roulette;
    reflect:
      uz = -uz;
      if (random_unit(state) > 0.3f) continue;
    roulette:
      if (weight < 0.1f) {
        if (random_unit(state) > 0.1f) break;
        weight *= 10;
      }
    }
  }
  absorbed[thread] = left;
  escaped[thread] = gone;
}
