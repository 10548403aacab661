// A failed assertion is an error of every later call, and a reset ends it.
#include <cassert>
#include "check.h"
__global__ void positive(const int* x) { assert(x[threadIdx.x] > 0); }
__global__ void one(int* x) { *x = 1; }
int main() {
  int* x;
  CHECK(cudaMalloc(&x, 32 * sizeof(int)));
  CHECK(cudaMemset(x, 1, 32 * sizeof(int)));
  positive<<<1, 32>>>(x);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  CHECK(cudaMemset(x, 0, sizeof(int)));
  positive<<<1, 32>>>(x);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  std::printf("%s\n", cudaGetErrorName(cudaMalloc(&x, 4)));
  CHECK(cudaDeviceReset());
  CHECK(cudaMalloc(&x, 4));
  one<<<1, 1>>>(x);
  int value = 0;
  CHECK(cudaMemcpy(&value, x, 4, cudaMemcpyDeviceToHost));
  std::printf("%d\n", value);
  return 0;
}
