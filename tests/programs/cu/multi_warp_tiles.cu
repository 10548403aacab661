// arch: 80
// Tiles of several warps: they synchronise and reduce through shared memory that the architecture reserves.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include "check.h"
namespace groups = cooperative_groups;
__global__ void tiles(int* out) {
  __shared__ groups::block_tile_memory<256> memory;
  const auto block = groups::this_thread_block(memory);
  const int i = static_cast<int>(block.thread_rank());
  const auto two = groups::tiled_partition<64>(block);
  const auto four = groups::tiled_partition<128>(block);
  const int sum = groups::reduce(two, i, groups::plus<int>());
  const int most = groups::reduce(four, i ^ 37, groups::greater<int>());
  two.sync();
  out[i] = sum + 3 * most + 5 * two.shfl(i, 7) + (four.any(i == 200) ? 100000 : 0) + 1000000 * static_cast<int>(two.meta_group_rank());
}
int main() {
  int *x, host[256];
  CHECK(cudaMalloc(&x, sizeof host));
  tiles<<<1, 256>>>(x);
  CHECK(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 256; i += 32) std::printf("%d %d\n", i, host[i]);
  CHECK(cudaFree(x));
  return 0;
}
