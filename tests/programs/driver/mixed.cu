// Both interfaces in a program that holds the static runtime: streams, memory and kernels of one are those of the other.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cstdio>
#include "check.h"
static const char* const kPtx = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry twice(.param .u64 values) {
  .reg .b64 %rd<3>; .reg .b32 %r<3>;
  ld.param.u64 %rd0, [values];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd1, %rd0;
  ld.global.u32 %r1, [%rd1]; shl.b32 %r1, %r1, 1; st.global.u32 [%rd1], %r1;
  ret;
}
)";
__global__ void plus_one(int* values) { values[threadIdx.x] += 1; }
int main() {
  int* values = nullptr;
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaMalloc(&values, 32 * sizeof(int));
  cudaMemsetAsync(values, 0, 32 * sizeof(int), stream);
  plus_one<<<1, 32, 0, stream>>>(values);
  CUmodule module = nullptr;
  CUfunction twice = nullptr;
  CHECK(cuModuleLoadData(&module, kPtx));
  CHECK(cuModuleGetFunction(&twice, module, "twice"));
  void* arguments[] = {&values};
  CHECK(cuLaunchKernel(twice, 1, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr));
  plus_one<<<1, 32, 0, stream>>>(values);
  int host[32] = {};
  CHECK(cuMemcpyDtoHAsync(host, reinterpret_cast<CUdeviceptr>(values), sizeof host, stream));
  cudaStreamSynchronize(stream);
  std::printf("%d %d %s\n", host[0], host[31], cudaGetErrorName(cudaGetLastError()));
  return 0;
}
