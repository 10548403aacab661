// Barnes-Hut sort: puts the bodies in the order of the tree. A cell hands each of its child cells the place
// where that child's bodies start; whoever works on the child waits for that. The tree is bh_build.cu's:
// child[8 * cell + octant] is 0 empty, 1 .. n a body (index plus one), n + c cell c; parents come before
// their children, so CTAs wait for earlier ones only.

// Says that the loop around it waits for another thread's signal (README.md).
#define SPIN_WAIT() asm volatile(".pragma \"heddle spin wait\";")

// count[c]: bodies below cell c. start[c]: -1 until known; start[0] is 0. SIMT-safe: [SSDE:K6].
//
extern "C" __global__ void bh_sort(const int* child, const int* count, int n, int cells, int cells_per_cta,
                                   volatile int* start, int* sorted) {
  int k = blockIdx.x * cells_per_cta + threadIdx.x;
  int end = min(cells, (int)(blockIdx.x + 1) * cells_per_cta);
  while (k < end) {
    SPIN_WAIT();
    int s = start[k];
    if (s >= 0) {
      for (int octant = 0; octant < 8; octant++) {
        int there = child[8 * k + octant];
        if (there > n) {
          start[there - n] = s;
          s += count[there - n];
        } else if (there > 0) {
          sorted[s++] = there - 1;
        }
      }
      k += blockDim.x;
    }
    // Keeps the signal inside the loop.
    asm volatile("" : "+r"(k));
  }
}

// MIMD form, with a waiting loop of its own: hangs on a SIMT stack when parent and child share a warp.
extern "C" __global__ void bh_sort_mimd(const int* child, const int* count, int n, int cells,
                                        int cells_per_cta, volatile int* start, int* sorted) {
  int end = min(cells, (int)(blockIdx.x + 1) * cells_per_cta);
  for (int k = blockIdx.x * cells_per_cta + threadIdx.x; k < end; k += blockDim.x) {
    int s;
    while ((s = start[k]) < 0) {
      SPIN_WAIT();
    }
    for (int octant = 0; octant < 8; octant++) {
      int there = child[8 * k + octant];
      if (there > n) {
        start[there - n] = s;
        s += count[there - n];
      } else if (there > 0) {
        sorted[s++] = there - 1;
      }
    }
  }
}
