// All shared memory that a block may have, from code in whose addresses the hardware's own part lies before it.
#include <cstdio>
extern __shared__ int words[];
__global__ void backwards(int* sum, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) words[i] = i;
  __syncthreads();
  int own = 0;
  for (int i = threadIdx.x; i < count; i += blockDim.x) own += words[count - 1 - i] & 1;
  atomicAdd(sum, own);
}
__global__ void fixed(int* sum) {
  __shared__ int some[100];
  some[threadIdx.x] = threadIdx.x;
  __syncthreads();
  sum[threadIdx.x] = some[99 - threadIdx.x];
}
int main() {
  int *sum, most, got = 0, blocks = 0;
  cudaMalloc(&sum, 400);
  cudaMemset(sum, 0, 400);
  cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
  cudaFuncAttributes of_none, of_some;
  cudaFuncGetAttributes(&of_none, backwards);
  cudaFuncGetAttributes(&of_some, fixed);
  const cudaError_t allowed = cudaFuncSetAttribute(backwards, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
  const cudaError_t beyond = cudaFuncSetAttribute(backwards, cudaFuncAttributeMaxDynamicSharedMemorySize, most + 1);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, backwards, 128, (most - 1024) / 2);
  backwards<<<1, 128, most>>>(sum, most / 4);
  cudaMemcpy(&got, sum, 4, cudaMemcpyDeviceToHost);
  std::printf("%d bytes, %s, one more %s; own %d and %d; %d blocks of a half; %d %s\n", most, cudaGetErrorName(allowed),
              cudaGetErrorName(beyond), static_cast<int>(of_none.sharedSizeBytes),
              static_cast<int>(of_some.sharedSizeBytes), blocks, got, cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
