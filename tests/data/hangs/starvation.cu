// Warps that are always ready to issue, and one that they wait for.
#include "waiting.h"

// Warps poll with long stretches of arithmetic between two looks; the last warp sets the flag after some
// of its own.
KERNEL starve_last_warp(int* flag, int* out) {
  const int last = blockDim.x / 32 - 1;
  int a = threadIdx.x, b = 1, c = 2, d = 3;
  if (warp_of_cta() != last) {
    do {
#pragma unroll
      for (int i = 0; i < 64; ++i)
        asm volatile("add.u32 %0, %0, 1; add.u32 %1, %1, 3; add.u32 %2, %2, 5; add.u32 %3, %3, 7;"
                     : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
    } while (peek(flag) == 0);
    out[threadIdx.x] = 7;
    out[threadIdx.x + 512] = a + b + c + d;
  } else {
    __threadfence();
    delay(100);
    if (lane() == 0) poke(flag, 1);
  }
}
