// Compiled with a default stream for each thread: a launch without a stream does not wait for a host function of another thread's.
#include <atomic>
#include <cstdio>
#include <thread>
#include "../cu/check.h"
__global__ void add(int* at, int number) { atomicAdd(at, number); }
static std::atomic<bool> go{false};
int main() {
  int *at, got[2];
  CHECK(cudaMalloc(&at, sizeof got));
  CHECK(cudaMemset(at, 0, sizeof got));
  CHECK(cudaDeviceSynchronize());
  std::thread other([&] {
    CHECK(cudaLaunchHostFunc(nullptr, [](void*) {
      while (!go) std::this_thread::yield();
    }, nullptr));
    add<<<1, 32>>>(at, 1);
    CHECK(cudaStreamSynchronize(nullptr));
    add<<<1, 32>>>(at, 1);
    CHECK(cudaStreamSynchronize(cudaStreamPerThread));
  });
  add<<<1, 32>>>(at + 1, 2);
  CHECK(cudaStreamSynchronize(nullptr));
  CHECK(cudaMemcpy(&got[1], at + 1, sizeof got[1], cudaMemcpyDeviceToHost));
  go = true;
  other.join();
  CHECK(cudaMemcpyAsync(&got[0], at, sizeof got[0], cudaMemcpyDeviceToHost, cudaStreamLegacy));
  CHECK(cudaStreamSynchronize(cudaStreamLegacy));
  std::printf("%d %d\n", got[0], got[1]);
  return 0;
}
