// Occupancy, function attributes, limits, dynamic shared memory beyond the default, launch attributes.
#include "check.h"
__global__ void small(int* x) { x[threadIdx.x] = 1; }
__global__ void __launch_bounds__(64) bounded(int* x) {
  __shared__ int tile[256];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = tile[63 - threadIdx.x];
}
__global__ void large(int* x, int words) {
  extern __shared__ int dynamic[];
  for (int i = threadIdx.x; i < words; i += blockDim.x) dynamic[i] = i;
  __syncthreads();
  if (threadIdx.x == 0) *x = dynamic[words - 1];
}
int main() {
  int blocks = 0, least = 0, size = 0, *x, got = 0;
  CHECK(cudaMalloc(&x, 4096));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, small, 256, 0));
  std::printf("%s", blocks >= 2 ? "several" : "few");
  CHECK(cudaOccupancyMaxPotentialBlockSize(&least, &size, small, 0, 0));
  std::printf(" %s", least > 0 && size >= 256 && size % 32 == 0 ? "sized" : "not sized");
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, bounded));
  std::printf(" %d %zu %s\n", attributes.maxThreadsPerBlock, attributes.sharedSizeBytes, attributes.numRegs > 0 ? "registers" : "none");
  bounded<<<1, 64>>>(x);
  std::printf("%s ", cudaGetErrorName(cudaGetLastError()));
  bounded<<<1, 128>>>(x);
  std::printf("%s ", cudaGetErrorName(cudaGetLastError()));
  small<<<1, 2048>>>(x);
  std::printf("%s ", cudaGetErrorName(cudaGetLastError()));
  large<<<1, 64, 50 * 1024>>>(x, 1);  // more than 48 KiB, which it has not been allowed
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  int most = 0;
  CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  CHECK(cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
  large<<<1, 64, 40960>>>(x, 10240);
  CHECK(cudaMemcpy(&got, x, 4, cudaMemcpyDeviceToHost));
  std::printf("%d\n", got);
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(2);
  config.blockDim = dim3(32);
  config.dynamicSmemBytes = 1024;
  CHECK(cudaLaunchKernelEx(&config, large, x, 256));
  CHECK(cudaMemcpy(&got, x, 4, cudaMemcpyDeviceToHost));
  int clusters = 0, together = 0, none = 0;
  cudaLaunchAttribute attribute = {};
  CHECK(cudaOccupancyMaxActiveClusters(&clusters, large, &config));
  CHECK(cudaOccupancyMaxPotentialClusterSize(&together, large, &config));
  config.blockDim = dim3(1 << 16, 1 << 16);  // as many as 2^32
  const cudaError_t code = cudaOccupancyMaxActiveClusters(&none, large, &config);
  config.blockDim = dim3(32);
  config.attrs = &attribute;
  config.numAttrs = 1;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {2, 1, 1};
  CHECK(cudaOccupancyMaxActiveClusters(&none, large, &config));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, large, 32, 1024));
  cudaDeviceProp device;
  CHECK(cudaGetDeviceProperties(&device, 0));
  std::printf("%d %d %d %s\n", clusters == blocks * device.multiProcessorCount, together, none, cudaGetErrorName(code));
  size_t stack = 0;
  CHECK(cudaDeviceGetLimit(&stack, cudaLimitStackSize));
  std::printf("%d %s\n", got, stack >= 1024 ? "stack" : "no stack");
  return 0;
}
