// What programs ask of a device before they choose their shapes.
#include "check.h"
__global__ void kernel(float* x) { __shared__ float s[256]; s[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = s[255 - threadIdx.x]; }
int main() {
  int count = 0, value = 0, version = 0;
  CHECK(cudaGetDeviceCount(&count));
  cudaDeviceProp p;
  CHECK(cudaGetDeviceProperties(&p, 0));
  std::printf("%d %s\n", count, p.name);
  const struct { cudaDeviceAttr attribute; long long property; } same[] = {
      {cudaDevAttrMultiProcessorCount, p.multiProcessorCount}, {cudaDevAttrWarpSize, p.warpSize},
      {cudaDevAttrMaxThreadsPerBlock, p.maxThreadsPerBlock}, {cudaDevAttrMaxGridDimX, p.maxGridSize[0]},
      {cudaDevAttrMaxBlockDimZ, p.maxThreadsDim[2]}, {cudaDevAttrComputeCapabilityMajor, p.major},
      {cudaDevAttrComputeCapabilityMinor, p.minor}, {cudaDevAttrL2CacheSize, p.l2CacheSize},
      {cudaDevAttrMaxSharedMemoryPerBlock, static_cast<long long>(p.sharedMemPerBlock)},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, static_cast<long long>(p.sharedMemPerBlockOptin)},
      {cudaDevAttrMaxSharedMemoryPerMultiprocessor, static_cast<long long>(p.sharedMemPerMultiprocessor)},
      {cudaDevAttrMaxRegistersPerMultiprocessor, p.regsPerMultiprocessor}, {cudaDevAttrGlobalMemoryBusWidth, p.memoryBusWidth},
      {cudaDevAttrMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor}, {cudaDevAttrManagedMemory, p.managedMemory},
      {cudaDevAttrCooperativeLaunch, p.cooperativeLaunch}, {cudaDevAttrUnifiedAddressing, p.unifiedAddressing},
      {cudaDevAttrMaxBlocksPerMultiprocessor, p.maxBlocksPerMultiProcessor}, {cudaDevAttrConcurrentKernels, p.concurrentKernels},
      {cudaDevAttrMemoryPoolsSupported, p.memoryPoolsSupported}, {cudaDevAttrHostRegisterSupported, p.hostRegisterSupported},
      {cudaDevAttrTextureAlignment, static_cast<long long>(p.textureAlignment)}, {cudaDevAttrAsyncEngineCount, p.asyncEngineCount},
      {cudaDevAttrTotalConstantMemory, static_cast<long long>(p.totalConstMem)}, {cudaDevAttrPciBusId, p.pciBusID}};
  int differ = 0;
  for (const auto& each : same) {
    CHECK(cudaDeviceGetAttribute(&value, each.attribute, 0));
    if (value != each.property) std::printf("attribute %d: %d and %lld\n", each.attribute, value, each.property), ++differ;
  }
  CHECK(cudaRuntimeGetVersion(&version));
  std::size_t free = 0, total = 0;
  CHECK(cudaMemGetInfo(&free, &total));
  std::printf("%d differ, version %d, %d %d %d\n", differ, version / 1000, total == p.totalGlobalMem, free <= total, p.multiProcessorCount > 0);
  cudaFuncAttributes f;
  CHECK(cudaFuncGetAttributes(&f, kernel));
  std::printf("%zu %d %d\n", f.sharedSizeBytes, f.numRegs > 0, f.maxThreadsPerBlock >= 256);
  int grid = 0, block = 0;
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel, 0, 256));
  std::printf("%d %d\n", grid > 0, block);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 1)));
  return differ;
}
