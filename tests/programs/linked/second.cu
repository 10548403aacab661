#include "shared.h"
__constant__ float factor = 1.f;
static __device__ int local = 100;
__device__ float scaled(float x) { return factor * x; }
__device__ int odd(int n) { return n == 0 ? 0 : even(n - 1); }
__global__ void second(float* x, int n) {
  const int i = threadIdx.x;
  if (i < n) x[i] += local;
  atomicAdd(&counter, 2);
}
void launch_second(float* x, int n) { second<<<1, 32>>>(x, n); }
