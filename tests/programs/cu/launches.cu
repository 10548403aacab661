// The ways to launch a kernel.
#include "check.h"
__global__ void add(int* x, short a, double b) { atomicAdd(x, a + static_cast<int>(b) + static_cast<int>(threadIdx.x + blockIdx.x)); }
int main() {
  int *x, host = 0;
  CHECK(cudaMalloc(&x, sizeof(int)));
  CHECK(cudaMemset(x, 0, sizeof(int)));
  short a = 3;
  double b = 4.5;
  void* arguments[] = {&x, &a, &b};
  add<<<2, 2>>>(x, a, b);
  CHECK(cudaLaunchKernel(add, 2, 2, arguments, 0, nullptr));
  cudaLaunchConfig_t configuration{};
  configuration.gridDim = 2;
  configuration.blockDim = 2;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  configuration.attrs = &attribute;
  configuration.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&configuration, add, x, a, b));
  cudaKernel_t kernel;
  CHECK(cudaGetKernel(&kernel, add));
  CHECK(cudaLaunchKernel(kernel, 2, 2, arguments, 0, nullptr));
  const char* name;
  CHECK(cudaFuncGetName(&name, reinterpret_cast<const void*>(add)));
  std::size_t offset = 0, bytes = 0;
  CHECK(cudaFuncGetParamInfo(reinterpret_cast<const void*>(add), 2, &offset, &bytes));
  CHECK(cudaMemcpy(&host, x, sizeof host, cudaMemcpyDeviceToHost));
  std::printf("%d %s %zu %zu\n", host, name, offset, bytes);
  int local = 0;
  std::printf("%s\n", cudaGetErrorName(cudaLaunchKernel(&local, 1, 1, arguments, 0, nullptr)));
  return host != 4 * (4 * 7 + 4);
}
