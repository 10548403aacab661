// One kernel's machine code is executed, the other's has an atomic on a vector.
#include <cstdio>

__device__ int count;
__device__ float4 sums;

__global__ void counts() { atomicAdd(&count, 1); }
__global__ void adds() { atomicAdd(&sums, make_float4(1, threadIdx.x, 0, 0)); }

int main() {
  int counted = 0;
  counts<<<1, 64>>>();
  const cudaError_t first = cudaGetLastError();
  cudaMemcpyFromSymbol(&counted, count, sizeof counted);
  std::printf("%d %s\n", counted, cudaGetErrorName(first));
  float4 summed{};
  adds<<<1, 64>>>();
  const cudaError_t second = cudaGetLastError();
  cudaMemcpyFromSymbol(&summed, sums, sizeof summed);
  std::printf("%g %g %s\n", summed.x, summed.y, cudaGetErrorName(second));
}
