// Launches cost little: an empty kernel, again and again.
#include "check.h"
__global__ void nothing() {}
int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1000;
  for (int i = 0; i < n; ++i) nothing<<<1, 32>>>();
  CHECK(cudaDeviceSynchronize());
  std::printf("%d launches\n", n);
  return 0;
}
