// A grid whose blocks wait for each other, as large as the machine holds.
#include <cooperative_groups.h>
#include <algorithm>
#include "check.h"
namespace cg = cooperative_groups;
__global__ void rounds(int* x, int n) {
  cg::grid_group grid = cg::this_grid();
  for (int r = 1; r < 5; ++r) {
    for (int i = static_cast<int>(grid.thread_rank()); i < n; i += static_cast<int>(grid.size())) x[r * n + i] = x[(r - 1) * n + (i + 1) % n] + 1;
    grid.sync();
  }
}
int main() {
  int device = 0, can = 0, blocks = 0;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, device));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, rounds, 128, 0));
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, device));
  const int n = 1000, most = blocks * properties.multiProcessorCount, grid = std::min(most, 8);
  int *x, host[1000], count = n;
  CHECK(cudaMalloc(&x, 5 * n * sizeof(int)));
  CHECK(cudaMemset(x, 0, 5 * n * sizeof(int)));
  void* arguments[] = {&x, &count};
  CHECK(cudaLaunchCooperativeKernel(rounds, grid, 128, arguments, 0, nullptr));
  CHECK(cudaMemcpy(host, x + 4 * n, sizeof host, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += host[i] != 4;
  std::printf("%d %d %d\n", can, blocks > 0, wrong);
  std::printf("%s\n", cudaGetErrorName(cudaLaunchCooperativeKernel(rounds, most + 100000, 128, arguments, 0, nullptr)));
  return wrong;
}
