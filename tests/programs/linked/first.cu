#include <cstdio>
#include "shared.h"
__device__ int counter = 0;
static __device__ int local = 3;
__device__ int even(int n) { return n == 0 ? 1 : odd(n - 1); }
__global__ void first(float* x, int n) {
  const int i = threadIdx.x;
  if (i < n) x[i] = scaled(static_cast<float>(i)) + local + even(i % 5);
  atomicAdd(&counter, 1);
}
int main() {
  float *x, host[32];
  int count = 0;
  cudaMalloc(&x, sizeof host);
  const float five = 5.f;
  cudaMemcpyToSymbol(factor, &five, sizeof five);
  first<<<1, 32>>>(x, 32);
  launch_second(x, 32);
  cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
  cudaMemcpyFromSymbol(&count, counter, sizeof count);
  std::printf("%g %g %g %d %s\n", host[0], host[1], host[31], count, cudaGetErrorName(cudaGetLastError()));
  return 0;
}
