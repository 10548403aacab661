// cooperative_groups::this_grid().sync(): every CTA reads what the last one has written, three times.
#include <cooperative_groups.h>

extern "C" __global__ void grid_sync(int* a, int* b) {
  const auto grid = cooperative_groups::this_grid();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int last = gridDim.x * blockDim.x - 1;
  a[i] = i * 3;
  grid.sync();
  b[i] = a[last - i];
  grid.sync();
  a[i] = b[last - i] + 1;
  grid.sync();
  b[i] += 1000 * a[last - i];
}

// A kernel may ask before.
extern "C" __global__ void asks_first(int* out) {
  out[threadIdx.x] = cooperative_groups::this_grid().is_valid() ? 1 : 2;
}
