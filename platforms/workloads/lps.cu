// Laplace's equation in three dimensions, one Jacobi step a launch: a CTA of 32 x 4 threads goes through the
// planes of its column with the current plane and its rim in shared memory and the planes above and below in
// registers. Points on the faces of the box keep their values.
enum { kLpsX = 32, kLpsY = 4 };

extern "C" __global__ void lps_step(const float* from, float* to, int nx, int ny, int nz) {
  __shared__ float plane[kLpsY + 2][kLpsX + 2];
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  int x = blockIdx.x * kLpsX + threadIdx.x, y = blockIdx.y * kLpsY + threadIdx.y;
  bool exists = x < nx && y < ny;
  bool inner = exists && x > 0 && y > 0 && x < nx - 1 && y < ny - 1;
  int slice = nx * ny, at = y * nx + x;
  float below = 0.0f, here = exists ? from[at] : 0.0f, above = exists ? from[at + slice] : 0.0f;
  if (exists) {
    to[at] = here;
    to[at + (nz - 1) * slice] = from[at + (nz - 1) * slice];
  }
  for (int z = 1; z < nz - 1; z++) {
    at += slice;
    below = here;
    here = above;
    if (exists) above = from[at + slice];
    __syncthreads();
    plane[ty][tx] = here;
    if (inner) {  // the rim; a rim point of the box has no use for its own
      if (tx == 1) plane[ty][0] = from[at - 1];
      if (tx == kLpsX) plane[ty][tx + 1] = from[at + 1];
      if (ty == 1) plane[0][tx] = from[at - nx];
      if (ty == kLpsY) plane[ty + 1][tx] = from[at + nx];
    }
    __syncthreads();
    if (inner) {
      float sum = plane[ty][tx - 1] + plane[ty][tx + 1];
      sum += plane[ty - 1][tx];
      sum += plane[ty + 1][tx];
      sum += below;
      sum += above;
      to[at] = __fmul_rn(sum, 0.16666667f);
    } else if (exists) {
      to[at] = here;
    }
  }
}
