// A kernel that traps: the device is useless until it is reset, and the program goes on.
#include "check.h"
__global__ void stop(int* out, int which) {
  if (which == 1 && threadIdx.x == 3) __trap();
  __prof_trigger(0);
  out[threadIdx.x] = __isGlobal(out) + __isShared(out) + __isLocal(&which);
}
int main() {
  int *out, got[32];
  CHECK(cudaMalloc(&out, sizeof got));
  stop<<<1, 32>>>(out, 0);
  CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  std::printf("%d\n", got[31]);
  stop<<<1, 32>>>(out, 1);
  std::printf("%s ", cudaGetErrorName(cudaDeviceSynchronize()));
  std::printf("%s ", cudaGetErrorName(cudaMalloc(&out, 4)));
  std::printf("%s\n", cudaGetErrorName(cudaDeviceReset()));
  CHECK(cudaMalloc(&out, sizeof got));
  stop<<<1, 32>>>(out, 0);
  CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  std::printf("%d\n", got[0]);
  return 0;
}
