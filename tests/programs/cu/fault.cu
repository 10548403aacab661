// Accesses out of bounds, a pointer of another kind, a breakpoint.
#include "check.h"
__global__ void store(int* x, int i) { x[i] = 1; }
__global__ void store_shared(int* x, int i) {
  __shared__ int shared[4];
  shared[i] = 1;
  __syncthreads();
  *x = shared[i % 4];
}
__global__ void stop() { __brkpt(); }
int main() {
  int* x;
  CHECK(cudaMalloc(&x, 10 * sizeof(int)));
  store<<<1, 1>>>(x, 9);
  CHECK(cudaDeviceSynchronize());
  store<<<1, 1>>>(x, 1 << 28);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  store<<<1, 1>>>(x, 0);
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  CHECK(cudaDeviceReset());
  CHECK(cudaMalloc(&x, 10 * sizeof(int)));
  store<<<1, 1>>>(reinterpret_cast<int*>(reinterpret_cast<char*>(x) + 1), 0);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  CHECK(cudaDeviceReset());
  CHECK(cudaMalloc(&x, 10 * sizeof(int)));
  store_shared<<<1, 1>>>(x, 1 << 20);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  CHECK(cudaDeviceReset());
  stop<<<1, 1>>>();
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
