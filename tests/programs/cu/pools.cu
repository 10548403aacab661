// Memory in the order of a stream, and pools.
#include <cstdint>
#include "check.h"
__global__ void fill(int* x, int v) { x[threadIdx.x] = v; }
int main() {
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaMemPool_t pool, own;
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  std::uint64_t threshold = 1 << 20, read = 0;
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &read));
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  CHECK(cudaMemPoolCreate(&own, &properties));
  int sum = 0;
  for (int i = 0; i < 4; ++i) {
    int *x, host[32];
    CHECK(i % 2 == 0 ? cudaMallocAsync(&x, sizeof host, stream) : cudaMallocFromPoolAsync(&x, sizeof host, own, stream));
    fill<<<1, 32, 0, stream>>>(x, i + 1);
    CHECK(cudaMemcpyAsync(host, x, sizeof host, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaFreeAsync(x, stream));
    CHECK(cudaStreamSynchronize(stream));
    sum += host[31];
  }
  CHECK(cudaMemPoolTrimTo(pool, 0));
  CHECK(cudaMemPoolDestroy(own));
  std::printf("%d %d\n", sum, read == threshold);
  return 0;
}
