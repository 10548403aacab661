// Ranges of addresses, and memory that is mapped there.
#include <cuda_runtime_api.h>
#include <vector>
#include "check.h"
static const char* name(CUresult code) {
  const char* text = "";
  cuGetErrorName(code, &text);
  return text;
}
int main() {
  CUdevice device;
  CUcontext context;
  int has = 0;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuDeviceGetAttribute(&has, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, device));
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  size_t unit = 0, before = 0, with = 0, after = 0, total = 0;
  CHECK(cuMemGetAllocationGranularity(&unit, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  // A buffer that grows in place.
  CUdeviceptr range;
  CHECK(cuMemGetInfo(&before, &total));
  CHECK(cuMemAddressReserve(&range, 4 * unit, 0, 0, 0));
  CUmemAccessDesc access = {};
  access.location = properties.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  CUmemGenericAllocationHandle memory[2];
  for (size_t i = 0; i < 2; ++i) {
    CHECK(cuMemCreate(&memory[i], unit, &properties, 0));
    CHECK(cuMemMap(range + i * unit, unit, 0, memory[i], 0));
    CHECK(cuMemSetAccess(range + i * unit, unit, &access, 1));
    CHECK(cuMemsetD32(range + i * unit, 7 + i, unit / 4));
  }
  CHECK(cuMemGetInfo(&with, &total));
  std::vector<int> host(2 * unit / 4);
  CHECK(cuMemcpyDtoH(host.data(), range, 2 * unit));
  std::printf("%d %zu, %d %d %d, %zu\n", has, unit, host.front(), host[unit / 4 - 1], host.back(),
              (before - with) / unit);
  unsigned long long flags = 0;
  CHECK(cuMemGetAccess(&flags, &access.location, range));
  std::printf("%llu, %s, ", flags, name(cuMemMap(range, unit, 0, memory[0], 0)));
  std::printf("%s, ", name(cuMemAddressFree(range, 4 * unit)));
  std::printf("%s\n", name(cuMemCreate(&memory[0], unit / 2, &properties, 0)));
  for (const CUmemGenericAllocationHandle each : memory) CHECK(cuMemRelease(each));
  CHECK(cuMemcpyDtoH(host.data(), range + unit, 4));  // it is mapped still
  CHECK(cuMemUnmap(range, 2 * unit));
  CHECK(cuMemAddressFree(range, 4 * unit));
  CHECK(cuMemGetInfo(&after, &total));
  std::printf("%d, %d\n", host.front(), before == after);
  // A part cannot be unmapped; the device's reset takes all.
  CHECK(cuMemAddressReserve(&range, 2 * unit, 0, 0, 0));
  CHECK(cuMemCreate(&memory[0], 2 * unit, &properties, 0));
  CHECK(cuMemMap(range, 2 * unit, 0, memory[0], 0));
  std::printf("%s ", name(cuMemUnmap(range, unit)));
  CHECK(cuMemRelease(memory[0]));
  std::printf("%s ", name(cuMemMap(range + unit, unit, 0, memory[0], 0)));
  if (cudaDeviceReset() != cudaSuccess) return 1;
  std::printf("%s ", name(cuMemUnmap(range, 2 * unit)));
  CHECK(cuMemGetInfo(&after, &total));
  std::printf("%d\n", before == after);
  return 0;
}
