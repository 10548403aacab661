// Errors of the program: reported where they are made, forgotten when asked for, and nothing else is hurt.
#include <atomic>
#include <thread>
#include "check.h"
__global__ void fine(int* x) { *x = 42; }
__global__ void __launch_bounds__(64) small(int* x) { *x = 43; }
void name(cudaError_t error) { std::printf("%d %s: %s\n", error, cudaGetErrorName(error), cudaGetErrorString(error)); }
std::atomic<bool> go{false};
int main() {
  int *x, value = 0;
  CHECK(cudaMalloc(&x, sizeof(int)));
  fine<<<1, 2048>>>(x);
  name(cudaPeekAtLastError());
  name(cudaGetLastError());
  name(cudaGetLastError());
  fine<<<0, 1>>>(x);
  name(cudaGetLastError());
  fine<<<1, 1, 1 << 20>>>(x);
  name(cudaGetLastError());
  small<<<1, 128>>>(x);
  name(cudaGetLastError());
  name(cudaFree(x + 1));
  name(cudaMemcpy(nullptr, x, 4, cudaMemcpyDeviceToHost));
  name(cudaMemcpy(&value, x, 4, static_cast<cudaMemcpyKind>(9)));
  name(cudaMemcpy(x, &value, std::size_t{1} << 30, cudaMemcpyHostToDevice));  // refused before the host's bytes are read
  int* freed;
  CHECK(cudaMalloc(&freed, sizeof(int)));
  CHECK(cudaFree(freed));
  name(cudaMemcpy(freed, &value, std::size_t{1} << 30, cudaMemcpyHostToDevice));
  cudaStream_t busy;
  CHECK(cudaStreamCreate(&busy));
  CHECK(cudaLaunchHostFunc(busy, [](void*) {
    while (!go) std::this_thread::yield();
  }, nullptr));
  name(cudaMemcpyAsync(x, &value, std::size_t{1} << 30, cudaMemcpyHostToDevice, busy));
  go = true;
  CHECK(cudaStreamDestroy(busy));
  name(cudaSetDevice(3));
  name(cudaEventSynchronize(nullptr));
  void* huge;
  name(cudaMalloc(&huge, std::size_t{1} << 45));
  name(static_cast<cudaError_t>(12345));
  (void)cudaGetLastError();
  fine<<<1, 1>>>(x);
  CHECK(cudaMemcpy(&value, x, sizeof value, cudaMemcpyDeviceToHost));
  std::printf("%d\n", value);
  CHECK(cudaFree(nullptr));
  return 0;
}
