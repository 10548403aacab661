// Functions of the driver that a program asks the runtime for, and kernels by their handles.
#include <cuda.h>
#include <cuda_runtime.h>
#include "check.h"
__global__ void add(int* at, int number) { atomicAdd(at, number); }
int main() {
  int *at, got = 0;
  CHECK(cudaMalloc(&at, 4));
  CHECK(cudaMemset(at, 0, 4));
  void* found = nullptr;
  cudaDriverEntryPointQueryResult how;
  CHECK(cudaGetDriverEntryPointByVersion("cuLaunchKernel", &found, 12000, cudaEnableDefault, &how));
  std::printf("%d %d\n", found != nullptr, how);
  cudaKernel_t kernel;
  CHECK(cudaGetKernel(&kernel, (const void*)add));
  int number = 3;
  void* arguments[] = {&at, &number};
  const auto launch = reinterpret_cast<decltype(&cuLaunchKernel)>(found);
  std::printf("%d\n", launch(reinterpret_cast<CUfunction>(kernel), 2, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
  CHECK(cudaLaunchKernel((const void*)kernel, dim3(1), dim3(32), arguments, 0, 0));
  CHECK(cudaMemcpy(&got, at, 4, cudaMemcpyDeviceToHost));
  std::printf("%d\n", got);
  const cudaError_t error = cudaGetDriverEntryPointByVersion("cuNoSuchFunction", &found, 12000, cudaEnableDefault, &how);
  std::printf("%s %d %d\n", cudaGetErrorName(error), found == nullptr, how);
  return 0;
}
