// A kernel that the machine does not have refuses its own launch, and nothing else.
#include "check.h"
__global__ void layered(cudaTextureObject_t t, float* x) { *x = tex2D<float>(t, 0.5f, 0.5f); }
__global__ void plain(float* x) { *x = 1.5f; }
int main() {
  float *x, host = 0;
  CHECK(cudaMalloc(&x, sizeof(float)));
  layered<<<1, 1>>>(0, x);
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  plain<<<1, 1>>>(x);
  CHECK(cudaMemcpy(&host, x, sizeof host, cudaMemcpyDeviceToHost));
  std::printf("%g\n", host);
  cudaArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  std::printf("%d %s\n", format.x, cudaGetErrorName(cudaMallocArray(&array, &format, 8, 8)));
  cudaGraph_t graph;
  std::printf("%s\n", cudaGetErrorName(cudaGraphCreate(&graph, 0)));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  std::printf("%s\n", cudaGetErrorName(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal)));
  cudaIpcMemHandle_t handle;
  std::printf("%s\n", cudaGetErrorName(cudaIpcGetMemHandle(&handle, x)));
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  return 0;
}
