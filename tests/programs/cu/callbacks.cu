// Host functions run in the order of their stream, on a thread of their own: one may wait for the program.
#include <atomic>
#include <thread>
#include "check.h"
__global__ void set(int* x, int v) { *x = v; }
std::atomic<bool> go{false};
std::atomic<int> order{0};
int seen[3];
int main() {
  int *x, value = 0;
  CHECK(cudaMalloc(&x, sizeof(int)));
  cudaStream_t stream, other;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  set<<<1, 1, 0, stream>>>(x, 1);
  CHECK(cudaLaunchHostFunc(stream, [](void*) {
    while (!go) std::this_thread::yield();
    seen[0] = ++order;
  }, nullptr));
  set<<<1, 1, 0, stream>>>(x, 2);
  CHECK(cudaMemcpyAsync(&value, x, sizeof value, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamAddCallback(stream, [](cudaStream_t, cudaError_t status, void* data) {
    seen[1] = status == cudaSuccess ? ++order : -1;
    seen[2] = *static_cast<int*>(data);
  }, &value, 0));
  std::printf("%s %s\n", cudaGetErrorName(cudaStreamQuery(stream)), cudaGetErrorName(cudaStreamQuery(other)));
  cudaEvent_t event;
  CHECK(cudaEventCreate(&event));
  CHECK(cudaEventRecord(event, stream));
  std::printf("%s\n", cudaGetErrorName(cudaEventQuery(event)));
  go = true;
  CHECK(cudaStreamSynchronize(stream));
  std::printf("%d %d %d %d\n", seen[0], seen[1], seen[2], value);
  CHECK(cudaEventSynchronize(event));
  CHECK(cudaStreamDestroy(stream));
  return 0;
}
