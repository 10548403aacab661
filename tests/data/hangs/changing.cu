// Memory that changes all the time, whether or not that leads anywhere.
#include "waiting.h"

// Two warps change a word to and fro, `rounds` times each, or for ever with 0.
KERNEL change_toggle(int* word, int* out, int rounds) {
  if (lane() != 0) return;
  const int me = warp_of_cta();
  int done = 0;
  do {
    while (peek(word) != me) {
    }
    poke(word, 1 - me);
    ++done;
  } while (rounds == 0 || done < rounds);
  out[me] = 7;
}

// Two CTAs do.
KERNEL change_toggle_ctas(int* word, int* out, int rounds) {
  if (threadIdx.x != 0) return;
  const int me = blockIdx.x;
  int done = 0;
  do {
    while (peek(word) != me) {
    }
    poke(word, 1 - me);
    ++done;
  } while (rounds == 0 || done < rounds);
  out[me] = 7;
}

// One warp counts, 300 times or for ever, and would then set the flag that the other one waits for.
KERNEL change_count(int* counter, int* flag, int* out, int endless) {
  if (lane() != 0) return;
  if (warp_of_cta() == 1) {
    int done = 0;
    do {
      atomicAdd(counter, 1);
      ++done;
    } while (endless || done < 300);
    poke(flag, 1);
  } else {
    while (peek(flag) == 0) {
    }
    out[0] = 7;
  }
}

// One warp adds `step` until the sum is odd, the other one waits for that.
KERNEL change_odd(int* word, int* out, int step) {
  if (lane() != 0) return;
  if (warp_of_cta() == 1) {
    while (((atomicAdd(word, step) + step) & 1) == 0) {
    }
  } else {
    while ((peek(word) & 1) == 0) {
    }
    out[0] = 7;
  }
}

// One warp writes 2 and 3 in turn, `rounds` times or, with 0, for ever; the other one swaps if it finds
// `wanted`.
KERNEL change_compare(int* word, int* out, int wanted, int rounds) {
  if (lane() != 0) return;
  if (warp_of_cta() == 1) {
    int done = 0;
    do {
      atomicCAS(word, 2, 3);
      atomicCAS(word, 3, 2);
      ++done;
    } while (rounds == 0 || done < rounds);
  } else {
    while (atomicCAS(word, wanted, 9) != wanted) {
    }
    out[0] = 7;
  }
}

// Compare-and-swap until nobody was faster; the others add 300 times each.
KERNEL change_retry(int* word, int* out) {
  if (lane() != 0) return;
  if (warp_of_cta() == 0) {
    int seen;
    do {
      seen = peek(word);
    } while (atomicCAS(word, seen, seen + 1000000) != seen);
    out[0] = 7;
  } else {
    for (int i = 0; i < 300; ++i) atomicAdd(word, 1);
  }
}

// All threads count together up to a limit.
KERNEL change_progress(int* counter, int* out, int limit) {
  while (atomicAdd(counter, 1) < limit) {
  }
  out[threadIdx.x] = 7;
}

// A random walk in memory: `laps` steps, or for ever with 0.
KERNEL change_walk(int* word, int* out, int laps) {
  int done = 0;
  do {
    poke(&word[threadIdx.x], peek(&word[threadIdx.x]) * 1664525 + 1013904223);
    ++done;
  } while (laps == 0 || done < laps);
  out[threadIdx.x] = 7;
}

// Two warps in step give way to each other when both want, for ever, unless warp `first` does not.
KERNEL change_politeness(int* wants, int* out, int first) {
  const int me = warp_of_cta();
  int entered = 0;
  do {
    poke(&wants[me], 1);
    __syncthreads();
    entered = peek(&wants[0]) + peek(&wants[1]) < 2 || first >= 0;
    __syncthreads();
    if (me != first) poke(&wants[me], 0);
    __syncthreads();
  } while (!entered);
  out[threadIdx.x] = 7;
}
