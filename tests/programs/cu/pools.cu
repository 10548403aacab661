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
  const auto show = [](cudaMemPool_t of) {
    for (int what = cudaMemPoolAttrReservedMemCurrent; what <= cudaMemPoolAttrUsedMemHigh; ++what) {
      std::uint64_t bytes = 0;
      CHECK(cudaMemPoolGetAttribute(of, static_cast<cudaMemPoolAttr>(what), &bytes));
      std::printf("%llu%c", static_cast<unsigned long long>(bytes), what == cudaMemPoolAttrUsedMemHigh ? '\n' : ' ');
    }
  };
  int *other, *first, *second;  // other memory is not the pool's
  CHECK(cudaMalloc(&other, 4096));
  CHECK(cudaMallocAsync(&first, 4096, stream));
  CHECK(cudaMallocAsync(&second, 1024, stream));
  CHECK(cudaFree(first));
  show(pool);
  CHECK(cudaFreeAsync(second, stream));
  CHECK(cudaStreamSynchronize(stream));
  show(pool);
  show(own);
  for (int i = 0; i < 4; ++i) {
    int *x, host[32];
    CHECK(i % 2 == 0 ? cudaMallocAsync(&x, sizeof host, stream) : cudaMallocFromPoolAsync(&x, sizeof host, own, stream));
    fill<<<1, 32, 0, stream>>>(x, i + 1);
    CHECK(cudaMemcpyAsync(host, x, sizeof host, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaFreeAsync(x, stream));
    CHECK(cudaStreamSynchronize(stream));
    sum += host[31];
  }
  const cudaMemLocation host = {cudaMemLocationTypeHost, 0};
  cudaMemAccessFlags own_access = cudaMemAccessFlagsProtNone, host_access = own_access;
  cudaMemLocation device = properties.location;
  CHECK(cudaMemPoolGetAccess(&own_access, own, &device));
  device = host;
  CHECK(cudaMemPoolGetAccess(&host_access, own, &device));
  std::printf("%d %d\n", own_access, host_access);
  cudaStreamAttrValue window = {}, same = {};
  window.accessPolicyWindow.num_bytes = 4096;
  window.accessPolicyWindow.hitRatio = 0.5f;
  CHECK(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &window));
  CHECK(cudaStreamGetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &same));
  std::printf("%zu %g\n", same.accessPolicyWindow.num_bytes, same.accessPolicyWindow.hitRatio);
  CHECK(cudaMemPoolTrimTo(pool, 0));
  CHECK(cudaMemPoolDestroy(own));
  std::printf("%d %d\n", sum, read == threshold);
  int *x, *bad = &sum;
  CHECK(cudaMalloc(&x, 4));
  std::printf("%s %s %s\n", cudaGetErrorName(cudaMemPoolDestroy(own)), cudaGetErrorName(cudaMemPoolDestroy(reinterpret_cast<cudaMemPool_t>(bad))),
              cudaGetErrorName(cudaMallocFromPoolAsync(&x, 4, own, stream)));
  return 0;
}
