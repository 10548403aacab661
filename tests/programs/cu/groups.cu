// Cooperative groups within a block: tiles, coalesced threads, shuffles, reductions.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include "check.h"
namespace cg = cooperative_groups;
__global__ void sums(const int* in, int* out) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  const int s = cg::reduce(tile, in[block.thread_rank()], cg::plus<int>());
  if (tile.thread_rank() == 0) out[block.thread_rank() / 8] = s;
  if (in[block.thread_rank()] % 3 == 0) {
    auto together = cg::coalesced_threads();
    if (together.thread_rank() == 0) atomicAdd(out + 8, static_cast<int>(together.size()));
  }
  out[16 + block.thread_rank()] = tile.shfl_down(in[block.thread_rank()], 1);
}
int main() {
  int *in, *out, host[80], values[64];
  for (int i = 0; i < 64; ++i) values[i] = i;
  CHECK(cudaMalloc(&in, sizeof values));
  CHECK(cudaMalloc(&out, sizeof host));
  CHECK(cudaMemset(out, 0, sizeof host));
  CHECK(cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice));
  sums<<<1, 64>>>(in, out);
  CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 9; ++i) std::printf("%d ", host[i]);
  std::printf("%d %d\n", host[16], host[16 + 62]);
  return 0;
}
