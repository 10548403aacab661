// arch: 80
#include "check.h"
// Reductions of warps in one instruction, matches of masks.
__global__ void reduce(unsigned* out) {
  const unsigned i = threadIdx.x;
  const unsigned half = i < 16 ? 0x0000ffffu : 0xffff0000u;
  unsigned value = __reduce_add_sync(half, i * i);
  value ^= __reduce_min_sync(half, i * 7 % 13) << 4;
  value ^= __reduce_max_sync(half, i * 5 % 17) << 8;
  value += static_cast<unsigned>(__reduce_min_sync(0xffffffffu, static_cast<int>(i) - 20));
  value ^= __reduce_and_sync(half, i | 0x60u) << 16 ^ __reduce_or_sync(half, i & 5u) << 20 ^ __reduce_xor_sync(half, i * 3u) << 24;
  out[i] = value;
}
int main() {
  unsigned *out, got[32];
  CHECK(cudaMalloc(&out, sizeof got));
  reduce<<<1, 32>>>(out);
  CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  std::printf("%u %u %u %u\n", got[0], got[15], got[16], got[31]);
  return 0;
}
