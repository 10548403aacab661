// Compiled with a default stream for each thread. A thread's own stream does not wait for a host function of another thread's.
#include <atomic>
#include <cstdio>
#include <thread>
#include "../cu/check.h"
__global__ void add(int* at, int number) { atomicAdd(at, number); }
static std::atomic<bool> waits{false}, go{false};
int main() {
  int *at, got[2];
  CHECK(cudaMalloc(&at, sizeof got));
  CHECK(cudaMemset(at, 0, sizeof got));
  CHECK(cudaDeviceSynchronize());
  std::thread other([&] {
    CHECK(cudaLaunchHostFunc(cudaStreamPerThread, [](void*) {
      waits = true;
      while (!go) std::this_thread::yield();
    }, nullptr));
    add<<<1, 32, 0, cudaStreamPerThread>>>(at, 1);
    CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    add<<<1, 32>>>(at, 1);
    CHECK(cudaStreamSynchronize(nullptr));
  });
  while (!waits) std::this_thread::yield();
  add<<<1, 32, 0, cudaStreamPerThread>>>(at + 1, 2);
  CHECK(cudaMemcpyAsync(&got[1], at + 1, sizeof got[1], cudaMemcpyDeviceToHost, cudaStreamPerThread));
  CHECK(cudaStreamSynchronize(cudaStreamPerThread));
  go = true;
  other.join();
  CHECK(cudaMemcpy(&got[0], at, sizeof got[0], cudaMemcpyDeviceToHost));
  std::printf("%d %d\n", got[0], got[1]);
  return 0;
}
