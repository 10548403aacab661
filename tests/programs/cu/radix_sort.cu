// Radix sort, four bits a pass: histograms of blocks, a scan of all counts, a stable scatter.
#include <algorithm>
#include <vector>
#include "check.h"
constexpr int kBlock = 128, kRadix = 16;
__global__ void count(const unsigned* keys, unsigned* counts, int n, int shift) {
  __shared__ unsigned local[kRadix];
  if (threadIdx.x < kRadix) local[threadIdx.x] = 0;
  __syncthreads();
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i < n) atomicAdd(&local[keys[i] >> shift & (kRadix - 1)], 1u);
  __syncthreads();
  if (threadIdx.x < kRadix) counts[threadIdx.x * gridDim.x + blockIdx.x] = local[threadIdx.x];
}
__global__ void scan(unsigned* counts, int n) {
  unsigned sum = 0;
  for (int i = 0; i < n; ++i) {
    const unsigned next = counts[i];
    counts[i] = sum;
    sum += next;
  }
}
__global__ void scatter(const unsigned* keys, unsigned* to, const unsigned* offsets, int n, int shift) {
  __shared__ unsigned digits[kBlock];
  const int i = blockIdx.x * kBlock + threadIdx.x;
  const unsigned key = i < n ? keys[i] : 0, digit = i < n ? key >> shift & (kRadix - 1) : kRadix;
  digits[threadIdx.x] = digit;
  __syncthreads();
  if (i >= n) return;
  unsigned rank = 0;
  for (int t = 0; t < static_cast<int>(threadIdx.x); ++t) rank += digits[t] == digit;
  to[offsets[digit * gridDim.x + blockIdx.x] + rank] = key;
}
int main() {
  const int n = 1500, blocks = (n + kBlock - 1) / kBlock;
  std::vector<unsigned> keys(n), got(n);
  for (int i = 0; i < n; ++i) keys[i] = (i * 2654435761u ^ i << 7) >> 8;
  unsigned *a, *b, *counts;
  CHECK(cudaMalloc(&a, n * 4));
  CHECK(cudaMalloc(&b, n * 4));
  CHECK(cudaMalloc(&counts, blocks * kRadix * 4));
  CHECK(cudaMemcpy(a, keys.data(), n * 4, cudaMemcpyHostToDevice));
  for (int shift = 0; shift < 24; shift += 4) {
    count<<<blocks, kBlock>>>(a, counts, n, shift);
    scan<<<1, 1>>>(counts, blocks * kRadix);
    scatter<<<blocks, kBlock>>>(a, b, counts, n, shift);
    std::swap(a, b);
  }
  CHECK(cudaMemcpy(got.data(), a, n * 4, cudaMemcpyDeviceToHost));
  std::sort(keys.begin(), keys.end());
  std::printf("%s\n", got == keys ? "sorted" : "not sorted");
  return got != keys;
}
