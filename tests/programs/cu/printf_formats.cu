// printf in kernels: every conversion, flags, widths, precisions, sizes, and what it returns.
#include "check.h"
__global__ void print(const char* text, void* pointer) {
  printf("%d %i %u %o %x %X %c %%\n", -42, 42, 42u, 42u, 255u, 255u, 'c');
  printf("[%5d] [%-5d] [%05d] [%+d] [% d] [%.3d] [%*d]\n", 42, 42, 42, 42, 42, 7, 6, 42);
  printf("%ld %lld %lu %llu %llx %hd %hhd\n", -1l, 1ll << 40, 1ul << 40, ~0ull, 0xdeadbeefcafell, 12, 13);
  printf("%f %.2f %10.3f %e %.3E %g %G\n", 1.5, 2.0 / 3, 3.14159, 12345.678, 0.00012, 1e-5, 1e20);
  printf("%a %f %f %f\n", 1.0, 1e30, -0.0, 1.0f / 3);
  printf("[%s] [%10s] [%-10s] [%.2s]\n", text, "right", "left", "cut");
  printf("%p %s\n", pointer, "");
  printf("%#x %#o %5.1f%%\n", 255u, 8u, 99.5);
  const int count = printf("%d %d %d\n", 1, 2, 3);
  printf("returned %d\n", count);
  printf("no arguments\n");
}
__global__ void threads() {
  if (threadIdx.x % 8 == 0) printf("block %d thread %d\n", blockIdx.x, threadIdx.x);
}
int main() {
  char* text;
  CHECK(cudaMallocManaged(&text, 16));
  for (int i = 0; i < 6; ++i) text[i] = "words"[i];
  print<<<1, 1>>>(text, reinterpret_cast<void*>(0x1234));
  CHECK(cudaDeviceSynchronize());
  threads<<<1, 16>>>();
  CHECK(cudaDeviceSynchronize());
  return 0;
}
