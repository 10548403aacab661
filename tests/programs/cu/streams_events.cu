// Streams, events, and the device's own time.
#include "check.h"
__global__ void scale(float* x, int n, float f) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= f;
}
int main() {
  const int n = 4096, parts = 4;
  float *host, *device;
  CHECK(cudaMallocHost(&host, n * sizeof(float)));
  CHECK(cudaMalloc(&device, n * sizeof(float)));
  for (int i = 0; i < n; ++i) host[i] = static_cast<float>(i);
  cudaStream_t streams[parts];
  cudaEvent_t start, stop, quiet;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventCreateWithFlags(&quiet, cudaEventDisableTiming));
  for (auto& stream : streams) CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaEventRecord(start));
  for (int p = 0; p < parts; ++p) {
    const int at = p * n / parts, m = n / parts;
    CHECK(cudaMemcpyAsync(device + at, host + at, m * sizeof(float), cudaMemcpyHostToDevice, streams[p]));
    scale<<<m / 128, 128, 0, streams[p]>>>(device + at, m, 2.f);
    CHECK(cudaMemcpyAsync(host + at, device + at, m * sizeof(float), cudaMemcpyDeviceToHost, streams[p]));
    CHECK(cudaEventRecord(quiet, streams[p]));
    CHECK(cudaStreamWaitEvent(streams[(p + 1) % parts], quiet, 0));
  }
  for (auto stream : streams) CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float ms = 0;
  CHECK(cudaEventElapsedTime(&ms, start, stop));
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += host[i] != 2.f * i;
  std::printf("%d wrong, time %s\n", wrong, ms > 0.01f && ms < 1000.f ? "passes" : "does not pass");
  std::printf("%s\n", cudaGetErrorName(cudaEventElapsedTime(&ms, start, quiet)));
  std::printf("%s\n", cudaGetErrorName(cudaStreamQuery(streams[0])));
  for (auto stream : streams) CHECK(cudaStreamDestroy(stream));
  std::printf("%s\n", cudaGetErrorName(cudaStreamSynchronize(streams[0])));
  CHECK(cudaFreeHost(host));
  return wrong;
}
