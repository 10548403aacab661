// Distance constraints of a cloth: each spring moves its two particles towards its rest length, under the
// locks of both, which it takes in ascending order. Corrections are rounded to multiples of 2^-12, so that
// moving one particle by c and the other by -c is exact.
#include "heddle_tx.h"

// Says that the loop around it waits for a lock (README.md).
#define SPIN_LOCK() asm volatile(".pragma \"heddle spin lock\";")

struct ClothSpring {
  int a, b;  // a < b
  float rest;
};

static __device__ __forceinline__ float cloth_to_grid(float x) {
  const float kMagic = 3072.0f;  // 1.5 * 2^11: the last place of what it is added to becomes 2^-12
  return (x + kMagic) - kMagic;
}

// position: x, y, z of each particle. moves: of each particle, what its corrections add: `of_a` and `of_b` each.
// kOnlyStretched: a spring that is not longer than its rest length moves nothing.
template <bool kOnlyStretched, class Floats, class Ints>
static __device__ __forceinline__ void cloth_relax(int a, int b, float rest, Floats position, Ints moves, int of_a,
                                                   int of_b) {
  float dx = position[3 * b] - position[3 * a];
  float dy = position[3 * b + 1] - position[3 * a + 1];
  float dz = position[3 * b + 2] - position[3 * a + 2];
  float length = __fsqrt_rn(__fmaf_rn(dz, dz, __fmaf_rn(dy, dy, __fmul_rn(dx, dx))));
  if (!kOnlyStretched || length > rest) {
    float pull = length > 0.0f ? __fmul_rn(0.5f, (length - rest) / length) : 0.0f;
    float cx = cloth_to_grid(__fmul_rn(dx, pull));
    float cy = cloth_to_grid(__fmul_rn(dy, pull));
    float cz = cloth_to_grid(__fmul_rn(dz, pull));
    position[3 * a] = position[3 * a] + cx;
    position[3 * a + 1] = position[3 * a + 1] + cy;
    position[3 * a + 2] = position[3 * a + 2] + cz;
    position[3 * b] = position[3 * b] - cx;
    position[3 * b + 1] = position[3 * b + 1] - cy;
    position[3 * b + 2] = position[3 * b + 2] - cz;
    moves[a] = moves[a] + of_a;
    moves[b] = moves[b] + of_b;
  }
}

// relax() under the locks of both particles. SIMT-safe: gives the first lock back when the second is busy, releases inside
// the loop ([SSDE:K3]).
template <class Relax>
static __device__ __forceinline__ void cloth_locked(int a, int b, int* locks, Relax relax) {
  int done = 0;
  while (!done) {
    SPIN_LOCK();
    if (atomicCAS(&locks[a], 0, 1) == 0) {
      if (atomicCAS(&locks[b], 0, 1) == 0) {
        __threadfence();
        relax();
        __threadfence();
        atomicExch(&locks[b], 0);
        atomicExch(&locks[a], 0);
        done = 1;
      } else {
        atomicExch(&locks[a], 0);
      }
    }
    // Keeps the critical section inside the loop.
    asm volatile("" : "+r"(done));
  }
}

extern "C" __global__ void cloth_solve(const ClothSpring* springs, int n, volatile float* position,
                                       volatile int* moves, int* locks) {
  int stride = gridDim.x * blockDim.x;
  for (int s = blockIdx.x * blockDim.x + threadIdx.x; s < n; s += stride) {
    int a = springs[s].a, b = springs[s].b;
    float rest = springs[s].rest;
    cloth_locked(a, b, locks, [&] { cloth_relax<false>(a, b, rest, position, moves, 1, 1); });
  }
}

// The same with a block of neighbouring springs to each thread: what the lanes of a warp access at once is far apart
// (CL of [GPUDet] Tab 5.1).
extern "C" __global__ void cloth_solve_blocked(const ClothSpring* springs, int n, volatile float* position,
                                               volatile int* moves, int* locks) {
  int threads = gridDim.x * blockDim.x;
  int share = (n + threads - 1) / threads;
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * share;
  int end = min(first + share, n);
  for (int s = first; s < end; s++) {
    int a = springs[s].a, b = springs[s].b;
    float rest = springs[s].rest;
    cloth_locked(a, b, locks, [&] { cloth_relax<false>(a, b, rest, position, moves, 1, 1); });
  }
}

// MIMD form ([SSDE:K4]): hangs on a SIMT stack.
extern "C" __global__ void cloth_solve_mimd(const ClothSpring* springs, int n, volatile float* position,
                                            volatile int* moves, int* locks) {
  int stride = gridDim.x * blockDim.x;
  for (int s = blockIdx.x * blockDim.x + threadIdx.x; s < n; s += stride) {
    int a = springs[s].a, b = springs[s].b;
    float rest = springs[s].rest;
    do {
      SPIN_LOCK();
    } while (atomicCAS(&locks[a], 0, 1) != 0);
    do {
      SPIN_LOCK();
    } while (atomicCAS(&locks[b], 0, 1) != 0);
    __threadfence();
    cloth_relax<false>(a, b, rest, position, moves, 1, 1);
    __threadfence();
    atomicExch(&locks[b], 0);
    atomicExch(&locks[a], 0);
  }
}

// ---- Springs that only pull: CL of [KiloTM] Tab 4.3, where 60 % of the constraints write. Spring s adds s + 1 to the
// moves of its one particle and takes it from those of the other, so that they add up to 0.

// Under the locks of both particles.
extern "C" __global__ void cloth_pull(const ClothSpring* springs, int n, volatile float* position,
                                      volatile int* moves, int* locks) {
  int stride = gridDim.x * blockDim.x;
  for (int s = blockIdx.x * blockDim.x + threadIdx.x; s < n; s += stride) {
    int a = springs[s].a, b = springs[s].b;
    float rest = springs[s].rest;
    cloth_locked(a, b, locks, [&] { cloth_relax<true>(a, b, rest, position, moves, s + 1, -s - 1); });
  }
}

// Under one lock for all: locks[0].
extern "C" __global__ void cloth_pull_coarse(const ClothSpring* springs, int n, volatile float* position,
                                             volatile int* moves, int* locks) {
  int stride = gridDim.x * blockDim.x;
  for (int s = blockIdx.x * blockDim.x + threadIdx.x; s < n; s += stride) {
    int a = springs[s].a, b = springs[s].b;
    float rest = springs[s].rest;
    int done = 0;
    while (!done) {
      SPIN_LOCK();
      if (atomicCAS(locks, 0, 1) == 0) {
        __threadfence();
        cloth_relax<true>(a, b, rest, position, moves, s + 1, -s - 1);
        __threadfence();
        atomicExch(locks, 0);
        done = 1;
      }
      // Keeps the critical section inside the loop.
      asm volatile("" : "+r"(done));
    }
  }
}

// Each a transaction, which reads the spring too (CL).
extern "C" __global__ void cloth_pull_tx(const ClothSpring* springs, int n, float* position, int* moves,
                                         int* /*locks*/) {
  int stride = gridDim.x * blockDim.x;
  for (int s = blockIdx.x * blockDim.x + threadIdx.x; s < n; s += stride) {
    tx_begin();
    cloth_relax<true>(springs[s].a, springs[s].b, springs[s].rest, position, moves, s + 1, -s - 1);
    tx_commit();
  }
}

// The spring is read before the transaction (CLto).
extern "C" __global__ void cloth_pull_tx_preloaded(const ClothSpring* springs, int n, float* position, int* moves,
                                                   int* /*locks*/) {
  int stride = gridDim.x * blockDim.x;
  for (int s = blockIdx.x * blockDim.x + threadIdx.x; s < n; s += stride) {
    int a = springs[s].a, b = springs[s].b;
    float rest = springs[s].rest;
    tx_begin();
    cloth_relax<true>(a, b, rest, position, moves, s + 1, -s - 1);
    tx_commit();
  }
}
