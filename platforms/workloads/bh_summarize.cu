// Barnes-Hut summarisation: mass and centre of mass of every cell, from the leaves to the root. A cell waits
// until those of its children that are cells are done. The tree is bh_build.cu's; children have higher
// indices than their parents, so work goes from the highest cell down and CTAs wait for earlier ones only.

// Says that the loop around it waits for another thread's signal (README.md).
#define SPIN_WAIT() asm volatile(".pragma \"heddle spin wait\";")

// count[c]: bodies below cell c, 0 until the cell is done. centre: x, y, z and mass of each cell. SIMT-safe:
// the signal is inside the loop.
extern "C" __global__ void bh_summarize(const int* child, const float* position, const float* mass, int n,
                                        int cells, int cells_per_cta, volatile float* centre,
                                        volatile int* count) {
  int k = cells - 1 - (int)(blockIdx.x * cells_per_cta + threadIdx.x);
  int end = max(-1, cells - 1 - (int)(blockIdx.x + 1) * cells_per_cta);
  while (k > end) {
    SPIN_WAIT();
    int bodies = 0, ready = 1;
    for (int octant = 0; octant < 8; octant++) {
      int there = child[8 * k + octant];
      if (there > n) {
        int below = count[there - n];
        if (below == 0) ready = 0;
        bodies += below;
      } else if (there > 0) {
        bodies++;
      }
    }
    if (ready) {
      __threadfence();  // what the children wrote before their counts
      float x = 0.0f, y = 0.0f, z = 0.0f, m = 0.0f;
      for (int octant = 0; octant < 8; octant++) {
        int there = child[8 * k + octant];
        if (there == 0) continue;
        float cx, cy, cz, cm;
        if (there > n) {
          int c = 4 * (there - n);
          cx = centre[c];
          cy = centre[c + 1];
          cz = centre[c + 2];
          cm = centre[c + 3];
        } else {
          int b = there - 1;
          cx = position[3 * b];
          cy = position[3 * b + 1];
          cz = position[3 * b + 2];
          cm = mass[b];
        }
        x = __fmaf_rn(cm, cx, x);
        y = __fmaf_rn(cm, cy, y);
        z = __fmaf_rn(cm, cz, z);
        m += cm;
      }
      centre[4 * k] = x / m;
      centre[4 * k + 1] = y / m;
      centre[4 * k + 2] = z / m;
      centre[4 * k + 3] = m;
      __threadfence();
      count[k] = bodies;
      k -= blockDim.x;
    }
    asm volatile("" : "+r"(k));
  }
}
