// Clocks and pauses of the device.
#include "check.h"
__device__ unsigned long long timer() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}
__global__ void watch(int* out) {
  const long long began = clock64();
  const clock_t small = clock();
  const unsigned long long ns = timer();
  for (int i = 0; i < 5; ++i) __nanosleep(2000);
  out[0] = clock64() - began > 4;
  out[1] = clock() != small;
  out[2] = timer() - ns < 1000000000ull;
}
__global__ void wait_for_cycles(long long cycles, int* out) {
  const long long began = clock64();
  while (clock64() - began < cycles) {
  }
  out[threadIdx.x] = 1;
}
int main() {
  int *out, got[3];
  CHECK(cudaMalloc(&out, 128));
  watch<<<1, 1>>>(out);
  CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  std::printf("%d %d %d\n", got[0], got[1], got[2]);
  wait_for_cycles<<<1, 32>>>(5000, out);
  CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  std::printf("%d %d\n", got[0], got[2]);
  return 0;
}
