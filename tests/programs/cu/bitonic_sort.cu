// Keys with values, sorted by a bitonic network: blocks in shared memory, then merges of longer strides in global memory.
#include <algorithm>
#include <vector>
#include "check.h"
constexpr unsigned kCount = 1024, kShared = 256;
__device__ void order(uint2& a, uint2& b, bool up) {
  if ((a.x > b.x) == up) {
    const uint2 t = a;
    a = b;
    b = t;
  }
}
__global__ void merge_shared(uint2* data, unsigned from, unsigned to) {  // sizes, each a power of two
  __shared__ uint2 s[kShared];
  const unsigned t = threadIdx.x, base = blockIdx.x * kShared, half = kShared / 2;
  s[t] = data[base + t];
  s[t + half] = data[base + t + half];
  for (unsigned size = from; size <= to; size *= 2)
    for (unsigned stride = min(size / 2, half); stride > 0; stride /= 2) {
      __syncthreads();
      const unsigned i = 2 * t - (t & (stride - 1));
      order(s[i], s[i + stride], ((base + i) & size) == 0);
    }
  __syncthreads();
  data[base + t] = s[t];
  data[base + t + half] = s[t + half];
}
__global__ void merge_global(uint2* data, unsigned size, unsigned stride) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x, i = 2 * t - (t & (stride - 1));
  order(data[i], data[i + stride], (i & size) == 0);
}
int main() {
  std::vector<uint2> host(kCount), got(kCount);
  for (unsigned i = 0; i < kCount; ++i) host[i] = {i * 2654435761u >> 7, i};
  uint2* device;
  CHECK(cudaMalloc(&device, kCount * sizeof(uint2)));
  CHECK(cudaMemcpy(device, host.data(), kCount * sizeof(uint2), cudaMemcpyHostToDevice));
  merge_shared<<<kCount / kShared, kShared / 2>>>(device, 2, kShared);
  for (unsigned size = 2 * kShared; size <= kCount; size *= 2) {
    for (unsigned stride = size / 2; stride >= kShared; stride /= 2)
      merge_global<<<kCount / kShared, kShared / 2>>>(device, size, stride);
    merge_shared<<<kCount / kShared, kShared / 2>>>(device, size, size);
  }
  CHECK(cudaMemcpy(got.data(), device, kCount * sizeof(uint2), cudaMemcpyDeviceToHost));
  std::sort(host.begin(), host.end(), [](uint2 a, uint2 b) { return a.x < b.x; });
  int wrong = 0;
  for (unsigned i = 0; i < kCount; ++i) wrong += got[i].x != host[i].x || got[i].y != host[i].y;
  std::printf("%d wrong\n", wrong);
  return wrong;
}
