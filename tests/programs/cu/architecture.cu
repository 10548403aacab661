// arch: 80
// What kernels say of their code decides which of a library's variants runs: that of the PTX, not of the machine.
#include "check.h"
__global__ void kernel(int* x) {
#ifdef __CUDA_ARCH__
  *x = __CUDA_ARCH__;
#endif
}
int main() {
  int *x, host = 0;
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, kernel));
  CHECK(cudaMalloc(&x, sizeof(int)));
  kernel<<<1, 1>>>(x);
  CHECK(cudaMemcpy(&host, x, sizeof host, cudaMemcpyDeviceToHost));
  std::printf("PTX %d, machine %d, %d\n", attributes.ptxVersion, attributes.binaryVersion, host);
  CHECK(cudaFree(x));
  return 0;
}
