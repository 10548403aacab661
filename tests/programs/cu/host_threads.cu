// Several host threads use the device at once; errors are of the thread that made them.
#include <thread>
#include <vector>
#include "check.h"
__global__ void fill(int* x, int v, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = v + i;
}
int main() {
  const int n = 500;
  std::vector<std::thread> threads;
  std::vector<int> wrong(6);
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([t, &wrong] {
      cudaStream_t stream;
      int* x;
      CHECK(cudaSetDevice(0));
      CHECK(cudaStreamCreate(&stream));
      CHECK(cudaMalloc(&x, n * sizeof(int)));
      for (int round = 0; round < 5; ++round) {
        fill<<<1, 64, 0, stream>>>(x, 1000 * t + round, n);
        std::vector<int> y(n);
        CHECK(cudaMemcpyAsync(y.data(), x, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
        CHECK(cudaStreamSynchronize(stream));
        for (int i = 0; i < n; ++i) wrong[t] += y[i] != 1000 * t + round + i;
      }
      if (t == 3 && cudaSetDevice(7) != cudaErrorInvalidDevice) ++wrong[t];
      if (cudaGetLastError() != (t == 3 ? cudaErrorInvalidDevice : cudaSuccess)) ++wrong[t];
    });
  for (auto& thread : threads) thread.join();
  int all = 0;
  for (int each : wrong) all += each;
  std::printf("%d wrong, %s\n", all, cudaGetErrorName(cudaGetLastError()));
  return all;
}
