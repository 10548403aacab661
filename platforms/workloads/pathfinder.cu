// Cheapest path through a grid from its first row to each cell of its last, a step down or diagonally down at
// a time. A launch does `steps` rows: a CTA of 128 threads starts with the cost of 128 neighbouring cells and
// loses the outermost two with every row.
enum { kPathBlock = 128 };

// cost[cols]: of reaching each cell of row `row - 1`; result: of row `row + steps - 1`. steps is less
// than 64.
extern "C" __global__ void path_rows(const int* wall, int cols, int row, int steps, const int* cost,
                                     int* result) {
  __shared__ int before[kPathBlock];
  __shared__ int after[kPathBlock];
  int t = threadIdx.x;
  int useful = kPathBlock - 2 * steps;
  int col = (int)blockIdx.x * useful - steps + t;
  bool inside = col >= 0 && col < cols;
  int here = inside ? cost[col] : 0;
  before[t] = here;
  for (int step = 0; step < steps; step++) {
    __syncthreads();
    bool active = inside && t > step && t < kPathBlock - 1 - step;
    if (active) {
      int best = before[t];
      if (col > 0) best = min(best, before[t - 1]);
      if (col < cols - 1) best = min(best, before[t + 1]);
      here = best + wall[(row + step) * cols + col];
      after[t] = here;
    }
    __syncthreads();
    if (active) before[t] = after[t];
  }
  if (inside && t >= steps && t < kPathBlock - steps) result[col] = here;
}
