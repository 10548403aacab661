// Barnes-Hut forces: every body is attracted by the cells that are far enough away, as one mass each, and by
// the bodies of the others. A warp walks the tree as one, with one stack in shared memory: it opens a cell
// unless it is far enough from all of its bodies, which are neighbours. The tree is bh_build.cu's.
enum { kForceWarps = 4, kForceDepth = 32 };

// centre: x, y, z and mass of each cell. order: the bodies, neighbours in space near each other. acceleration:
// x, y, z of each body. A cell of edge e is far enough at 2e. kForceWarps warps a CTA.
extern "C" __global__ void bh_force(const int* child, const float* centre, const float* position,
                                    const float* mass, const int* order, int n, float* acceleration) {
  volatile __shared__ int cell[kForceWarps * kForceDepth];
  volatile __shared__ int octant[kForceWarps * kForceDepth];
  volatile __shared__ float far_enough[kForceDepth];  // square of the distance, by depth
  if (threadIdx.x == 0) {
    float limit = 4.0f;
    for (int depth = 0; depth < kForceDepth; depth++) {
      far_enough[depth] = limit;
      limit = limit * 0.25f;
    }
  }
  __syncthreads();
  int lane = threadIdx.x % 32;
  int base = threadIdx.x / 32 * kForceDepth;
  int stride = gridDim.x * blockDim.x;
  // Whole warps: lanes behind the last body go along with a copy of it.
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k - lane < n; k += stride) {
    int body = order[min(k, n - 1)];
    float x = position[3 * body], y = position[3 * body + 1], z = position[3 * body + 2];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    int depth = 0;
    if (lane == 0) {
      cell[base] = 0;
      octant[base] = 0;
    }
    __syncwarp();
    while (depth >= 0) {
      int here;
      while ((here = octant[base + depth]) < 8) {
        int there = child[8 * cell[base + depth] + here];
        __syncwarp();
        if (lane == 0) octant[base + depth] = here + 1;
        __syncwarp();
        if (there == 0) continue;
        const float* at = there > n ? centre + 4 * (there - n) : position + 3 * (there - 1);
        float dx = at[0] - x, dy = at[1] - y, dz = at[2] - z;
        float square = __fmaf_rn(dx, dx, __fmaf_rn(dy, dy, __fmul_rn(dz, dz)));
        if (there <= n || __all_sync(0xffffffffu, square >= far_enough[depth])) {
          float inverse = rsqrtf(square + 0.0001f);  // softened: a body does not attract itself
          float m = there > n ? at[3] : mass[there - 1];
          float pull = __fmul_rn(__fmul_rn(m, inverse), __fmul_rn(inverse, inverse));
          ax = __fmaf_rn(dx, pull, ax);
          ay = __fmaf_rn(dy, pull, ay);
          az = __fmaf_rn(dz, pull, az);
        } else {
          depth++;
          if (lane == 0) {
            cell[base + depth] = there - n;
            octant[base + depth] = 0;
          }
          __syncwarp();
        }
      }
      depth--;
    }
    if (k < n) {
      acceleration[3 * body] = ax;
      acceleration[3 * body + 1] = ay;
      acceleration[3 * body + 2] = az;
    }
  }
}
