// Barriers of CTAs and warps that some do not reach. All counts are of whole warps, but for the kernels
// *_arm*.
#include "waiting.h"

INLINED void barrier(int number, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

// Warp 1 leaves at once: it is not waited for.
KERNEL barrier_others_leave(int* out) {
  if (warp_of_cta() == 1) return;
  __syncthreads();
  out[threadIdx.x] = 7;
}

// Warp 1 first has a loop of 2000 laps, or, with step = 0, without end.
KERNEL barrier_other_loops(int* out, int step) {
  if (warp_of_cta() == 1) {
    int n = 0;
    while (n < 2000) {
      n += step;
      keep(n);
    }
  }
  __syncthreads();
  out[threadIdx.x] = 7;
}

// Warp 1 first sleeps.
KERNEL barrier_other_sleeps(int* out, int ns) {
  if (warp_of_cta() == 1) sleep_ns(ns);
  __syncthreads();
  out[threadIdx.x] = 7;
}

// Each warp passes the barrier once more than the one before it, and leaves.
KERNEL barrier_fewer_and_fewer(int* out) {
  for (int i = 0; i <= warp_of_cta(); ++i) __syncthreads();
  out[threadIdx.x] = 7;
}

// Warp 1 first waits for a flag, which nobody sets.
KERNEL barrier_other_waits(int* flag, int* out) {
  if (warp_of_cta() == 1)
    while (peek(flag) == 0) {
    }
  __syncthreads();
  out[threadIdx.x] = 7;
}

// Warp 0 waits at barrier 1, warp 1 at barrier `other`.
KERNEL barrier_numbers(int* out, int other) {
  if (warp_of_cta() == 0)
    barrier(1, 64);
  else
    barrier(other, 64);
  out[threadIdx.x] = 7;
}

// Barrier 3 for so many threads.
KERNEL barrier_count(int* out, int threads) {
  barrier(3, threads);
  out[threadIdx.x] = 7;
}

// Warp 1 announces itself at barrier `number`, warp 0 waits at barrier 1; then all meet at barrier 0.
KERNEL barrier_arrive(int* out, int number) {
  if (warp_of_cta() == 1)
    asm volatile("bar.arrive %0, 64;" ::"r"(number) : "memory");
  else
    barrier(1, 64);
  __syncthreads();
  out[threadIdx.x] = 7;
}

// Warp 0 passes the barrier `laps` times and then waits for warp 1, which does so four times and then
// sets the flag.
KERNEL barrier_laps(int* flag, int* out, int laps) {
  if (warp_of_cta() > 1) return;  // so that 64 threads are not the whole CTA
  const int mine = warp_of_cta() == 0 ? laps : 4;
  for (int i = 0; i < mine; ++i) barrier(2, 64);
  if (warp_of_cta() == 0) {
    while (peek(flag) == 0) {
    }
  } else {
    poke(flag, 1);
  }
  out[threadIdx.x] = 7;
}

// Sixteen lanes wait at barrier 1, sixteen at barrier 2, each for all 32.
KERNEL barrier_arms_numbers(int* out) {
  if (threadIdx.x < 16) {
    asm volatile("bar.sync 1, 32;" ::: "memory");
    out[threadIdx.x] = 1;
  } else {
    asm volatile("bar.sync 2, 32;" ::: "memory");
    out[threadIdx.x] = 2;
  }
}

// The lanes below 16 pass the barrier once more than the others.
KERNEL barrier_arm_only(int* out) {
  if (threadIdx.x < 16) {
    __syncthreads();
    out[threadIdx.x] = 1;
  }
  __syncthreads();
  out[threadIdx.x] += 2;
}

// Both arms meet at one instruction each, with masks of their own.
KERNEL barrier_warp_masks(int* out, int low, int high) {
  if (threadIdx.x < 16) {
    asm volatile("bar.warp.sync %0;" ::"r"(low) : "memory");
    out[threadIdx.x] = 1;
  } else {
    asm volatile("bar.warp.sync %0;" ::"r"(high) : "memory");
    out[threadIdx.x] = 2;
  }
}

// The lanes below 16 come to one more bar.warp.sync than the others, all with the mask of the whole warp.
KERNEL barrier_warp_arm_only(int* out) {
  if (threadIdx.x < 16) {
    __syncwarp();
    out[threadIdx.x] = 1;
  }
  __syncwarp();
  out[threadIdx.x] += 2;
}

// Lane 0 waits for a flag while the others wait for it at a .sync instruction.
KERNEL barrier_lane_missing(int* flag, int* out) {
  if (threadIdx.x == 0)
    while (peek(flag) == 0) {
    }
  __syncwarp();
  out[threadIdx.x] = 7;
}
