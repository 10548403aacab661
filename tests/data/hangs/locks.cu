// Locks: taken in different orders, by owners that leave, by tickets, by exchange, shared by readers.
#include "waiting.h"

// Takes both, the second only after somebody has it if the orders are to cross.
INLINED void take_two(int* first, int* second, int* out, int crossed) {
  lock(first);
  if (crossed)
    while (peek(second) == 0) {
    }
  lock(second);
  poke(out, peek(out) + 1);
  unlock(second);
  unlock(first);
}

// Two warps take two locks, with crossed = 1 in opposite order.
KERNEL lock_two_warps(int* lock_a, int* lock_b, int* out, int crossed) {
  const int swap = crossed && warp_of_cta() == 1;
  if (lane() == 0) take_two(swap ? lock_b : lock_a, swap ? lock_a : lock_b, out, crossed);
}

// Two CTAs.
KERNEL lock_two_ctas(int* lock_a, int* lock_b, int* out, int crossed) {
  const int swap = crossed && blockIdx.x == 1;
  if (threadIdx.x == 0) take_two(swap ? lock_b : lock_a, swap ? lock_a : lock_b, out, crossed);
}

// Two lanes of a warp, which stay together: neither is held back.
KERNEL lock_two_lanes(int* lock_a, int* lock_b, int* out) {
  if (threadIdx.x < 2) {
    lock(threadIdx.x == 0 ? lock_a : lock_b);
    lock(threadIdx.x == 0 ? lock_b : lock_a);
    out[threadIdx.x] = 1;
  }
}

// Three warps in a ring. In order if the last one takes the first lock first.
KERNEL lock_ring_of_three(int* lock_a, int* lock_b, int* lock_c, int* out, int crossed) {
  if (lane() != 0) return;
  const int w = warp_of_cta();
  int* low = w == 0 ? lock_a : w == 1 ? lock_b : crossed ? lock_c : lock_a;
  int* high = w == 0 ? lock_b : w == 1 ? lock_c : crossed ? lock_a : lock_c;
  take_two(low, high, out, crossed);
}

// Philosophers: warp i takes forks i and i + 1. In order if the last one takes fork 0 first.
KERNEL lock_philosophers(int* forks, int* out, int crossed) {
  if (lane() != 0) return;
  const int seats = blockDim.x / 32, w = warp_of_cta(), last = w == seats - 1;
  int* left = &forks[(last && !crossed ? 0 : w) * 32];
  int* right = &forks[(last && !crossed ? w : (w + 1) % seats) * 32];
  take_two(left, right, &out[w], crossed);
}

// A thread that has the lock takes it once more.
KERNEL lock_twice(int* mutex, int* out, int twice) {
  if (threadIdx.x != 0) return;
  lock(mutex);
  if (twice) lock(mutex);
  out[0] = 7;
  unlock(mutex);
}

// Warp 1 takes the lock, works and releases it, or leaves with it.
KERNEL lock_owner_leaves(int* mutex, int* taken, int* out, int releases) {
  if (lane() != 0) return;
  if (warp_of_cta() == 1) {
    lock(mutex);
    poke(taken, 1);
    delay(2000);
    if (releases) unlock(mutex);
  } else {
    while (peek(taken) == 0) {
    }
    lock(mutex);
    out[0] = 7;
    unlock(mutex);
  }
}

// The owner goes into a loop without end (step = 0), or one of 2000 laps, before it releases the lock.
KERNEL lock_owner_loops(int* mutex, int* taken, int* out, int step) {
  if (lane() != 0) return;
  if (warp_of_cta() == 1) {
    lock(mutex);
    poke(taken, 1);
    int n = 0;
    while (n < 2000) {
      n += step;
      keep(n);
    }
    unlock(mutex);
  } else {
    while (peek(taken) == 0) {
    }
    lock(mutex);
    out[0] = 7;
    unlock(mutex);
  }
}

// Nobody releases the lock, but those that want it give up after so many tries.
KERNEL lock_tries(int* mutex, int* out, int tries) {
  int got = 0;
  for (int i = 0; i < tries && !got; ++i) got = atomicCAS(mutex, 0, 1) == 0;
  out[threadIdx.x] = got ? 1 : 7;
}

// Four warps exchange their numbers with the lock until they get 0: its value changes for ever.
KERNEL lock_exchange(int* mutex, int* out, int releases) {
  if (lane() != 0) return;
  if (warp_of_cta() == 4) {
    delay(2000);
    if (releases) unlock(mutex);
  } else {
    while (atomicExch(mutex, warp_of_cta() + 1) != 0) {
    }
    out[0] = peek(out) + 1;
    unlock(mutex);
  }
}

// The lanes of a warp do the same: whoever has the lock waits for the others behind the loop.
KERNEL lock_exchange_lanes(int* mutex, int* out) {
  while (atomicExch(mutex, threadIdx.x + 1) != 0) {
  }
  poke(out, peek(out) + 1);
  unlock(mutex);
}

// A ticket lock for one lane of each warp. Who draws the ticket `quitter` leaves with it.
KERNEL lock_ticket(int* next, int* serving, int* out, int quitter) {
  if (lane() != 0) return;
  const int ticket = atomicAdd(next, 1);
  if (ticket == quitter) return;
  while (peek(serving) != ticket) {
  }
  poke(out, peek(out) + 1);
  __threadfence();
  poke(serving, ticket + 1);
}

// A ticket lock for all lanes.
KERNEL lock_ticket_lanes(int* next, int* serving, int* out) {
  const int ticket = atomicAdd(next, 1);
  while (peek(serving) != ticket) {
  }
  poke(out, peek(out) + 1);
  __threadfence();
  poke(serving, ticket + 1);
}

// Three readers and a writer that waits until there is none; with leaks = 1 the first reader never signs
// off.
KERNEL lock_readers(int* readers, int* ready, int* out, int leaks) {
  if (lane() != 0) return;
  const int w = warp_of_cta();
  if (w == 0) {
    while (peek(ready) < 3) {
    }
    while (atomicCAS(readers, 0, -1000) != 0) {
    }
    out[0] = 7;
    atomicAdd(readers, 1000);
  } else {
    while (atomicAdd(readers, 1) < 0) atomicAdd(readers, -1);
    atomicAdd(ready, 1);
    delay(300 * w);
    if (w != 1 || !leaks) atomicAdd(readers, -1);
  }
}

// Warp 0 takes the lock and releases it before the barrier, or behind it. Warp 1 wants the lock before
// the barrier.
KERNEL lock_kept_at_barrier(int* mutex, int* taken, int* out, int early) {
  if (threadIdx.x == 0) {
    lock(mutex);
    poke(taken, 1);
    delay(300);
    if (early) unlock(mutex);
  }
  if (threadIdx.x == 32) {
    while (peek(taken) == 0) {
    }
    lock(mutex);
    out[0] = 7;
    unlock(mutex);
  }
  __syncthreads();
  if (threadIdx.x == 0 && !early) unlock(mutex);
}

// Lane 0 of warp 0 leaves with the lock; all others want it. Nobody who could release it is held back.
KERNEL lock_lane_leaves(int* mutex, int* out) {
  if (threadIdx.x == 0) lock(mutex);
  __syncthreads();
  if (threadIdx.x == 0) return;
  lock(mutex);
  out[threadIdx.x] = 7;
  unlock(mutex);
}
