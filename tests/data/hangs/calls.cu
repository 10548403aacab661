// Waiting loops with calls in them, and prints without end.
#include "waiting.h"

#define NOINLINE static __attribute__((noinline)) __device__

NOINLINE int wait_for(int* flag) {
  while (peek(flag) == 0) {
  }
  return 7;
}

// Warp 0 waits in a function for warp 1, which comes after a delay, or, with 0, never.
KERNEL call_wait(int* flag, int* out, int laps) {
  if (warp_of_cta() == 0) {
    out[threadIdx.x] = wait_for(flag);
  } else if (laps != 0) {
    delay(laps);
    if (lane() == 0) poke(flag, 1);
  }
}

NOINLINE int look(const int* flag) { return peek(flag); }

// A call in each lap.
KERNEL call_look(int* flag, int* out, int laps) {
  if (warp_of_cta() == 0) {
    while (look(flag) == 0) {
    }
    out[threadIdx.x] = 7;
  } else if (laps != 0) {
    delay(laps);
    if (lane() == 0) poke(flag, 1);
  }
}

NOINLINE int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

// A recursion in each lap, as a pause.
KERNEL call_recursive_pause(int* flag, int* out, int laps) {
  if (warp_of_cta() == 0) {
    int sum = 0;
    while (peek(flag) == 0) sum += fib(4);
    out[threadIdx.x] = sum < 0 ? 1 : 7;
  } else if (laps != 0) {
    delay(laps);
    if (lane() == 0) poke(flag, 1);
  }
}

// Looks again on the way back from every level.
NOINLINE int look_deep(const int* flag, int depth) {
  if (depth != 0 && look_deep(flag, depth - 1) != 0) return 1;
  return peek(flag);
}

KERNEL call_recursive_look(int* flag, int* out, int laps) {
  if (warp_of_cta() == 0) {
    while (look_deep(flag, lane() % 4) == 0) {
    }
    out[threadIdx.x] = 7;
  } else if (laps != 0) {
    delay(laps);
    if (lane() == 0) poke(flag, 1);
  }
}

// Lanes wait for each other in a function: each signals behind its call.
KERNEL call_lane_chain(int* flags, int* out) {
  const int me = threadIdx.x;
  if (me != 0) wait_for(&flags[me - 1]);
  poke(&flags[me], 1);
  out[me] = me + 1;
}
