// Insertion into a chained hash table with one lock per bucket, in the SIMT-safe form: [SSDE:K1].
// The release is inside the loop, so that a winner never waits for its own warp's
// losers.

// Says that the loop around it waits for a lock (README.md).
#define SPIN_LOCK() asm volatile(".pragma \"heddle spin lock\";")

struct HashEntry {
  unsigned key;
  unsigned value;
  unsigned next;  // index of the next entry of the chain plus one; 0: end
};

// K1's loop: the release is inside, so that a winner never waits for its own warp's losers.
static __device__ __forceinline__ void hash_link_in_turn(int* lock, HashEntry* pool, volatile unsigned* heads,
                                                         unsigned bucket, unsigned t) {
  int done = 0;
  while (!done) {
    SPIN_LOCK();
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      pool[t].next = heads[bucket];
      heads[bucket] = t + 1;
      done = 1;
      __threadfence();
      atomicExch(lock, 0);
    }
    // Without this clang moves the critical section behind the loop: the SIMT-deadlock form.
    asm volatile("" : "+r"(done));
  }
}

// The spin lock of a MIMD machine, released behind its loop.
static __device__ __forceinline__ void hash_link_after_spin(int* lock, HashEntry* pool, volatile unsigned* heads,
                                                            unsigned bucket, unsigned t) {
  do {
    SPIN_LOCK();
  } while (atomicCAS(lock, 0, 1) != 0);
  __threadfence();
  pool[t].next = heads[bucket];
  heads[bucket] = t + 1;
  __threadfence();
  atomicExch(lock, 0);
}

// Entry t takes key keys[t]. heads[b]: index of the chain's first entry plus one. Buckets: 2^(32 -
// hash_shift). heads is volatile: other CTAs change it during the kernel and L1 caches are not coherent.
extern "C" __global__ void hash_insert(const unsigned* keys, unsigned n, HashEntry* pool,
                                       volatile unsigned* heads, int* locks, unsigned hash_shift) {
  unsigned stride = gridDim.x * blockDim.x;
  for (unsigned t = blockIdx.x * blockDim.x + threadIdx.x; t < n; t += stride) {
    unsigned key = keys[t];
    unsigned bucket = (key * 2654435761u) >> hash_shift;
    pool[t].key = key;
    pool[t].value = ~key;
    hash_link_in_turn(&locks[bucket], pool, heads, bucket, t);
  }
}

// The same with the spin lock of a MIMD machine, released behind its loop: hangs on a SIMT stack.
extern "C" __global__ void hash_insert_mimd(const unsigned* keys, unsigned n, HashEntry* pool,
                                            volatile unsigned* heads, int* locks, unsigned hash_shift) {
  unsigned stride = gridDim.x * blockDim.x;
  for (unsigned t = blockIdx.x * blockDim.x + threadIdx.x; t < n; t += stride) {
    unsigned key = keys[t];
    unsigned bucket = (key * 2654435761u) >> hash_shift;
    pool[t].key = key;
    pool[t].value = ~key;
    hash_link_after_spin(&locks[bucket], pool, heads, bucket, t);
  }
}

// The lanes of a warp insert one after the other ([SSDE:K2]): the loop over lanes keeps a lane that spins
// from holding back the one that has the lock, so the spin lock may be released behind its loop.
extern "C" __global__ void hash_insert_serial(const unsigned* keys, unsigned n, HashEntry* pool,
                                              volatile unsigned* heads, int* locks, unsigned hash_shift) {
  unsigned stride = gridDim.x * blockDim.x;
  for (unsigned t = blockIdx.x * blockDim.x + threadIdx.x; t < n; t += stride) {
    unsigned key = keys[t];
    unsigned bucket = (key * 2654435761u) >> hash_shift;
    pool[t].key = key;
    pool[t].value = ~key;
    for (int lane = 0; lane < 32; lane++) {
      if ((int)(threadIdx.x % 32) == lane) {
        hash_link_after_spin(&locks[bucket], pool, heads, bucket, t);
      }
      // Keeps the lanes' turns apart.
      asm volatile("" : "+r"(lane));
    }
  }
}

// K1 with a back-off in software ([SSDE:K9]): who finds the lock taken looks at the clock until delay_factor
// times the index of its CTA have passed.
extern "C" __global__ void hash_insert_backoff(const unsigned* keys, unsigned n, HashEntry* pool,
                                               volatile unsigned* heads, int* locks, unsigned hash_shift,
                                               unsigned delay_factor) {
  unsigned stride = gridDim.x * blockDim.x;
  unsigned delay = delay_factor * blockIdx.x;
  for (unsigned t = blockIdx.x * blockDim.x + threadIdx.x; t < n; t += stride) {
    unsigned key = keys[t];
    unsigned bucket = (key * 2654435761u) >> hash_shift;
    pool[t].key = key;
    pool[t].value = ~key;
    int done = 0;
    while (!done) {
      SPIN_LOCK();
      if (atomicCAS(&locks[bucket], 0, 1) == 0) {
        __threadfence();
        pool[t].next = heads[bucket];
        heads[bucket] = t + 1;
        done = 1;
        __threadfence();
        atomicExch(&locks[bucket], 0);
      } else {
        unsigned begin = clock();
        while (clock() - begin < delay) {
          asm volatile("");
        }
      }
      // Keeps the critical section inside the loop.
      asm volatile("" : "+r"(done));
    }
  }
}

// K1 with one lock for the whole table: locks[0].
extern "C" __global__ void hash_insert_coarse(const unsigned* keys, unsigned n, HashEntry* pool,
                                              volatile unsigned* heads, int* locks, unsigned hash_shift) {
  unsigned stride = gridDim.x * blockDim.x;
  for (unsigned t = blockIdx.x * blockDim.x + threadIdx.x; t < n; t += stride) {
    unsigned key = keys[t];
    unsigned bucket = (key * 2654435761u) >> hash_shift;
    pool[t].key = key;
    pool[t].value = ~key;
    hash_link_in_turn(locks, pool, heads, bucket, t);
  }
}
