// Locks as an OpenMP runtime for GPUs has them, and two programs that use them: [SSDE:K7] and [SSDE:K8].
// MIMD form: they hang on a SIMT stack.

// Says that the loop around it waits for a lock (README.md).
#define SPIN_LOCK() asm volatile(".pragma \"heddle spin lock\";")

enum { kOmpUnset = 0, kOmpSet = 1 };

// Test and set; who fails waits by the clock, the longer the higher the index of its CTA.
static __device__ __forceinline__ void omp_set_lock(int* lock, unsigned spin) {
  unsigned delay = spin * blockIdx.x;
  while (atomicCAS(lock, kOmpUnset, kOmpSet) != kOmpUnset) {
    SPIN_LOCK();
    unsigned begin = clock(), elapsed;
    do {
      elapsed = clock() - begin;
      asm volatile("");
    } while (elapsed < delay);
  }
  __threadfence();
}

static __device__ __forceinline__ void omp_unset_lock(int* lock) {
  __threadfence();
  atomicCAS(lock, kOmpSet, kOmpUnset);
}

// TL: iteration i adds one to counter i modulo `counters` under that counter's lock.
extern "C" __global__ void omp_lock_test(int n, int counters, int* locks, volatile int* counter,
                                         unsigned spin) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    int c = i % counters;
    omp_set_lock(&locks[c], spin);
    counter[c] = counter[c] + 1;
    omp_unset_lock(&locks[c]);
  }
}

// AM: the largest of each `vector` neighbours of a. The lock is taken only by elements above the maximum so
// far. A lock for each maximum (lock_step 1), or one for all (0).
extern "C" __global__ void omp_find_max(const int* a, int n, int vector, int lock_step, int* locks,
                                        volatile int* max, unsigned spin) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    int v = i / vector;
    int mine = a[i];
    if (mine > max[v]) {
      omp_set_lock(&locks[v * lock_step], spin);
      if (mine > max[v]) max[v] = mine;
      omp_unset_lock(&locks[v * lock_step]);
    }
  }
}
