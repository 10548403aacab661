// Flags that lanes, warps and CTAs wait for. corpus.json says which of them somebody sets.
#include "waiting.h"

// Each lane waits for the one before it, and signals behind its loop.
KERNEL flag_lane_chain(int* flags, int* out) {
  const int me = threadIdx.x;
  if (me != 0)
    while (peek(&flags[me - 1]) == 0) {
    }
  poke(&flags[me], me + 1);
  out[me] = me + 1;
}

// The same with the signal inside the loop: safe on a SIMT stack.
KERNEL flag_lane_chain_inside(int* flags, int* out) {
  const int me = threadIdx.x;
  int done = 0;
  while (!done) {
    if (me == 0 || peek(&flags[me - 1]) != 0) {
      poke(&flags[me], me + 1);
      out[me] = me + 1;
      done = 1;
    }
    keep(done);
  }
}

// Both sides of a branch set a flag and wait for the other's: whichever side runs first needs the other
// one.
KERNEL flag_handshake_sides(int* low, int* high, int* out) {
  if (threadIdx.x < 16) {
    poke(low, 1);
    while (peek(high) == 0) {
    }
    out[threadIdx.x] = 1;
  } else {
    poke(high, 1);
    while (peek(low) == 0) {
    }
    out[threadIdx.x] = 2;
  }
}

// Lanes 1 to 31 of warp 0 wait for warp 1, which waits for lane 0 of warp 0, which waits to reconverge.
KERNEL flag_across_warps(int* first, int* second, int* out) {
  int me = threadIdx.x;
  if (warp_of_cta() == 0) {
    if (me != 0)
      while (peek(second) == 0) {
      }
    keep(me);  // or lane 0 would go a way of its own
    if (me == 0) poke(first, 1);
  } else {
    while (peek(first) == 0) {
    }
    poke(second, 1);
  }
  out[me] = 7;
}

// The lanes below `waiting` wait for a flag that nobody sets. The others wait for them at most to
// reconverge.
KERNEL flag_lanes_left(int* flag, int* out, int waiting) {
  if ((int)threadIdx.x < waiting)
    while (peek(flag) == 0) {
    }
  out[threadIdx.x] = 7;
}

// Of the two sides of a branch one waits for ever; what the other would do does not help it.
KERNEL flag_one_side(int* flag, int* out) {
  if (threadIdx.x < 16) {
    while (peek(flag) == 0) {
    }
    out[threadIdx.x] = 1;
  } else {
    out[threadIdx.x] = 2;
  }
  out[threadIdx.x + 32] = 3;
}

// Warp 0 waits for warp 1. With laps = 0 warp 1 leaves without a word.
KERNEL flag_other_warp(int* flag, int* out, int laps) {
  if (warp_of_cta() == 0) {
    while (peek(flag) == 0) {
    }
    out[threadIdx.x] = 7;
  } else if (laps != 0) {
    delay(laps);
    if (lane() == 0) poke(flag, 1);
  }
}

// Warp 1 writes a value, which may not be the one that warp 0 waits for.
KERNEL flag_value(int* flag, int* out, int value) {
  if (warp_of_cta() == 0) {
    while (peek(flag) != 1) {
    }
    out[threadIdx.x] = 7;
  } else {
    delay(300);
    if (lane() == 0) poke(flag, value);
  }
}

// Two warps: each sets its flag before it waits for the other's, or, with early = 0, behind that.
KERNEL flag_mutual(int* first, int* second, int* out, int early) {
  int* mine = warp_of_cta() == 0 ? first : second;
  int* other = warp_of_cta() == 0 ? second : first;
  if (early) poke(mine, 1);
  while (peek(other) == 0) {
  }
  if (!early) poke(mine, 1);
  out[threadIdx.x] = 7;
}

// As flag_other_warp, counting laps: the count goes on, and feeds nothing but itself.
KERNEL flag_counting(int* flag, int* out, int laps) {
  if (warp_of_cta() == 0) {
    int count = 0;
    while (peek(flag) == 0) ++count;
    out[threadIdx.x] = 7;
    out[threadIdx.x + 64] = count;
  } else if (laps != 0) {
    delay(laps);
    if (lane() == 0) poke(flag, 1);
  }
}

// A pause that doubles up to a limit.
KERNEL flag_backoff(int* flag, int* out, int laps, int limit) {
  if (warp_of_cta() == 0) {
    int pause = 1;
    while (peek(flag) == 0) {
      delay(pause);
      pause = pause < limit ? 2 * pause : limit;
    }
    out[threadIdx.x] = 7;
  } else if (laps != 0) {
    delay(laps);
    if (lane() == 0) poke(flag, 1);
  }
}

// A pause that grows without a limit: no state ever comes back.
KERNEL flag_backoff_growing(int* flag, int* out, int laps) {
  if (warp_of_cta() == 0) {
    int pause = 1;
    while (peek(flag) == 0) {
      delay(pause);
      ++pause;
    }
    out[threadIdx.x] = 7;
  } else if (laps != 0) {
    delay(laps);
    if (lane() == 0) poke(flag, 1);
  }
}

// Warp 1 sets the flag before the barrier, or, with early = 0, behind it, where it never comes.
KERNEL flag_writer_at_barrier(int* flag, int* out, int early) {
  const bool writer = threadIdx.x == 32;
  if (writer && early) poke(flag, 1);
  if (warp_of_cta() == 0)
    while (peek(flag) == 0) {
    }
  __syncthreads();
  if (writer && !early) poke(flag, 1);
  out[threadIdx.x] = 7;
}

// CTA 0 waits for CTA 1. With laps = 0 CTA 1 leaves without a word.
KERNEL flag_other_cta(int* flag, int* out, int laps) {
  if (blockIdx.x == 0) {
    while (peek(flag) == 0) {
    }
    out[threadIdx.x] = 7;
  } else if (laps != 0) {
    delay(laps);
    if (threadIdx.x == 0) poke(flag, 1);
  }
}

// A flag in shared memory.
KERNEL flag_shared(int* out, int laps) {
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (warp_of_cta() == 0) {
    while (flag == 0) {
    }
    out[threadIdx.x] = 7;
  } else if (laps != 0) {
    delay(laps);
    if (lane() == 0) flag = 1;
  }
}

// A value in local memory, to which each lap adds `step`.
KERNEL flag_local(int* out, int step) {
  volatile int mine[4];
  const int at = out[1023] & 3;  // unknown, so that the array stays in memory
  mine[at] = 0;
  while (mine[at] < 300) mine[at] = mine[at] + step;
  out[threadIdx.x] = mine[at];
}

// A list whose last element leads to the end, or back to the first one.
KERNEL flag_chase(int* next, int* out, int closed) {
  const int me = threadIdx.x, last = blockDim.x - 1;
  poke(&next[me], me < last ? me + 1 : closed ? 0 : -1);
  __syncthreads();
  if (me == 0) {
    int at = 0;
    while (at >= 0) at = peek(&next[at]);
    out[0] = 7;
  }
}

// Looks for a mark, each lane from a place of its own, round and round. With mark = 0 there is none.
KERNEL flag_scan(int* table, int* out, int mark) {
  if (threadIdx.x == 0) poke(&table[900], mark);
  __threadfence();
  __syncthreads();
  int at = 16 * threadIdx.x;
  while (peek(&table[at]) == 0) at = (at + 1) % 1024;
  out[threadIdx.x] = at;
}

// Each warp waits for its turn, whose first one is 0.
KERNEL flag_turns(int* turn, int* out, int first) {
  const int me = blockIdx.x * 2 + warp_of_cta();
  if (lane() == 0) {
    while (peek(turn) != me + first) {
    }
    out[me] = me + 1;
    __threadfence();
    poke(turn, me + first + 1);
  }
}

// Each lane waits for its turn. With first = 1 nobody has the turn 0, and all lanes wait together.
KERNEL flag_lane_turns(int* turn, int* out, int first) {
  const int me = threadIdx.x;
  while (peek(turn) != me + first) {
  }
  out[me] = me + 1;
  __threadfence();
  poke(turn, me + first + 1);
}

// A reader that wants the last of `rounds` versions. The writer leaves in the middle of the last one
// unless `complete`.
KERNEL flag_seqlock(int* sequence, int* data, int* out, int rounds, int complete) {
  if (lane() != 0) return;
  if (warp_of_cta() == 1) {
    for (int i = 1; i <= rounds; ++i) {
      poke(sequence, 2 * i - 1);
      __threadfence();
      poke(&data[0], i);
      poke(&data[1], i);
      __threadfence();
      if (i == rounds && !complete) return;
      poke(sequence, 2 * i);
    }
  } else {
    int before, a, b;
    do {
      do {
        before = peek(sequence);
      } while (before & 1);
      a = peek(&data[0]);
      b = peek(&data[1]);
      __threadfence();
    } while (peek(sequence) != before || a != rounds);
    out[0] = a;
    out[1] = b;
  }
}

// A ring of eight places. With lost = 1 the producer forgets to announce the last item.
KERNEL flag_ring(int* ring, int* head, int* tail, int* out, int items, int lost) {
  if (lane() != 0) return;
  if (warp_of_cta() == 1) {
    for (int i = 0; i < items; ++i) {
      while (i - peek(tail) >= 8) {
      }
      poke(&ring[i % 8], i);
      __threadfence();
      if (!lost || i != items - 1) poke(head, i + 1);
    }
  } else {
    int sum = 0;
    for (int i = 0; i < items; ++i) {
      while (peek(head) <= i) {
      }
      sum += peek(&ring[i % 8]);
      __threadfence();
      poke(tail, i + 1);
    }
    out[0] = sum;
  }
}

// CTA 0 reads the flag with loads that L1 may serve, before CTA 1 sets it in memory.
KERNEL flag_stale_line(int* flag, int* out, int laps) {
  if (blockIdx.x == 0) {
    int seen;
    do {
      asm volatile("ld.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag));
    } while (seen == 0);
    out[threadIdx.x] = 7;
  } else {
    delay(laps);
    if (threadIdx.x == 0) poke(flag, 1);
  }
}
