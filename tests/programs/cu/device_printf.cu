// printf of kernels appears in the order of the launches, between the program's own lines.
#include "check.h"
__global__ void say(int n, double x, const char* word) {
  if (threadIdx.x < n) printf("thread %d of block %u: %.3f %s %5lld|%-4x|%c\n", threadIdx.x, blockIdx.x, x, word, 1ll << 40, 255, 'q');
}
__device__ const char text[] = "word";
int main() {
  void* at;
  CHECK(cudaGetSymbolAddress(&at, text));
  std::printf("before\n");
  say<<<1, 2>>>(2, 1.5, static_cast<const char*>(at));
  CHECK(cudaDeviceSynchronize());
  std::printf("between\n");
  say<<<1, 1>>>(1, -2.25, static_cast<const char*>(at));
  CHECK(cudaDeviceSynchronize());
  std::printf("after\n");
  return 0;
}
