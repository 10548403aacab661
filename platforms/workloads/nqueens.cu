// Ways to put a queen on each row of a board with blocked squares so that none attacks another. A task is a
// board whose first rows are done; a thread counts the ways to go on from it, with a stack of its own.
enum { kQueensRows = 20 };  // at most

// Bits are columns: taken, and attacked along either diagonal, in the row that comes next.
struct QueensTask {
  unsigned columns, left, right;
};

// blocked[row]: squares of that row that must stay empty. ways[i]: of task i; *total: of all.
extern "C" __global__ void queens_count(const QueensTask* tasks, int n, const unsigned* blocked,
                                        int first_row, int rows, unsigned* ways, unsigned long long* total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned columns[kQueensRows], left[kQueensRows], right[kQueensRows], open[kQueensRows];
  unsigned board = (1u << rows) - 1;
  int row = first_row;
  columns[row] = tasks[i].columns;
  left[row] = tasks[i].left;
  right[row] = tasks[i].right;
  open[row] = board & ~(columns[row] | left[row] | right[row] | blocked[row]);
  unsigned found = 0;
  while (row >= first_row) {
    unsigned squares = open[row];
    if (squares == 0) {
      row--;
      continue;
    }
    unsigned queen = squares & (0u - squares);
    open[row] = squares ^ queen;
    if (row == rows - 1) {
      found++;
      continue;
    }
    columns[row + 1] = columns[row] | queen;
    left[row + 1] = (left[row] | queen) << 1;
    right[row + 1] = (right[row] | queen) >> 1;
    row++;
    open[row] = board & ~(columns[row] | left[row] | right[row] | blocked[row]);
  }
  ways[i] = found;
  if (found != 0) atomicAdd(total, (unsigned long long)found);
}

__device__ __noinline__ unsigned queens_below(const unsigned* blocked, int row, int rows, unsigned columns,
                                              unsigned left, unsigned right) {
  if (row == rows) return 1;
  unsigned found = 0;
  unsigned squares = ((1u << rows) - 1) & ~(columns | left | right | blocked[row]);
  while (squares != 0) {
    unsigned queen = squares & (0u - squares);
    squares ^= queen;
    found += queens_below(blocked, row + 1, rows, columns | queen, (left | queen) << 1, (right | queen) >> 1);
  }
  return found;
}

// The same by recursion.
extern "C" __global__ void queens_recurse(const QueensTask* tasks, int n, const unsigned* blocked,
                                          int first_row, int rows, unsigned* ways,
                                          unsigned long long* total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned found = queens_below(blocked, first_row, rows, tasks[i].columns, tasks[i].left, tasks[i].right);
  ways[i] = found;
  if (found != 0) atomicAdd(total, (unsigned long long)found);
}
