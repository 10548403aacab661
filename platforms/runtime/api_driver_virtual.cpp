// Virtual memory of the driver interface: ranges of addresses are reserved, memory is mapped there. A range has memory of the
// machine from the start; what is mapped counts. So an access to a part without memory is no error here.
#include <algorithm>
#include <iterator>
#include <map>

#include "runtime/runtime.h"

using namespace heddle::runtime;  // NOLINT(google-build-using-namespace): the functions are C's

namespace {

using DevicePointer = std::uint64_t;
using Handle = std::uint64_t;
constexpr std::uint64_t kGranularity = std::uint64_t{2} << 20;  // as cards have it
constexpr int kOnDevice = 1, kPinned = 1;                       // CUmemLocationType, CUmemAllocationType

struct Properties {  // CUmemAllocationProp
  int type = kPinned, handles = 0;
  int location_type = kOnDevice, location = 0;
  void* meta = nullptr;
  unsigned char compression = 0, direct = 0;
  unsigned short usage = 0;
  unsigned char reserved[4] = {};
};
struct Memory {
  std::uint64_t bytes = 0;
  DevicePointer at = 0;  ///< where it is mapped, or has been
  unsigned mapped = 0;
  unsigned holders = 1;  ///< handles that are not released
};
struct Range {
  std::uint64_t bytes = 0;
  std::uint64_t allocation = 0;  ///< of the machine
};
struct Virtual {
  std::map<DevicePointer, Range> ranges;
  std::map<Handle, Memory> memory;
  std::map<DevicePointer, Handle> mapped;
  Handle next = 1;
};

/// Those of the device since it was reset last.
Virtual& all() {
  static Virtual tables;
  static std::uint64_t resets = 0;
  if (const std::uint64_t now = Runtime::get().memory.resets(); resets != now) {
    tables = {};
    resets = now;
  }
  return tables;
}

bool is_whole(std::uint64_t bytes) { return bytes != 0 && bytes % kGranularity == 0; }

/// The range that holds all of it.
bool in_a_range(DevicePointer address, std::uint64_t bytes) {
  const auto next = all().ranges.upper_bound(address);
  if (next == all().ranges.begin()) return false;
  const auto& [begin, range] = *std::prev(next);
  return address - begin <= range.bytes && bytes <= range.bytes - (address - begin);
}

/// Nobody can reach it any more.
void drop_if_unused(Runtime& runtime, std::map<Handle, Memory>::iterator found) {
  if (found->second.holders != 0 || found->second.mapped != 0) return;
  runtime.memory.count_virtual(0 - found->second.bytes);
  all().memory.erase(found);
}

}  // namespace

HEDDLE_CUDA int cuMemGetAllocationGranularity(std::size_t* bytes, const Properties* given, int) {
  return call([&](Runtime&) {
    if (bytes == nullptr || given == nullptr) return Code::kInvalidValue;
    *bytes = kGranularity;
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cuMemAddressReserve(DevicePointer* address, std::size_t bytes, std::size_t alignment,
                                    DevicePointer, unsigned long long flags) {
  return call([&](Runtime& runtime) {
    if (address == nullptr || !is_whole(bytes) || flags != 0 || (alignment & (alignment - 1)) != 0)
      return Code::kInvalidValue;
    const std::uint64_t unit = std::max<std::uint64_t>(alignment, kGranularity);
    std::uint64_t allocation = 0;
    if (unit > UINT64_MAX - bytes) return Code::kMemoryAllocation;
    const Code code = runtime.memory.reserve(runtime, bytes + unit, allocation);
    if (code != Code::kSuccess) return code;
    *address = (allocation + unit - 1) / unit * unit;
    all().ranges[*address] = {bytes, allocation};
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cuMemAddressFree(DevicePointer address, std::size_t bytes) {
  return call([&](Runtime& runtime) {
    const auto found = all().ranges.find(address);
    if (found == all().ranges.end() || found->second.bytes != bytes) return Code::kInvalidValue;
    const auto inside = all().mapped.lower_bound(address);
    if (inside != all().mapped.end() && inside->first < address + bytes) return Code::kInvalidValue;
    const Code code = runtime.memory.give_up(runtime, found->second.allocation);
    all().ranges.erase(found);
    return code;
  });
}
HEDDLE_CUDA int cuMemCreate(Handle* handle, std::size_t bytes, const Properties* given,
                            unsigned long long flags) {
  if (given != nullptr && given->location_type != kOnDevice)
    return refuse("cuMemCreate of host memory", "Use memory of the device, or cuMemHostAlloc.");
  if (given != nullptr && given->handles != 0)
    return refuse("cuMemCreate of memory for other processes", "Let one process use the device.");
  return call([&](Runtime& runtime) {
    if (handle == nullptr || given == nullptr || !is_whole(bytes) || flags != 0) return Code::kInvalidValue;
    if (given->location != 0) return Code::kInvalidDevice;
    const std::uint64_t has = runtime.machine().memory_bytes, used = runtime.memory.used();
    if (has != 0 && (bytes > has || used > has - bytes)) return Code::kMemoryAllocation;
    runtime.memory.count_virtual(bytes);
    *handle = all().next++;
    all().memory[*handle].bytes = bytes;
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cuMemRelease(Handle handle) {
  return call([&](Runtime& runtime) {
    const auto found = all().memory.find(handle);
    if (found == all().memory.end() || found->second.holders == 0) return Code::kInvalidValue;
    --found->second.holders;
    drop_if_unused(runtime, found);
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cuMemRetainAllocationHandle(Handle* handle, const void* address) {
  return call([&](Runtime&) {
    const auto found = all().mapped.find(reinterpret_cast<DevicePointer>(address));
    if (handle == nullptr || found == all().mapped.end()) return Code::kInvalidValue;
    ++all().memory.at(found->second).holders;
    *handle = found->second;
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cuMemGetAllocationPropertiesFromHandle(Properties* properties, Handle handle) {
  return call([&](Runtime&) {
    const auto found = all().memory.find(handle);
    if (properties == nullptr || found == all().memory.end() || found->second.holders == 0)
      return Code::kInvalidValue;
    *properties = {};  // memory is not compressed here
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cuMemMap(DevicePointer address, std::size_t bytes, std::size_t offset, Handle handle,
                         unsigned long long flags) {
  bool elsewhere = false;
  const int code = call([&](Runtime&) {
    const auto found = all().memory.find(handle);
    if (found == all().memory.end() || found->second.holders == 0 || flags != 0 || offset != 0 ||
        bytes != found->second.bytes || !in_a_range(address, bytes) || address % kGranularity != 0)
      return Code::kInvalidValue;
    const auto next = all().mapped.lower_bound(address);
    if (next != all().mapped.end() && next->first < address + bytes) return Code::kInvalidValue;
    elsewhere = found->second.at != 0 && found->second.at != address;
    if (elsewhere) return Code::kSuccess;
    found->second.at = address;
    ++found->second.mapped;
    all().mapped[address] = handle;
    return Code::kSuccess;
  });
  return code != 0 || !elsewhere ? code
                                 : refuse("cuMemMap of the same memory at a second address",
                                          "Map each memory at one address only.");
}
HEDDLE_CUDA int cuMemUnmap(DevicePointer address, std::size_t bytes) {
  return call([&](Runtime& runtime) {
    if (!in_a_range(address, bytes)) return Code::kInvalidValue;
    auto each = all().mapped.lower_bound(address);
    std::uint64_t whole = 0;  // no memory is unmapped in part, and no part of the range has none
    for (auto next = each; next != all().mapped.end() && next->first == address + whole && whole < bytes;
         ++next)
      whole += all().memory.at(next->second).bytes;
    if (whole != bytes || bytes == 0) return Code::kInvalidValue;
    while (each != all().mapped.end() && each->first < address + bytes) {
      const auto found = all().memory.find(each->second);
      --found->second.mapped;
      drop_if_unused(runtime, found);
      each = all().mapped.erase(each);
    }
    return Code::kSuccess;
  });
}
/// The one device may always read and write what is mapped.
HEDDLE_CUDA int cuMemSetAccess(DevicePointer address, std::size_t bytes, const int*, std::size_t) {
  return call([&](Runtime&) { return in_a_range(address, bytes) ? Code::kSuccess : Code::kInvalidValue; });
}
HEDDLE_CUDA int cuMemGetAccess(unsigned long long* flags, const int* location, DevicePointer address) {
  return call([&](Runtime&) {
    constexpr unsigned long long kReadAndWrite = 3;
    if (flags == nullptr || location == nullptr || !in_a_range(address, 1)) return Code::kInvalidValue;
    *flags = location[0] == kOnDevice && location[1] == 0 ? kReadAndWrite : 0;
    return Code::kSuccess;
  });
}
