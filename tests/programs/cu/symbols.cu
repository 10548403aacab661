// __constant__ and __device__ variables: copies with offsets, addresses, sizes, pointers between them.
#include "check.h"
__constant__ int weights[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__device__ int total = 40;
__device__ int* where = &total;
__global__ void sum(int* out) {
  int s = 0;
  for (int i = 0; i < 8; ++i) s += weights[i];
  atomicAdd(&total, s);
  out[0] = *where;
}
int main() {
  int *out, two[2] = {100, 200}, result = 0, seen = 0;
  CHECK(cudaMalloc(&out, sizeof(int)));
  CHECK(cudaMemcpyToSymbol(weights, two, sizeof two, 2 * sizeof(int)));
  sum<<<1, 1>>>(out);
  CHECK(cudaMemcpyFromSymbol(&result, total, sizeof result));
  CHECK(cudaMemcpy(&seen, out, sizeof seen, cudaMemcpyDeviceToHost));
  std::size_t bytes = 0;
  void* address = nullptr;
  CHECK(cudaGetSymbolSize(&bytes, weights));
  CHECK(cudaGetSymbolAddress(&address, total));
  CHECK(cudaMemset(address, 0, sizeof(int)));
  sum<<<1, 1>>>(out);
  int again = 0;
  CHECK(cudaMemcpyFromSymbol(&again, total, sizeof again, 0, cudaMemcpyDeviceToHost));
  std::printf("%d %d %d %zu\n", result, seen, again, bytes);
  std::printf("%s\n", cudaGetErrorName(cudaMemcpyToSymbol(weights, two, sizeof two, 31)));
  return result == 369 && seen == 369 && again == 329 ? 0 : 1;
}
