// Waiting by the clock, by sleep and with a bound on time or tries.
#include "waiting.h"

// A pause of 500 cycles between two looks. The writer comes after so many cycles, or, with 0, never.
KERNEL clock_delay_poll(int* flag, int* out, int cycles) {
  if (warp_of_cta() == 0) {
    while (peek(flag) == 0) delay_cycles(500);
    out[threadIdx.x] = 7;
  } else if (cycles != 0) {
    delay_cycles(cycles);
    if (lane() == 0) poke(flag, 1);
  }
}

// The same with nanosleep.
KERNEL clock_sleep_poll(int* flag, int* out, int cycles) {
  if (warp_of_cta() == 0) {
    while (peek(flag) == 0) sleep_ns(300);
    out[threadIdx.x] = 7;
  } else if (cycles != 0) {
    delay_cycles(cycles);
    if (lane() == 0) poke(flag, 1);
  }
}

// A sleep that doubles up to a limit.
KERNEL clock_sleep_backoff(int* flag, int* out, int cycles) {
  if (warp_of_cta() == 0) {
    int ns = 16;
    while (peek(flag) == 0) {
      sleep_ns(ns);
      if (ns < 4096) ns *= 2;
    }
    out[threadIdx.x] = 7;
  } else if (cycles != 0) {
    delay_cycles(cycles);
    if (lane() == 0) poke(flag, 1);
  }
}

// The clock ends the wait.
KERNEL clock_only(int* out, int cycles) {
  delay_cycles(cycles);
  out[threadIdx.x] = 7;
}

// The same with 64 bits, and by the time of day in ns.
KERNEL clock_wide(int* out, int cycles, int ns) {
  long long start, now;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(now));
  } while (now - start < cycles);
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - start < ns);
  out[threadIdx.x] = 7;
}

// The writer sleeps once, for long.
KERNEL clock_long_sleep(int* flag, int* out, int ns) {
  if (warp_of_cta() == 0) {
    while (peek(flag) == 0) {
    }
    out[threadIdx.x] = 7;
  } else {
    sleep_ns(ns);
    if (lane() == 0) poke(flag, 1);
  }
}

// Nobody sets the flag, but the wait gives up after so many cycles.
KERNEL clock_time_limit(int* flag, int* out, int cycles) {
  const int start = clock();
  int seen = 0;
  while (seen == 0 && clock() - start < cycles) seen = peek(flag);
  out[threadIdx.x] = seen == 0 ? 7 : 1;
}

// Nobody sets the flag, but the wait gives up after so many tries.
KERNEL clock_tries(int* flag, int* out, int tries) {
  int seen = 0;
  for (int i = 0; i < tries && seen == 0; ++i) seen = peek(flag);
  out[threadIdx.x] = seen == 0 ? 7 : 1;
}

// A clock is read in every lap, but decides nothing: the flag does.
KERNEL clock_watched(int* flag, int* out, int laps) {
  if (warp_of_cta() == 0) {
    const int start = clock();
    int waited = 0;
    while (peek(flag) == 0) waited = clock() - start;
    out[threadIdx.x] = 7;
    out[threadIdx.x + 64] = waited;
  } else if (laps != 0) {
    delay(laps);
    if (lane() == 0) poke(flag, 1);
  }
}

// Who fails to get the lock waits by the clock, longer the higher its CTA. The owner may never release it.
KERNEL clock_lock_backoff(int* mutex, int* taken, int* out, int releases) {
  if (lane() != 0) return;
  if (warp_of_cta() == 0) {
    lock(mutex);
    poke(taken, 1);
    if (releases) {
      delay(500);
      unlock(mutex);
    }
  } else {
    while (peek(taken) == 0) {
    }
    while (atomicCAS(mutex, 0, 1) != 0) delay_cycles(100 * warp_of_cta());
    out[0] += 1;
    unlock(mutex);
  }
}
