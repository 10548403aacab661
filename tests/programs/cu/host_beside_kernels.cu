// The host works on managed and mapped memory behind a launch, and does not wait for the device before.
#include "check.h"
__global__ void add(int* counters, int n) {
  for (int i = 0; i < n; ++i) atomicAdd_system(&counters[i], 1);
}
__global__ void answer(int* result, int* flag, int value) {
  *result = value * value;
  __threadfence_system();
  *flag = 1;
}
int main() {
  int *counters, *shared, *device_shared;
  const int n = 4, threads = 64;
  CHECK(cudaMallocManaged(&counters, n * sizeof(int)));
  for (int i = 0; i < n; ++i) counters[i] = 100 * i;
  add<<<2, threads>>>(counters, n);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 10; ++k) __sync_fetch_and_add(&counters[i], 1);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) std::printf("%d ", counters[i]);
  CHECK(cudaHostAlloc(&shared, 2 * sizeof(int), cudaHostAllocMapped));
  CHECK(cudaHostGetDevicePointer(&device_shared, shared, 0));
  shared[0] = shared[1] = 0;
  answer<<<1, 1>>>(device_shared, device_shared + 1, 7);
  const volatile int* const flag = shared + 1;
  while (*flag == 0) {
  }
  std::printf("%d\n", shared[0]);
  CHECK(cudaFree(counters));
  CHECK(cudaFreeHost(shared));
  return 0;
}
