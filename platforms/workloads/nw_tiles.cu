// Needleman-Wunsch alignment, backward: score[i * (cols + 1) + j] is that of the best alignment of what
// follows row i and column j. One CTA for each band of 32 rows, the lowest band first; it goes through its
// tiles from right to left, in each along the anti-diagonals. done[band]: tiles of that band that are
// finished; one thread of a CTA waits for the band below, then all of them pass a barrier. The last row and
// the last column are filled in; rows and cols are multiples of 32; 64 threads.

// Says that the loop around it waits for another thread's signal (README.md).
#define SPIN_WAIT() asm volatile(".pragma \"heddle spin wait\";")

enum { kNwTile = 32, kNwTileMatch = 3, kNwTileMismatch = -2, kNwTileGap = -4 };

extern "C" __global__ void nw_tiles(const unsigned char* a, const unsigned char* b, int rows, int cols,
                                    volatile int* score, volatile int* done) {
  __shared__ int tile[kNwTile + 1][kNwTile + 1];
  int t = threadIdx.x;
  int band = blockIdx.x;
  int first_row = rows - (band + 1) * kNwTile;
  int width = cols + 1;
  unsigned char letter = t < kNwTile ? a[first_row + t] : 0;
  for (int step = 0; step < cols / kNwTile; step++) {
    int first_col = cols - (step + 1) * kNwTile;
    if (band > 0 && t == 0) {
      while (done[band - 1] <= step) {
        SPIN_WAIT();
      }
      __threadfence();
    }
    __syncthreads();
    // The row below the tile, and the column to the right of it.
    if (t <= kNwTile) tile[kNwTile][t] = score[(first_row + kNwTile) * width + first_col + t];
    if (t < kNwTile) tile[t][kNwTile] = score[(first_row + t) * width + first_col + kNwTile];
    __syncthreads();
    for (int diagonal = 2 * kNwTile - 2; diagonal >= 0; diagonal--) {
      int j = diagonal - t;
      if (t < kNwTile && j >= 0 && j < kNwTile) {
        int pair = letter == b[first_col + j] ? kNwTileMatch : kNwTileMismatch;
        tile[t][j] = max(tile[t + 1][j + 1] + pair, max(tile[t + 1][j], tile[t][j + 1]) + kNwTileGap);
      }
      __syncthreads();
    }
    for (int i = t; i < kNwTile * kNwTile; i += blockDim.x)
      score[(first_row + i / kNwTile) * width + first_col + i % kNwTile] = tile[i / kNwTile][i % kNwTile];
    __threadfence();
    __syncthreads();
    if (t == 0) done[band] = step + 1;
  }
}
