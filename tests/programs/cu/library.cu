// A module that the program loads itself, as text.
#include "check.h"
static const char text[] = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry twice(.param .u64 p) {
  .reg .b32 %r<3>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p];
  ld.global.u32 %r1, [%rd1];
  add.u32 %r2, %r1, %r1;
  st.global.u32 [%rd1], %r2;
  ret;
}
)";
int main() {
  cudaLibrary_t library;
  cudaKernel_t kernel;
  CHECK(cudaLibraryLoadData(&library, text, nullptr, nullptr, 0, nullptr, nullptr, 0));
  CHECK(cudaLibraryGetKernel(&kernel, library, "twice"));
  int *x, host = 21;
  CHECK(cudaMalloc(&x, sizeof(int)));
  CHECK(cudaMemcpy(x, &host, sizeof host, cudaMemcpyHostToDevice));
  void* arguments[] = {&x};
  CHECK(cudaLaunchKernel(kernel, 1, 1, arguments, 0, nullptr));
  CHECK(cudaMemcpy(&host, x, sizeof host, cudaMemcpyDeviceToHost));
  std::printf("%d %s\n", host, cudaGetErrorName(cudaLibraryGetKernel(&kernel, library, "thrice")));
  cudaGraph_t graph;
  cudaGraphNode_t node;
  cudaGraphExec_t exec;
  cudaKernelNodeParams params = {reinterpret_cast<void*>(kernel), dim3(1), dim3(1), 0, arguments, nullptr};
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaLibraryUnload(library));
  std::printf("%s\n", cudaGetErrorName(cudaGraphLaunch(exec, nullptr)));
  return host != 42;
}
