#include "check.h"
// Lanes come back from a recursion together: nvcc puts a shuffle of the whole warp behind it, and no WARPSYNC in front of that.
__device__ __noinline__ int tree(int x, int depth) {
  if (x < 2 || depth <= 0) return x ^ depth;
  int sum = tree(x / 3, depth - 1);
  if (x & 1) sum += tree(x / 5, depth - 2) * 3;
  return sum + x;
}
__global__ void behind(const int* in, int* out, int depth) {
  const int tid = threadIdx.x;
  int a = in[(tid + blockIdx.x * 37) & 127] + tree((tid * 77) & 63, depth);
  const int c = static_cast<int>(__funnelshift_l(blockIdx.x, blockIdx.x + 1, tid & 31));
  a += __shfl_xor_sync(0xffffffffu, c, 8);
  const unsigned alike = __match_any_sync(0xffffffffu, tree(a & 63, depth) & 3);
  out[blockIdx.x * 64 + tid] = a * 33 + __popc(alike);
}
int main() {
  int host[128], *in, *out;
  for (int i = 0; i < 128; ++i) host[i] = (i * 7919 + 13) % 1009 - 200;
  CHECK(cudaMalloc(&in, sizeof host));
  CHECK(cudaMalloc(&out, sizeof host));
  CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  for (int depth = 1; depth < 6; ++depth) {
    behind<<<2, 64>>>(in, out, depth);
    int got[128];
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    unsigned hash = 0;
    for (int each : got) hash = hash * 31 + each;
    std::printf("%08x\n", hash);
  }
  return 0;
}
