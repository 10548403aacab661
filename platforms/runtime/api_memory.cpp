// Allocation, and what is to be known of pointers.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "runtime/copy.h"
#include "runtime/pools.h"
#include "runtime/runtime.h"

using namespace heddle::runtime;  // NOLINT(google-build-using-namespace): the functions are C's

namespace {

constexpr std::size_t kPitch = 512;  // of rows: as cards give them

void* pointer_to(std::uint64_t address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}
std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

template <class Body>
Code outside_of_captures(Runtime& runtime, Body&& body) {
  const Code code = runtime.streams.check_unsafe();
  return code == Code::kSuccess ? body() : code;
}

Code allocate(Runtime& runtime, void** pointer, std::size_t bytes) {
  if (pointer == nullptr) return Code::kInvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return Code::kSuccess;
  std::uint64_t address = 0;
  const Code code = runtime.memory.allocate(runtime, bytes, address);
  if (code == Code::kSuccess) *pointer = pointer_to(address);
  return code;
}

void give_back_to_pool(std::uint64_t address);

Code release(Runtime& runtime, void* pointer) {
  if (GraphMemory* const memory = runtime.graphs.memory_at(pointer)) return runtime.graphs.give_back(*memory);
  if (pointer == nullptr) return Code::kSuccess;
  const Code code = runtime.memory.free(runtime, address_of(pointer));
  if (code == Code::kSuccess) give_back_to_pool(address_of(pointer));
  return code;
}

Code allocate_rows(Runtime& runtime, void** pointer, std::size_t* pitch, std::size_t width,
                   std::size_t rows) {
  std::size_t bytes = 0;
  if (pitch == nullptr || pointer == nullptr) return Code::kInvalidValue;
  if (width > SIZE_MAX - kPitch ||
      __builtin_mul_overflow((width + kPitch - 1) / kPitch * kPitch, rows, &bytes))
    return Code::kMemoryAllocation;
  *pitch = (width + kPitch - 1) / kPitch * kPitch;
  return outside_of_captures(runtime, [&] { return allocate(runtime, pointer, bytes); });
}

}  // namespace

HEDDLE_CUDA int cudaMalloc(void** pointer, std::size_t bytes) {
  return call([&](Runtime& runtime) {
    return outside_of_captures(runtime, [&] { return allocate(runtime, pointer, bytes); });
  });
}
HEDDLE_CUDA int cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
  return call([&](Runtime& runtime) { return allocate_rows(runtime, pointer, pitch, width, height); });
}
HEDDLE_CUDA int cudaMalloc3D(PitchedPointer* result, Extent extent) {
  return call([&](Runtime& runtime) {
    if (result == nullptr) return Code::kInvalidValue;
    std::size_t rows = 0;
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows)) return Code::kMemoryAllocation;
    result->row_bytes = extent.width;
    result->rows = extent.height;
    return allocate_rows(runtime, &result->pointer, &result->pitch, extent.width, rows);
  });
}
HEDDLE_CUDA int cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags) {
  return call([&](Runtime& runtime) {
    constexpr unsigned kGlobal = 1, kHost = 2;
    if (pointer == nullptr || (flags != kGlobal && flags != kHost)) return Code::kInvalidValue;
    return outside_of_captures(runtime,
                               [&] { return runtime.memory.allocate_managed(runtime, bytes, pointer); });
  });
}
HEDDLE_CUDA int cudaFree(void* pointer) {
  return call([&](Runtime& runtime) {
    Code code = pointer == nullptr ? Code::kSuccess : runtime.streams.check_unsafe();
    if (code == Code::kSuccess) code = runtime.streams.wait_for_all(runtime);
    return code == Code::kSuccess ? release(runtime, pointer) : code;
  });
}
HEDDLE_CUDA int cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  return call([&](Runtime& runtime) {
    if (pointer == nullptr || flags > 7) return Code::kInvalidValue;
    return outside_of_captures(
        runtime, [&] { return runtime.memory.allocate_pinned(runtime, bytes, flags, pointer); });
  });
}
HEDDLE_CUDA int cudaMallocHost(void** pointer, std::size_t bytes) { return cudaHostAlloc(pointer, bytes, 0); }
HEDDLE_CUDA int cudaFreeHost(void* pointer) {
  return call([&](Runtime& runtime) {
    if (pointer == nullptr) return Code::kSuccess;
    Code code = runtime.streams.check_unsafe();
    if (code == Code::kSuccess) code = runtime.streams.wait_for_all(runtime);
    return code == Code::kSuccess ? runtime.memory.free_pinned(runtime, pointer) : code;
  });
}
HEDDLE_CUDA int cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  return call([&](Runtime& runtime) { return runtime.memory.add_registered(pointer, bytes, flags); });
}
HEDDLE_CUDA int cudaHostUnregister(void* pointer) {
  return call([&](Runtime& runtime) { return runtime.memory.remove_registered(runtime, pointer); });
}
HEDDLE_CUDA int cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  return call([&](Runtime& runtime) {
    const auto block = runtime.memory.find(address_of(host));
    if (device == nullptr || !block || block->is_of_device()) return Code::kInvalidValue;
    const std::uint64_t address = runtime.memory.device_address(runtime, address_of(host));
    *device = pointer_to(address);
    return address == 0 ? Code::kMemoryAllocation : Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaHostGetFlags(unsigned* flags, void* host) {
  return call([&](Runtime& runtime) {
    const auto block = runtime.memory.find(address_of(host));
    if (flags == nullptr || !block || block->kind != Memory::Kind::kPinned) return Code::kInvalidValue;
    *flags = block->flags;
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return call([&](Runtime& runtime) {
    const std::uint64_t all =
        runtime.machine().memory_bytes == 0 ? std::uint64_t{1} << 34 : runtime.machine().memory_bytes;
    if (total != nullptr) *total = all;
    if (free != nullptr) *free = all - std::min(all, runtime.memory.used());
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaPointerGetAttributes(PointerAttributes* attributes, const void* pointer) {
  return call([&](Runtime& runtime) {
    using Kind = Memory::Kind;
    if (attributes == nullptr) return Code::kInvalidValue;
    PointerAttributes result;
    const std::uint64_t address = address_of(pointer);
    const auto block = runtime.memory.find(address);
    if (!block) {
      result.host_pointer = const_cast<void*>(pointer);
      result.device = -1;
      *attributes = result;
      return Code::kSuccess;
    }
    const bool device_only = block->is_of_device();
    const bool managed = block->kind == Kind::kManaged || block->kind == Kind::kVariable;
    result.type = device_only ? 2 : managed ? 3 : 1;
    const std::uint64_t host = runtime.memory.host_address(address);
    if (!device_only) result.host_pointer = pointer_to(host);
    result.device_pointer = pointer_to(device_only ? address : runtime.memory.device_address(runtime, host));
    *attributes = result;
    return Code::kSuccess;
  });
}

/// cudaChannelFormatDesc: programs make one before they hear that there are no arrays.
HEDDLE_CUDA ChannelFormat cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
  return {x, y, z, w, kind};
}

// ---- In the order of a stream. Pools only count: memory is taken and given back at once.

namespace {

struct Pool {
  std::uint64_t release_threshold = 0;
  std::uint64_t used = 0, most_used = 0, reserved = 0, most_reserved = 0;
  void take(std::uint64_t bytes) {
    constexpr std::uint64_t kReservedAtOnce = std::uint64_t{32} << 20;  // as cards take it
    used += bytes;
    most_used = std::max(most_used, used);
    if (used > reserved) reserved = (used + kReservedAtOnce - 1) / kReservedAtOnce * kReservedAtOnce;
    most_reserved = std::max(most_reserved, reserved);
  }
  void give_back(std::uint64_t bytes) {
    used -= bytes;
    keep(release_threshold);
  }
  /// What nothing uses is given back beyond `bytes`.
  void keep(std::uint64_t bytes) { reserved = std::min(reserved, std::max(used, bytes)); }
};
Pool& default_pool() {
  static Pool pool;
  return pool;
}
Pool*& current_pool() {
  static Pool* pool = &default_pool();
  return pool;
}
std::map<const void*, std::unique_ptr<Pool>>& made_pools() {
  static std::map<const void*, std::unique_ptr<Pool>> pools;
  return pools;
}
/// nullptr: there is no such pool.
Pool* pool_of(void* handle) {
  if (handle == &default_pool()) return &default_pool();
  const auto found = made_pools().find(handle);
  return found == made_pools().end() ? nullptr : found->second.get();
}

/// cudaMemPoolAttr.
enum PoolAttribute : int {
  kFirstPoolSwitch = 1,
  kLastPoolSwitch = 3,
  kReleaseThreshold,
  kReserved,
  kMostReserved,
  kUsed,
  kMostUsed
};

struct Share {
  void* pool = nullptr;
  std::uint64_t bytes = 0;
};
std::map<std::uint64_t, Share>& shares() {
  static std::map<std::uint64_t, Share> of_addresses;
  return of_addresses;
}
void give_back_to_pool(std::uint64_t address) {
  const auto found = shares().find(address);
  if (found == shares().end()) return;
  const Share share = found->second;
  shares().erase(found);
  if (Pool* const pool = pool_of(share.pool)) pool->give_back(share.bytes);
}
/// Of the device's pool without a handle.
int allocate_in_order(void** pointer, std::size_t bytes, void* handle, StreamHandle stream) {
  return call([&](Runtime& runtime) {
    Pool* const pool = handle == nullptr ? current_pool() : pool_of(handle);
    if (pool == nullptr) return Code::kInvalidValue;
    Stream* const in = runtime.streams.find(stream);
    if (in == nullptr) return Code::kInvalidResourceHandle;
    if (const Code code = runtime.streams.check_work(*in); code != Code::kSuccess) return code;
    if (in->capture != nullptr && bytes != 0) return runtime.graphs.allocate(runtime, *in, pointer, bytes);
    const Code code = allocate(runtime, pointer, bytes);
    if (code != Code::kSuccess || bytes == 0) return code;
    pool->take(bytes);
    shares()[address_of(*pointer)] = {pool, bytes};
    return code;
  });
}

}  // namespace

void heddle::runtime::forget_pools() {
  shares().clear();
  for (auto& [handle, pool] : made_pools()) *pool = {};
  default_pool() = {};
  current_pool() = &default_pool();
}

HEDDLE_CUDA int cudaMallocAsync(void** pointer, std::size_t bytes, StreamHandle stream) {
  return allocate_in_order(pointer, bytes, nullptr, stream);
}
HEDDLE_CUDA int cudaFreeAsync(void* pointer, StreamHandle stream) {
  return call([&](Runtime& runtime) {
    if (pointer != nullptr && !runtime.memory.find(address_of(pointer))) return Code::kInvalidValue;
    Stream* const in = runtime.streams.find(stream);
    if (in == nullptr) return Code::kInvalidResourceHandle;
    if (const Code code = runtime.streams.check_work(*in); code != Code::kSuccess) return code;
    if (in->capture != nullptr) return runtime.graphs.release(*in, pointer);  // only memory of graphs
    return runtime.streams.run(runtime, stream, [&runtime, pointer] { return release(runtime, pointer); });
  });
}
HEDDLE_CUDA int cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, void* pool, StreamHandle stream) {
  if (pool == nullptr) return static_cast<int>(last_error() = Code::kInvalidValue);
  return allocate_in_order(pointer, bytes, pool, stream);
}
HEDDLE_CUDA int cudaMemPoolCreate(void** pool, const void*) {
  return call([&](Runtime&) {
    if (pool == nullptr) return Code::kInvalidValue;
    auto made = std::make_unique<Pool>();
    *pool = made.get();
    made_pools()[*pool] = std::move(made);
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaMemPoolDestroy(void* pool) {
  return call([&](Runtime&) {
    if (current_pool() == pool) current_pool() = &default_pool();
    std::erase_if(shares(), [pool](const auto& each) { return each.second.pool == pool; });
    return made_pools().erase(pool) == 0 ? Code::kInvalidValue : Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaDeviceGetDefaultMemPool(void** pool, int device) {
  return call([&](Runtime&) {
    if (device != 0) return Code::kInvalidDevice;
    if (pool == nullptr) return Code::kInvalidValue;
    *pool = &default_pool();
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaDeviceGetMemPool(void** pool, int device) {
  return call([&](Runtime&) {
    if (device != 0) return Code::kInvalidDevice;
    if (pool == nullptr) return Code::kInvalidValue;
    *pool = current_pool();
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaDeviceSetMemPool(int device, void* pool) {
  return call([&](Runtime&) {
    if (device != 0) return Code::kInvalidDevice;
    Pool* const found = pool_of(pool);
    if (found == nullptr) return Code::kInvalidValue;
    current_pool() = found;
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaMemPoolTrimTo(void* pool, std::size_t bytes) {
  return call([&](Runtime&) {
    if (pool_of(pool) == nullptr) return Code::kInvalidValue;
    pool_of(pool)->keep(bytes);
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaMemPoolSetAccess(void* pool, const void*, std::size_t) {
  return call([&](Runtime&) { return pool_of(pool) == nullptr ? Code::kInvalidValue : Code::kSuccess; });
}
HEDDLE_CUDA int cudaMemPoolGetAccess(int* flags, void* pool, const int* location) {
  return call([&](Runtime&) {
    constexpr int kDevice = 1, kReadAndWrite = 3;  // cudaMemLocationType, cudaMemAccessFlags
    if (flags == nullptr || pool_of(pool) == nullptr || location == nullptr) return Code::kInvalidValue;
    *flags = location[0] == kDevice && location[1] == 0 ? kReadAndWrite : 0;
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaMemPoolSetAttribute(void* pool, int attribute, void* value) {
  return call([&](Runtime&) {
    Pool* const of = pool_of(pool);
    if (of == nullptr || value == nullptr || attribute < kFirstPoolSwitch || attribute > kMostUsed)
      return Code::kInvalidValue;
    std::uint64_t number = 0;
    if (attribute > kLastPoolSwitch) std::memcpy(&number, value, sizeof number);
    if (attribute == kReserved || attribute == kUsed) return Code::kInvalidValue;  // only for asking
    if (attribute == kReleaseThreshold) of->release_threshold = number;
    if ((attribute == kMostReserved || attribute == kMostUsed) && number != 0) return Code::kInvalidValue;
    if (attribute == kMostReserved) of->most_reserved = of->reserved;
    if (attribute == kMostUsed) of->most_used = of->used;
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaMemPoolGetAttribute(void* pool, int attribute, void* value) {
  return call([&](Runtime&) {
    const Pool* const of = pool_of(pool);
    if (of == nullptr || value == nullptr || attribute < kFirstPoolSwitch || attribute > kMostUsed)
      return Code::kInvalidValue;
    if (attribute <= kLastPoolSwitch) {
      const int enabled = 1;
      std::memcpy(value, &enabled, sizeof enabled);
      return Code::kSuccess;
    }
    const std::uint64_t numbers[] = {of->release_threshold, of->reserved, of->most_reserved, of->used,
                                     of->most_used};
    std::memcpy(value, &numbers[attribute - kReleaseThreshold], sizeof numbers[0]);
    return Code::kSuccess;
  });
}
