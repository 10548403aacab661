// A kernel that the machine does not have refuses its own launch, and nothing else.
#include "check.h"
__global__ void reduced(cudaSurfaceObject_t s) {
  asm volatile("sured.b.add.1d.u32.trap [%0, {%1}], %2;" ::"l"(s), "r"(0), "r"(1));
}
__global__ void plain(float* x) { *x = 1.5f; }
int main() {
  float *x, host = 0;
  CHECK(cudaMalloc(&x, sizeof(float)));
  reduced<<<1, 1>>>(0);
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  plain<<<1, 1>>>(x);
  CHECK(cudaMemcpy(&host, x, sizeof host, cudaMemcpyDeviceToHost));
  std::printf("%g\n", host);
  cudaMipmappedArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  std::printf("%d %s\n", format.x, cudaGetErrorName(cudaMallocMipmappedArray(&array, &format, make_cudaExtent(8, 8, 0), 3)));
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphConditionalHandle condition;
  std::printf("%s\n", cudaGetErrorName(cudaGraphConditionalHandleCreate(&condition, graph, 0, 0)));
  cudaIpcMemHandle_t handle;
  std::printf("%s\n", cudaGetErrorName(cudaIpcGetMemHandle(&handle, x)));
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  return 0;
}
