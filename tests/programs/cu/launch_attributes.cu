// Launches with attributes, and with more shared memory than 48 KiB.
#include "check.h"
#include <cooperative_groups.h>
__global__ void __launch_bounds__(128, 2) sums(const __grid_constant__ int factor, int* out) {
  extern __shared__ int dynamic[];
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  const int last = 15 * 1024 - 1;
  for (int i = threadIdx.x; i <= last; i += blockDim.x) dynamic[i] = i * factor;
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = dynamic[last] + dynamic[blockIdx.x];
  grid.sync();
  if (grid.thread_rank() == 0) {
    int sum = 0;
    for (unsigned i = 0; i < gridDim.x; ++i) sum += out[i];
    out[gridDim.x] = sum;
  }
}
struct SharedBytes {
  __host__ __device__ int operator()(int) const { return 1024; }
};
int main() {
  const int bytes = 60 * 1024, blocks = 3;
  int *out, got[blocks + 1], factor = 2, resident = 0, least = 0, threads = 0;
  CHECK(cudaMalloc(&out, sizeof got));
  CHECK(cudaFuncSetAttribute(sums, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, sums, 128, bytes));
  CHECK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&least, &threads, sums, SharedBytes{}));
  cudaLaunchAttribute attributes[2] = {};
  attributes[0].id = cudaLaunchAttributeCooperative;
  attributes[0].val.cooperative = 1;
  attributes[1].id = cudaLaunchAttributePriority;
  cudaLaunchConfig_t how = {};
  how.gridDim = dim3(blocks);
  how.blockDim = dim3(128);
  how.dynamicSmemBytes = bytes;
  how.attrs = attributes;
  how.numAttrs = 2;
  void* arguments[] = {&factor, &out};
  CHECK(cudaLaunchKernelExC(&how, reinterpret_cast<const void*>(sums), arguments));
  CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  std::printf("%d %d %d %d, %s, %d\n", got[0], got[1], got[2], got[3], resident > 0 ? "resident" : "not resident", threads);
  how.dynamicSmemBytes = 1 << 20;
  std::printf("%s\n", cudaGetErrorName(cudaLaunchKernelExC(&how, reinterpret_cast<const void*>(sums), arguments)));
  return 0;
}
