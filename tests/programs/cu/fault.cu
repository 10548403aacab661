// An access out of bounds, and a pointer of another kind.
#include "check.h"
__global__ void store(int* x, int i) { x[i] = 1; }
int main() {
  int* x;
  CHECK(cudaMalloc(&x, 10 * sizeof(int)));
  store<<<1, 1>>>(x, 9);
  CHECK(cudaDeviceSynchronize());
  store<<<1, 1>>>(x, 1000000);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  store<<<1, 1>>>(x, 0);
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  CHECK(cudaDeviceReset());
  CHECK(cudaMalloc(&x, 10 * sizeof(int)));
  store<<<1, 1>>>(reinterpret_cast<int*>(reinterpret_cast<char*>(x) + 1), 0);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
