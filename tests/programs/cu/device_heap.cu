// malloc and free of kernels; what they hold outlives the launch.
#include "check.h"
__device__ int* kept[64];
__global__ void take() {
  int* x = static_cast<int*>(malloc(4 * sizeof(int)));
  for (int i = 0; i < 4; ++i) x[i] = threadIdx.x * 4 + i;
  kept[threadIdx.x] = x;
}
__global__ void give(int* sum) {
  int s = 0;
  for (int i = 0; i < 4; ++i) s += kept[threadIdx.x][i];
  free(kept[threadIdx.x]);
  atomicAdd(sum, s);
}
int main() {
  std::size_t heap = 0;
  CHECK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
  CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, heap / 2));
  int *sum, host = 0;
  CHECK(cudaMalloc(&sum, sizeof(int)));
  CHECK(cudaMemset(sum, 0, sizeof(int)));
  take<<<1, 64>>>();
  give<<<1, 64>>>(sum);
  CHECK(cudaMemcpy(&host, sum, sizeof host, cudaMemcpyDeviceToHost));
  std::printf("%d\n", host);
  return host != 256 * 255 / 2;
}
