// Needleman-Wunsch alignment, forward: one thread for each row of the score matrix, which follows the row
// above it at a distance of one column. progress[r]: columns of row r that are done; a thread waits for its
// upper neighbour, usually a lane of the same warp. score: (rows + 1) x (cols + 1), with row 0 and column 0
// filled in; progress[0] is cols. Rows of earlier CTAs come first.

// Says that the loop around it waits for another thread's signal (README.md).
#define SPIN_WAIT() asm volatile(".pragma \"heddle spin wait\";")

enum { kNwMatch = 3, kNwMismatch = -2, kNwGap = -4 };

static __device__ __forceinline__ int nw_best(int diagonal, int up, int left, unsigned char a,
                                              unsigned char b) {
  return max(diagonal + (a == b ? kNwMatch : kNwMismatch), max(up, left) + kNwGap);
}

// SIMT-safe: a lane that must wait goes round the loop with the others.
extern "C" __global__ void nw_rows(const unsigned char* a, const unsigned char* b, int rows, int cols,
                                   volatile int* score, volatile int* progress) {
  int r = blockIdx.x * blockDim.x + threadIdx.x + 1;
  if (r > rows) return;
  volatile int* above = score + (r - 1) * (cols + 1);
  volatile int* mine = score + r * (cols + 1);
  unsigned char letter = a[r - 1];
  int left = mine[0], diagonal = above[0];
  int c = 1;
  while (c <= cols) {
    SPIN_WAIT();
    if (progress[r - 1] >= c) {
      __threadfence();
      int up = above[c];
      left = nw_best(diagonal, up, left, letter, b[c - 1]);
      diagonal = up;
      mine[c] = left;
      __threadfence();
      progress[r] = c;
      c++;
    }
    // Keeps the signal inside the loop.
    asm volatile("" : "+r"(c));
  }
}

// MIMD form, with a waiting loop of its own: hangs on a SIMT stack.
extern "C" __global__ void nw_rows_mimd(const unsigned char* a, const unsigned char* b, int rows, int cols,
                                        volatile int* score, volatile int* progress) {
  int r = blockIdx.x * blockDim.x + threadIdx.x + 1;
  if (r > rows) return;
  volatile int* above = score + (r - 1) * (cols + 1);
  volatile int* mine = score + r * (cols + 1);
  unsigned char letter = a[r - 1];
  int left = mine[0], diagonal = above[0];
  for (int c = 1; c <= cols; c++) {
    while (progress[r - 1] < c) {
      SPIN_WAIT();
    }
    __threadfence();
    int up = above[c];
    left = nw_best(diagonal, up, left, letter, b[c - 1]);
    diagonal = up;
    mine[c] = left;
    __threadfence();
    progress[r] = c;
  }
}
