// printf and assert as nvcc emits them.
#include <assert.h>

#include <cstdio>

extern "C" __global__ void prints(int n) {
  const int i = threadIdx.x;
  if (i % 2 == 0) printf("thread %d of %s: %5.2f 0x%llx %c%%\n", i, "CTA", 1.5 * i, 0x100000000ull + i, 'a' + i);
  if (i >= n) printf("done\n");
}

extern "C" __global__ void asserts(const int* values) {
  assert(values[threadIdx.x] < 100);
}
