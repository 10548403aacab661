// Flow of a compressible gas over an unstructured grid, first-order finite volumes, with four neighbours to a cell:
// the Euler equations, by three short kernels a step. Quantity k of cell i is at [k * cells + i]: density, momentum
// along x, y, z, energy. Products are rounded before they meet a sum, or fused, as written; clang would fuse more:
// clang: -ffp-contract=off

struct CfdCell {
  float density, x, y, z, energy;  // conserved quantities
  float u, v, w, pressure, sound, speed;
};

static __device__ __forceinline__ CfdCell cfd_cell(const float* state, int cells, int i) {
  CfdCell c;
  c.density = state[i];
  c.x = state[cells + i];
  c.y = state[2 * cells + i];
  c.z = state[3 * cells + i];
  c.energy = state[4 * cells + i];
  float inverse = 1.0f / c.density;
  c.u = __fmul_rn(c.x, inverse);
  c.v = __fmul_rn(c.y, inverse);
  c.w = __fmul_rn(c.z, inverse);
  float square = __fmaf_rn(c.w, c.w, __fmaf_rn(c.v, c.v, __fmul_rn(c.u, c.u)));
  c.speed = __fsqrt_rn(square);
  c.pressure = __fmul_rn(0.4f, __fmaf_rn(__fmul_rn(-0.5f, c.density), square, c.energy));
  c.sound = __fsqrt_rn(__fmul_rn(__fmul_rn(1.4f, c.pressure), inverse));
  return c;
}

// How far a cell may go in a step.
extern "C" __global__ void cfd_step_factor(const float* state, const float* area, float* factor, int cells) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  CfdCell c = cfd_cell(state, cells, i);
  factor[i] = 0.25f / __fmul_rn(__fsqrt_rn(area[i]), c.speed + c.sound);
}

// What flows into each cell over its four faces. neighbour and normal (x, y, z) of face f: [f * cells + i] and
// [(3 * f + axis) * cells + i]. A neighbour of -1 is a wall: only pressure acts.
extern "C" __global__ void cfd_flux(const float* state, const int* neighbour, const float* normal,
                                    float* flux, int cells) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  CfdCell c = cfd_cell(state, cells, i);
  float density = 0.0f, x = 0.0f, y = 0.0f, z = 0.0f, energy = 0.0f;
  for (int f = 0; f < 4; f++) {
    int other = neighbour[f * cells + i];
    float nx = normal[3 * f * cells + i];
    float ny = normal[(3 * f + 1) * cells + i];
    float nz = normal[(3 * f + 2) * cells + i];
    if (other < 0) {
      x = __fmaf_rn(-c.pressure, nx, x);
      y = __fmaf_rn(-c.pressure, ny, y);
      z = __fmaf_rn(-c.pressure, nz, z);
    } else {
      CfdCell o = cfd_cell(state, cells, other);
      float length = __fsqrt_rn(__fmaf_rn(nz, nz, __fmaf_rn(ny, ny, __fmul_rn(nx, nx))));
      float smooth = __fmul_rn(__fmul_rn(0.25f, length), (c.speed + o.speed) + (c.sound + o.sound));
      float through = __fmaf_rn(c.w, nz, __fmaf_rn(c.v, ny, __fmul_rn(c.u, nx)));
      float other_through = __fmaf_rn(o.w, nz, __fmaf_rn(o.v, ny, __fmul_rn(o.u, nx)));
      float pressure = __fmul_rn(-0.5f, c.pressure + o.pressure);
      density = __fmaf_rn(smooth, o.density - c.density, density);
      density = __fmaf_rn(-0.5f, __fmaf_rn(c.density, through, __fmul_rn(o.density, other_through)), density);
      x = __fmaf_rn(smooth, o.x - c.x, x);
      x = __fmaf_rn(-0.5f, __fmaf_rn(c.x, through, __fmul_rn(o.x, other_through)), x);
      x = __fmaf_rn(pressure, nx, x);
      y = __fmaf_rn(smooth, o.y - c.y, y);
      y = __fmaf_rn(-0.5f, __fmaf_rn(c.y, through, __fmul_rn(o.y, other_through)), y);
      y = __fmaf_rn(pressure, ny, y);
      z = __fmaf_rn(smooth, o.z - c.z, z);
      z = __fmaf_rn(-0.5f, __fmaf_rn(c.z, through, __fmul_rn(o.z, other_through)), z);
      z = __fmaf_rn(pressure, nz, z);
      energy = __fmaf_rn(smooth, o.energy - c.energy, energy);
      energy = __fmaf_rn(-0.5f,
                         __fmaf_rn(c.energy + c.pressure, through,
                                   __fmul_rn(o.energy + o.pressure, other_through)),
                         energy);
    }
  }
  flux[i] = density;
  flux[cells + i] = x;
  flux[2 * cells + i] = y;
  flux[3 * cells + i] = z;
  flux[4 * cells + i] = energy;
}

// Part `share` of a step from `old`.
extern "C" __global__ void cfd_time_step(const float* old, const float* factor, const float* flux,
                                         float* state, float share, int cells) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  float step = __fmul_rn(factor[i], share);
  for (int k = 0; k < 5; k++)
    state[k * cells + i] = __fmaf_rn(step, flux[k * cells + i], old[k * cells + i]);
}

extern "C" __global__ void cfd_copy(const float* state, float* old, int cells) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  for (int k = 0; k < 5; k++) old[k * cells + i] = state[k * cells + i];
}
