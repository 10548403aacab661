// Cooperative groups: scans, partitions by a bit and by a label, coalesced threads, one thread for all.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include "check.h"
namespace cg = cooperative_groups;
constexpr int kThreads = 64;
__global__ void kernel(const int* in, int* out, int* calls) {
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const auto tile = cg::tiled_partition<8>(warp);
  const int t = block.thread_rank(), v = in[t];
  int* const mine = out + t * 8;
  mine[0] = cg::inclusive_scan(tile, v);
  mine[1] = cg::exclusive_scan(warp, v, cg::bit_xor<int>());
  mine[2] = cg::reduce(tile, v, cg::greater<int>());
  const auto half = cg::binary_partition(warp, v % 2 != 0);
  mine[3] = half.size() * 100 + half.thread_rank();
  const auto same = cg::labeled_partition(warp, v % 3);
  mine[4] = cg::reduce(same, 1, cg::plus<int>());
  mine[5] = 0;
  if (v % 5 == 0) {
    const auto together = cg::coalesced_threads();
    mine[5] = together.size() * 1000 + together.shfl(v, 0);
  }
  cg::invoke_one(warp, [=] { atomicAdd(calls, 1); });
}
int main() {
  int *in, *out, *calls;
  CHECK(cudaMallocManaged(&in, kThreads * 4));
  CHECK(cudaMallocManaged(&out, kThreads * 32));
  CHECK(cudaMallocManaged(&calls, 4));
  *calls = 0;
  for (int i = 0; i < kThreads; ++i) in[i] = i * 37 % 251;
  kernel<<<1, kThreads>>>(in, out, calls);
  CHECK(cudaDeviceSynchronize());
  int wrong = 0;
  for (int i = 0; i < kThreads; ++i) {
    const int warp = i / 32 * 32, tile = i / 8 * 8;
    int sum = 0, bits = 0, most = 0, alike = 0, before = 0, label = 0, fives = 0, first = -1;
    for (int j = tile; j <= i; ++j) sum += in[j];
    for (int j = tile; j < tile + 8; ++j) most = max(most, in[j]);
    for (int j = warp; j < i; ++j) bits ^= in[j];
    for (int j = warp; j < warp + 32; ++j) {
      alike += in[j] % 2 == in[i] % 2;
      before += j < i && in[j] % 2 == in[i] % 2;
      label += in[j] % 3 == in[i] % 3;
      if (in[j] % 5 == 0) first = first < 0 ? in[j] : first, ++fives;
    }
    const int expected[] = {sum, bits, most, alike * 100 + before, label, in[i] % 5 == 0 ? fives * 1000 + first : 0};
    for (int k = 0; k < 6; ++k) wrong += out[i * 8 + k] != expected[k];
  }
  std::printf("%d wrong, %d calls\n", wrong, *calls);
  return wrong;
}
