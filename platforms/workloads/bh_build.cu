// Barnes-Hut tree build: every body goes down an octree to an empty place or to another body, locks that
// place, and puts there itself or the cells that keep the two apart.
//
// child[8 * cell + octant]: 0 empty, -1 locked, 1 .. n a body (index plus one), n + c cell c. Cell 0 is the
// root: centre 0, half edge 1. Cells are numbered as they are made, so a cell's index is above its parent's.
#include "heddle_tx.h"

// Says that the loop around it waits for a lock (README.md).
#define SPIN_LOCK() asm volatile(".pragma \"heddle spin lock\";")

enum { kBhEmpty = 0, kBhLocked = -1 };

struct BhPlace {
  float x, y, z;  // centre of the cell
  float half;     // half its edge
};

static __device__ __forceinline__ int bh_octant(const BhPlace& at, float x, float y, float z) {
  return (x >= at.x ? 1 : 0) + (y >= at.y ? 2 : 0) + (z >= at.z ? 4 : 0);
}

static __device__ __forceinline__ void bh_descend(BhPlace& at, int octant) {
  at.half = at.half * 0.5f;
  at.x += octant & 1 ? at.half : -at.half;
  at.y += octant & 2 ? at.half : -at.half;
  at.z += octant & 4 ? at.half : -at.half;
}

// From `cell`, which is at `at`, down to a place of the body's that holds no cell: what is there. bh_build has it once more: with
// its cell behind a reference nvcc orders two selections differently, and its cycles would change.
static __device__ __forceinline__ int bh_go_down(const volatile int* child, int n, float x, float y, float z,
                                                 BhPlace& at, int& cell, int& octant) {
  octant = bh_octant(at, x, y, z);
  int there = child[8 * cell + octant];
  while (there > n) {
    cell = there - n;
    bh_descend(at, octant);
    octant = bh_octant(at, x, y, z);
    there = child[8 * cell + octant];
  }
  return there;
}

// What takes the place of `there` (a body, or empty) in the cell at `at`, octant `octant`: the body, or the
// cells that keep the two apart. The place is locked.
// A new cell: next_cell(). kFence: others see the cells before whoever finds them.
template <bool kFence, class NextCell>
static __device__ __forceinline__ int bh_place(const float* position, int n, volatile int* child,
                                               NextCell next_cell, BhPlace& at, int octant, int body, int there) {
  if (there == kBhEmpty) return body + 1;
  float x = position[3 * body], y = position[3 * body + 1], z = position[3 * body + 2];
  int other = there - 1;
  float ox = position[3 * other], oy = position[3 * other + 1], oz = position[3 * other + 2];
  int replacement = 0, link = -1, mine, theirs;
  do {  // a cell at a time, until they part
    int fresh = next_cell();
    if (link < 0)
      replacement = n + fresh;
    else
      child[link] = n + fresh;
    bh_descend(at, octant);
    mine = bh_octant(at, x, y, z);
    theirs = bh_octant(at, ox, oy, oz);
    octant = mine;
    link = 8 * fresh + mine;
    if (mine != theirs) child[8 * fresh + theirs] = there;
  } while (mine == theirs);
  child[link] = body + 1;
  if (kFence) __threadfence();
  return replacement;
}

// The same, cells numbered by a counter.
static __device__ __forceinline__ int bh_place_locked(const float* position, int n, volatile int* child, int* cells,
                                                      BhPlace& at, int octant, int body, int there) {
  return bh_place<true>(position, n, child, [=] { return atomicAdd(cells, 1); }, at, octant, body, there);
}

// position: x, y, z of each body, all different. cells: number of cells, 1 at the start. A round tries once
// for each thread's body; the CTA's threads wait for each other between rounds, which throttles the retries.
extern "C" __global__ void bh_build(const float* position, int n, volatile int* child, int* cells) {
  // volatile: clang 14 moves loads of shared variables over barriers.
  volatile __shared__ int unfinished;
  int stride = gridDim.x * blockDim.x;
  int body = blockIdx.x * blockDim.x + threadIdx.x;
  BhPlace at = {0.0f, 0.0f, 0.0f, 1.0f};
  int cell = 0;
  for (;;) {
    if (threadIdx.x == 0) unfinished = 0;
    __syncthreads();
    if (body < n) {
      float x = position[3 * body], y = position[3 * body + 1], z = position[3 * body + 2];
      int octant = bh_octant(at, x, y, z);
      int there = child[8 * cell + octant];
      while (there > n) {
        cell = there - n;
        bh_descend(at, octant);
        octant = bh_octant(at, x, y, z);
        there = child[8 * cell + octant];
      }
      int place = 8 * cell + octant;
      int done = 0;
      SPIN_LOCK();
      if (there != kBhLocked && atomicCAS(const_cast<int*>(&child[place]), there, kBhLocked) == there) {
        int replacement = bh_place_locked(position, n, child, cells, at, octant, body, there);
        child[place] = replacement;  // also the release
        done = 1;
      }
      asm volatile("" : "+r"(done));
      if (done) {
        body += stride;
        at.x = at.y = at.z = 0.0f;
        at.half = 1.0f;
        cell = 0;
      }
      if (body < n) unfinished = 1;
    }
    __syncthreads();
    int again = unfinished;
    __syncthreads();
    if (!again) break;
  }
}

// MIMD form: a thread tries again until it has the place, and gives it back behind that loop. Hangs on a SIMT
// stack when two lanes of a warp want the same place.
extern "C" __global__ void bh_build_mimd(const float* position, int n, volatile int* child, int* cells) {
  int stride = gridDim.x * blockDim.x;
  for (int body = blockIdx.x * blockDim.x + threadIdx.x; body < n; body += stride) {
    float x = position[3 * body], y = position[3 * body + 1], z = position[3 * body + 2];
    BhPlace at = {0.0f, 0.0f, 0.0f, 1.0f};
    int cell = 0, octant, there;
    do {
      SPIN_LOCK();
      there = bh_go_down(child, n, x, y, z, at, cell, octant);
    } while (there == kBhLocked ||
             atomicCAS(const_cast<int*>(&child[8 * cell + octant]), there, kBhLocked) != there);
    int place = 8 * cell + octant;
    child[place] = bh_place_locked(position, n, child, cells, at, octant, body, there);
  }
}

// Under one lock for the whole tree, locks[0], which a thread takes where it goes no further down.
extern "C" __global__ void bh_build_coarse(const float* position, int n, volatile int* child, int* cells, int* lock) {
  int stride = gridDim.x * blockDim.x;
  for (int body = blockIdx.x * blockDim.x + threadIdx.x; body < n; body += stride) {
    float x = position[3 * body], y = position[3 * body + 1], z = position[3 * body + 2];
    BhPlace at = {0.0f, 0.0f, 0.0f, 1.0f};
    int cell = 0;
    int done = 0;
    while (!done) {
      SPIN_LOCK();
      int octant;
      int there = bh_go_down(child, n, x, y, z, at, cell, octant);
      if (atomicCAS(lock, 0, 1) == 0) {
        __threadfence();
        int place = 8 * cell + octant;
        there = child[place];
        if (there <= n) {
          child[place] = bh_place_locked(position, n, child, cells, at, octant, body, there);
          done = 1;
        }
        __threadfence();
        atomicExch(lock, 0);
      }
      // Keeps the critical section inside the loop.
      asm volatile("" : "+r"(done));
    }
  }
}

// A transaction a level (BH of [KiloTM] §4.3): it looks at a place of the tree, and puts the body there or goes down
// to the next level. The thread's own cells are those from 1 + thread * own_cells on, so that cells are no conflict; which
// of them is the next is a register that an attempt puts back.
extern "C" __global__ void bh_build_tx(const float* position, int n, volatile int* child, int own_cells) {
#if defined(__CUDACC__) || defined(__CUDA__)
  // Its loops wait for nobody, and the transformation would jump out of the transaction.
  asm volatile(".pragma \"heddle nossde\";");
#endif
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int stride = gridDim.x * blockDim.x;
  int next = 1 + thread * own_cells;
  for (int body = thread; body < n; body += stride) {
    float x = position[3 * body], y = position[3 * body + 1], z = position[3 * body + 2];
    BhPlace at = {0.0f, 0.0f, 0.0f, 1.0f};
    int cell = 0;
    for (;;) {
      int octant = bh_octant(at, x, y, z);
      int place = 8 * cell + octant;
      tx_begin();
      int there = child[place];
      if (there <= n) {
        BhPlace deeper = at;
        child[place] = bh_place<false>(position, n, child, [&] { return next++; }, deeper, octant, body, there);
      }
      tx_commit();
      if (there <= n) break;
      cell = there - n;
      bh_descend(at, octant);
    }
  }
}
