#include <cstdio>
#include "kernels.h"
static __global__ void kernel(float* x, float v) { x[threadIdx.x] = v + threadIdx.x; }
int main() {
  float *x, *y, host[64];
  cudaMalloc(&x, sizeof host);
  cudaMalloc(&y, sizeof host);
  kernel<<<1, 64>>>(x, 1.f);
  kernel<<<1, 64>>>(y, 2.f);
  saxpy(64, 3.f, x, y);
  cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%g %g %s\n", host[0], host[63], cudaGetErrorString(cudaGetLastError()));
  return 0;
}
