// Loops without memory, or with memory that only the thread itself changes: without end, or merely long.
#include "waiting.h"

KERNEL loop_empty(int* out) {
  out[threadIdx.x] = 1;
  for (;;) asm volatile("");
}

KERNEL loop_counting(int* out) {
  int n = out[threadIdx.x];
  for (;;) {
    ++n;
    keep(n);
  }
}

// An even number meets an even bound, never an odd one.
KERNEL loop_stride(int* out, int bound) {
  int n = 0;
  while (n != bound) {
    n += 2;
    keep(n);
  }
  out[threadIdx.x] = n;
}

// A random walk without an exit.
KERNEL loop_walk(int* out) {
  int x = threadIdx.x;
  for (;;) {
    x = x * 1664525 + 1013904223;
    keep(x);
  }
}

// The powers of five: their low bits come back soon, and some values are never among them.
KERNEL loop_powers(int* out, int mask, int wanted) {
  int x = 1, n = 0;
  while ((x & mask) != wanted) {
    x *= 5;
    ++n;
    keep(x);
  }
  out[threadIdx.x] = n;
}

// The same without a count.
KERNEL loop_residue(int* out, int mask, int wanted) {
  int x = 1;
  while ((x & mask) != wanted) {
    x *= 5;
    keep(x);
  }
  out[threadIdx.x] = 7;
}

// Comes ever closer to 2, and gets there by rounding, never beyond.
KERNEL loop_fixed_point(int* out, float limit) {
  float x = 1.0f;
  while (!(x > limit)) {
    x = __fmaf_rn(0.5f, x, 1.0f);
    keep(x);
  }
  out[threadIdx.x] = 7;
}

// Square roots by Newton's method until two values agree.
KERNEL loop_newton(int* out) {
  const float a = (float)((threadIdx.x + 1) * (threadIdx.x + 1));
  float x = a, before;
  do {
    before = x;
    x = 0.5f * (x + a / x);
    keep(x);
  } while (x < before);
  out[threadIdx.x] = (int)(before + 0.5f);
}

// Steps of the 3n + 1 walk until `stop`, which is 1 or not on the walk's cycle 4, 2, 1.
KERNEL loop_collatz(int* out, int stop) {
  int n = threadIdx.x + 1, steps = 0;
  while (n != stop) {
    n = n & 1 ? 3 * n + 1 : n / 2;
    ++steps;
    keep(n);
  }
  out[threadIdx.x] = steps;
}

// The greatest common divisor by subtraction, which takes for ever with 0.
KERNEL loop_gcd(int* out, int b) {
  int a = 6 * (threadIdx.x + 1);
  while (a != b) {
    if (a > b)
      a -= b;
    else
      b -= a;
    keep(a);
  }
  out[threadIdx.x] = a;
}

// A binary search that takes the middle again if step is 0.
KERNEL loop_bisect(int* out, int step) {
  const int wanted = 31 * threadIdx.x + 5;
  int low = 0, high = 1000;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (middle < wanted)
      low = middle + step;
    else
      high = middle;
    keep(low);
  }
  out[threadIdx.x] = low;
}

// Counts down while the count is at least `last`, which an unsigned number is for ever if that is 0.
KERNEL loop_unsigned(int* out, int last) {
  unsigned left = 500;
  while (left >= (unsigned)last) {
    --left;
    asm volatile("" : "+r"(left));
  }
  out[threadIdx.x] = 7;
}

KERNEL loop_long(int* out, int laps) {
  int n = 0;
  while (n < laps) {
    ++n;
    keep(n);
  }
  out[threadIdx.x] = n;
}

KERNEL loop_nested(int* out, int outer, int inner) {
  int n = 0;
  for (int i = 0; i < outer; ++i)
    for (int j = 0; j < inner; ++j) {
      ++n;
      keep(n);
    }
  out[threadIdx.x] = n;
}

// Lane 3 counts by `step`, the others by one: with 0 they wait for it behind the loop.
KERNEL loop_one_lane(int* out, int step) {
  const int by = threadIdx.x == 3 ? step : 1;
  int n = 0;
  while (n < 100) {
    n += by;
    keep(n);
  }
  out[threadIdx.x] = n;
}

// Until all lanes of the warp have counted to 300, lane 3 by `step`: lanes wait for each other by a vote.
KERNEL loop_vote(int* out, int step) {
  const int by = threadIdx.x == 3 ? step : 1;
  int n = 0;
  do {
    n += by;
    keep(n);
  } while (!__all_sync(0xffffffffu, n >= 300));
  out[threadIdx.x] = 7;
}

// Until all threads of the CTA have counted to 100, warp 1 by `step`: warps wait for each other by a
// barrier's vote.
KERNEL loop_barrier_vote(int* out, int step) {
  const int by = warp_of_cta() == 1 ? step : 1;
  int n = 0, all;
  do {
    n += by;
    asm volatile(
        "{ .reg .pred p, q; setp.ge.s32 p, %1, 100; bar.red.and.pred q, 0, p; selp.s32 %0, 1, 0, q; }"
        : "=r"(all)
        : "r"(n)
        : "memory");
  } while (!all);
  out[threadIdx.x] = 7;
}

// Writes the same again and again, `laps` times, or for ever with 0: memory does not change.
KERNEL loop_same_store(int* out, int laps) {
  int done = 0;
  do {
    poke(&out[threadIdx.x], 7);
    ++done;
  } while (laps == 0 || done < laps);
}

// Each thread counts in shared memory, as far as `mask` lets it.
KERNEL loop_shared(int* out, int mask) {
  __shared__ volatile int counts[64];
  counts[threadIdx.x] = 0;
  while (counts[threadIdx.x] != 256) counts[threadIdx.x] = (counts[threadIdx.x] + 1) & mask;
  out[threadIdx.x] = counts[threadIdx.x];
}

// Each thread counts in local memory.
KERNEL loop_local(int* out, int mask) {
  volatile int counts[4];
  const int at = out[1023] & 3;
  counts[at] = 0;
  while (counts[at] != 256) counts[at] = (counts[at] + 1) & mask;
  out[threadIdx.x] = counts[at];
}

// One warp leaves, the other one loops.
KERNEL loop_one_warp(int* out, int step) {
  int n = 0;
  if (warp_of_cta() == 1)
    while (n < 2000) {
      n += step;
      keep(n);
    }
  out[threadIdx.x] = n;
}
