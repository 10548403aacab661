// Atomics in shared and global memory, dynamic shared memory, a kernel attribute.
#include <vector>
#include "check.h"
__global__ void histogram(const unsigned char* data, int n, unsigned* bins) {
  extern __shared__ unsigned local[];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[data[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], local[i]);
}
int main() {
  const int n = 10000;
  std::vector<unsigned char> host(n);
  std::vector<unsigned> want(256), got(256);
  for (int i = 0; i < n; ++i) ++want[host[i] = static_cast<unsigned char>(i * i >> 3)];
  unsigned char* data;
  unsigned* bins;
  CHECK(cudaMalloc(&data, n));
  CHECK(cudaMalloc(&bins, 1024));
  CHECK(cudaMemset(bins, 0, 1024));
  CHECK(cudaMemcpy(data, host.data(), n, cudaMemcpyHostToDevice));
  CHECK(cudaFuncSetAttribute(histogram, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024));
  histogram<<<6, 128, 1024>>>(data, n, bins);
  CHECK(cudaMemcpy(got.data(), bins, 1024, cudaMemcpyDeviceToHost));
  std::printf("%s\n", want == got ? "equal" : "different");
  return want != got;
}
