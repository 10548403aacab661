// CTAs that wait for CTAs, started or not.
#include "waiting.h"

// All CTAs meet.
KERNEL cta_barrier(int* count, int* out) {
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(count, 1);
    while (peek(count) < (int)gridDim.x) {
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = 7;
}

// Each CTA waits for the one before it, or, with reverse = 1, for the one behind it.
KERNEL cta_chain(int* flags, int* out, int reverse) {
  if (threadIdx.x != 0) return;
  const int me = blockIdx.x, last = gridDim.x - 1;
  if (reverse ? me != last : me != 0)
    while (peek(&flags[reverse ? me + 1 : me - 1]) == 0) {
    }
  poke(&flags[me], 1);
  out[me] = 7;
}

// The first CTA holds a lock until the last one has taken a ticket; all others want the lock.
KERNEL cta_owner_waits(int* mutex, int* arrived, int* out) {
  if (threadIdx.x != 0) return;
  const int last = gridDim.x - 1;
  if (blockIdx.x == 0) {
    lock(mutex);
    poke(&arrived[32], 1);
    while (peek(arrived) == 0) {
    }
    unlock(mutex);
  } else if ((int)blockIdx.x == last) {
    poke(arrived, 1);
  } else {
    while (peek(&arrived[32]) == 0) {
    }
    lock(mutex);
    poke(out, peek(out) + 1);
    unlock(mutex);
  }
}

// Every CTA waits for a flag that none sets.
KERNEL cta_flag_never(int* flag, int* out) {
  while (peek(flag) == 0) {
  }
  out[threadIdx.x] = 7;
}

// A CTA at a time comes to the end, each after a delay: slow, but it moves.
KERNEL cta_slow(int* out, int laps) {
  delay(laps);
  if (threadIdx.x == 0) out[blockIdx.x] = 7;
}
