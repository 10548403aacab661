#include "check.h"
// Nests so deep that nvcc spills convergence barriers. The whole warp shuffles behind them; no WARPSYNC stands in front of it.
__device__ __noinline__ int halved(int x, int y) {
  int sum = 0;
  while (x & 7) {
    sum += y;
    x >>= 1;
    if (y & 1) return sum;
    y = y * 3 + 1;
  }
  return sum ^ x;
}
__device__ __noinline__ int folded(int x, int y) {
  if (x > y) return x % ((y & 7) + 1);
  for (int i = 0; i < (y & 3); ++i) x = x * 5 + i;
  return x;
}
__device__ __noinline__ int either(int x, int y) { return (y & 1) ? halved(x + 1, y >> 1) + 1 : folded(x, y) - 2; }
__global__ void nested(const int* in, int* out) {
  const int tid = threadIdx.x;
  int a = in[tid], b = in[127 - tid], c = tid * 77, d = blockIdx.x + 1, local[8];
  for (int k = 0; k < 8; ++k) local[k] = k * a;
  __shared__ int words[64];
  words[tid] = b;
  for (int i = 0; i < 5; ++i) {
    for (int k = 0; k < 4; ++k)
      switch (__byte_perm(tid, c, tid) & 7) {
        case 2:
        case 4:
          a ^= either(b, blockIdx.x ^ 33);
          break;
        case 7:
          words[tid] ^= d;
          d += words[tid];
          break;
        case 1:
          b ^= static_cast<int>((static_cast<unsigned long long>(a) << 32 | static_cast<unsigned>(a)) / ((c & 1023) + 1));
      }
    if ((8u >> (tid & 31) & 7) == 1) {
      d += local[__brev(b) & 7];
      local[c & 7] = d;
    }
  }
  d ^= __shfl_sync(0xffffffffu, c, 0);
  out[blockIdx.x * 64 + tid] = a + 3 * b + 5 * (c ^ local[d & 7]) + 7 * d;
}
int main() {
  int host[128], *in, *out;
  for (int i = 0; i < 128; ++i) host[i] = (i * 7919 + 13) % 1009 - 200;
  CHECK(cudaMalloc(&in, sizeof host));
  CHECK(cudaMalloc(&out, sizeof host));
  CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  nested<<<2, 64>>>(in, out);
  CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  unsigned hash = 0;
  for (int each : host) hash = hash * 31 + each;
  std::printf("%08x\n", hash);
  return 0;
}
