// A scan of many blocks: sums of blocks, their scan, and the addition, by work-efficient trees in shared memory.
#include <vector>
#include "check.h"
constexpr int kBlock = 128;
__global__ void scan(const unsigned* in, unsigned* out, unsigned* sums, int n) {
  extern __shared__ unsigned tree[];
  const int base = 2 * kBlock * blockIdx.x, t = threadIdx.x;
  for (int i = t; i < 2 * kBlock; i += kBlock) tree[i] = base + i < n ? in[base + i] : 0;
  for (int d = 1; d < 2 * kBlock; d *= 2) {
    __syncthreads();
    const int i = (t + 1) * 2 * d - 1;
    if (i < 2 * kBlock) tree[i] += tree[i - d];
  }
  __syncthreads();
  if (t == 0) {
    if (sums) sums[blockIdx.x] = tree[2 * kBlock - 1];
    tree[2 * kBlock - 1] = 0;
  }
  for (int d = kBlock; d > 0; d /= 2) {
    __syncthreads();
    const int i = (t + 1) * 2 * d - 1;
    if (i < 2 * kBlock) {
      const unsigned left = tree[i - d];
      tree[i - d] = tree[i];
      tree[i] += left;
    }
  }
  __syncthreads();
  for (int i = t; i < 2 * kBlock; i += kBlock)
    if (base + i < n) out[base + i] = tree[i];
}
__global__ void add(unsigned* out, const unsigned* offsets, int n) {
  for (int i = threadIdx.x; i < 2 * kBlock; i += kBlock) {
    const int at = 2 * kBlock * blockIdx.x + i;
    if (at < n) out[at] += offsets[blockIdx.x];
  }
}
int main() {
  const int n = 5000, blocks = (n + 2 * kBlock - 1) / (2 * kBlock);
  std::vector<unsigned> host(n), got(n);
  for (int i = 0; i < n; ++i) host[i] = (i * 2654435761u) >> 20;
  unsigned *in, *out, *sums, *offsets;
  CHECK(cudaMalloc(&in, n * 4));
  CHECK(cudaMalloc(&out, n * 4));
  CHECK(cudaMalloc(&sums, blocks * 4));
  CHECK(cudaMalloc(&offsets, blocks * 4));
  CHECK(cudaMemcpy(in, host.data(), n * 4, cudaMemcpyHostToDevice));
  scan<<<blocks, kBlock, 2 * kBlock * 4>>>(in, out, sums, n);
  scan<<<1, kBlock, 2 * kBlock * 4>>>(sums, offsets, nullptr, blocks);
  add<<<blocks, kBlock>>>(out, offsets, n);
  CHECK(cudaMemcpy(got.data(), out, n * 4, cudaMemcpyDeviceToHost));
  unsigned sum = 0, wrong = 0;
  for (int i = 0; i < n; sum += host[i++]) wrong += got[i] != sum;
  std::printf("%u wrong of %d\n", wrong, n);
  return wrong;
}
