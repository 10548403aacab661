// The device: its properties, limits, synchronisation; errors.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "runtime/device_properties.h"
#include "runtime/error_texts.h"
#include "runtime/runtime.h"

using namespace heddle::runtime;  // NOLINT(google-build-using-namespace): the functions are C's

extern "C" int cudaGetDriverEntryPointByVersion(const char*, void**, unsigned, unsigned long long, int*);

namespace {

constexpr int kVersion = 13000;  // of the interface: CUDA 13.0
constexpr const char* kBusId = "0000:01:00.0";

/// A result that the program has given no place for.
constexpr int kNoPlace = static_cast<int>(Code::kInvalidValue);

int of_device(int device, Code otherwise = Code::kInvalidDevice) {
  return call([&](Runtime&) { return device == 0 ? Code::kSuccess : otherwise; });
}

}  // namespace

HEDDLE_CUDA int cudaGetDeviceCount(int* count) {
  return call([&](Runtime&) {
    if (count == nullptr) return Code::kInvalidValue;
    *count = 1;
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaGetDevice(int* device) {
  if (device == nullptr) return kNoPlace;
  *device = 0;
  return 0;
}
HEDDLE_CUDA int cudaSetDevice(int device) { return of_device(device); }
HEDDLE_CUDA int cudaInitDevice(int device, unsigned, unsigned) { return of_device(device); }
HEDDLE_CUDA int cudaSetValidDevices(const int* devices, int count) {
  for (int i = 0; i < count; ++i)
    if (devices[i] != 0) return of_device(devices[i]);
  return 0;
}
HEDDLE_CUDA int cudaChooseDevice(int* device, const void*) { return cudaGetDevice(device); }
HEDDLE_CUDA int cudaSetDeviceFlags(unsigned flags) {
  return call([&](Runtime& runtime) {
    runtime.flags = static_cast<int>(flags);
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaGetDeviceFlags(unsigned* flags) {
  return call([&](Runtime& runtime) {
    if (flags == nullptr) return Code::kInvalidValue;
    *flags = static_cast<unsigned>(runtime.flags);
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaGetDeviceProperties(void* properties, int device) {
  return call([&](Runtime& runtime) {
    if (device != 0) return Code::kInvalidDevice;
    if (properties == nullptr) return Code::kInvalidValue;
    write_properties_13(runtime.machine(), properties);
    return Code::kSuccess;
  });
}
/// The name that programs of toolkit 12 call.
HEDDLE_CUDA int cudaGetDeviceProperties_v2(void* properties, int device) {
  return call([&](Runtime& runtime) {
    if (device != 0) return Code::kInvalidDevice;
    if (properties == nullptr) return Code::kInvalidValue;
    write_properties_12(runtime.machine(), properties);
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaDeviceGetAttribute(int* value, int number, int device) {
  return call([&](Runtime& runtime) {
    if (device != 0) return Code::kInvalidDevice;
    const auto found = attribute(runtime.machine(), number);
    if (!found || value == nullptr) return Code::kInvalidValue;
    *value = *found;
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaDeviceGetPCIBusId(char* id, int bytes, int device) {
  return call([&](Runtime&) {
    if (device != 0) return Code::kInvalidDevice;
    if (id == nullptr || bytes <= 0) return Code::kInvalidValue;
    std::snprintf(id, static_cast<std::size_t>(bytes), "%s", kBusId);
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaDeviceGetByPCIBusId(int* device, const char* id) {
  if (device == nullptr || id == nullptr) return kNoPlace;
  *device = 0;
  return of_device(std::strcmp(id, kBusId) == 0 ? 0 : -1);
}
HEDDLE_CUDA int cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  if (can == nullptr) return kNoPlace;
  *can = 0;
  return of_device(device == 0 ? peer : device);
}
HEDDLE_CUDA int cudaDeviceEnablePeerAccess(int, unsigned) { return of_device(-1); }
HEDDLE_CUDA int cudaDeviceDisablePeerAccess(int) { return of_device(-1, Code::kPeerAccessNotEnabled); }
HEDDLE_CUDA int cudaDeviceGetP2PAttribute(int* value, int, int, int) {
  if (value == nullptr) return kNoPlace;
  *value = 0;
  return of_device(-1);
}

HEDDLE_CUDA int cudaDeviceSynchronize() {
  return call([](Runtime& runtime) {
    const Code code = runtime.streams.check_wait();
    return code == Code::kSuccess ? runtime.streams.wait_for_all(runtime) : code;
  });
}
HEDDLE_CUDA int cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
HEDDLE_CUDA int cudaDeviceReset() {
  Runtime& runtime = Runtime::get();
  std::unique_lock lock(runtime.mutex);
  runtime.held = &lock;
  const Code code = guarded([&runtime] {
    runtime.reset();
    return Code::kSuccess;
  });
  runtime.held = nullptr;
  last_error() = code;
  return static_cast<int>(code);
}
HEDDLE_CUDA int cudaThreadExit() { return cudaDeviceReset(); }

namespace {

constexpr std::size_t kMostStack =
    512 * 1024;  // of local memory (CUDA C++ Programming Guide, compute capabilities)

std::size_t limit_of(Runtime& runtime, int limit) {
  const Machine& machine = runtime.machine();
  return runtime.limits[limit].value_or(limit == kStack ? machine.stack_bytes : machine.heap_bytes);
}

}  // namespace

HEDDLE_CUDA int cudaDeviceGetLimit(std::size_t* value, int limit) {
  return call([&](Runtime& runtime) {
    if (limit < 0 || limit >= kLimits) return Code::kUnsupportedLimit;
    if (value == nullptr) return Code::kInvalidValue;
    *value = limit_of(runtime, limit);
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaDeviceSetLimit(int limit, std::size_t value) {
  return call([&](Runtime& runtime) {
    if (limit < 0 || limit >= kLimits) return Code::kUnsupportedLimit;
    if (limit == kStack && value > kMostStack) return Code::kInvalidValue;
    const std::uint64_t has = runtime.machine().memory_bytes;
    if (limit == kHeap && has != 0 && value > has) return Code::kMemoryAllocation;
    if (limit == kStack || limit == kHeap) {
      Request request{Operation::kLimits, 0, {limit_of(runtime, kStack), limit_of(runtime, kHeap)}, {}};
      request.arguments[limit == kStack ? 0 : 1] = value;
      if (const Code code = runtime.ask(request).reply.code; code != Code::kSuccess) return code;
    }
    runtime.limits[limit] = value;
    return Code::kSuccess;
  });
}

// ---- Hints for caches that are split between L1 and shared memory.

HEDDLE_CUDA int cudaDeviceGetCacheConfig(int* configuration) {
  if (configuration == nullptr) return kNoPlace;
  *configuration = 0;
  return of_device(0);
}
HEDDLE_CUDA int cudaDeviceSetCacheConfig(int) { return of_device(0); }
HEDDLE_CUDA int cudaDeviceGetSharedMemConfig(int* configuration) {
  if (configuration == nullptr) return kNoPlace;
  *configuration = 1;  // banks of four bytes
  return of_device(0);
}
HEDDLE_CUDA int cudaDeviceSetSharedMemConfig(int) { return of_device(0); }
HEDDLE_CUDA int cudaCtxResetPersistingL2Cache() { return of_device(0); }
HEDDLE_CUDA int cudaProfilerStart() { return of_device(0); }
HEDDLE_CUDA int cudaProfilerStop() { return of_device(0); }
HEDDLE_CUDA int cudaDriverGetVersion(int* version) {
  if (version == nullptr) return kNoPlace;
  *version = kVersion;
  return 0;
}
HEDDLE_CUDA int cudaRuntimeGetVersion(int* version) {
  if (version == nullptr) return kNoPlace;
  *version = kVersion;
  return 0;
}

// ---- The driver's functions by name: those of this library.

namespace {

/// Where this library has the function that CUDA's header of that version names so; nullptr: nowhere.
void* driver_function(const std::string& name, unsigned version) {
  Dl_info here;
  if (name.rfind("cu", 0) != 0 ||
      dladdr(reinterpret_cast<void*>(&cudaGetDriverEntryPointByVersion), &here) == 0)
    return nullptr;
  void* const library = dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  void* found = nullptr;
  for (const char* const suffix : {"_v4", "_v3", "_v2", ""})  // the fourth ones are those of toolkit 13
    if (found == nullptr && (version >= 13000 || std::strcmp(suffix, "_v4") != 0))
      found = dlsym(library, (name + suffix).c_str());
  (void)dlclose(library);  // it stays: it is what runs
  return found;
}

}  // namespace

HEDDLE_CUDA int cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned version,
                                                 unsigned long long, int* status) {
  enum { kFound, kNotFound };  // cudaDriverEntryPointQueryResult
  if (symbol == nullptr || function == nullptr) return static_cast<int>(last_error() = Code::kInvalidValue);
  *function = driver_function(symbol, version);
  if (status != nullptr) *status = *function != nullptr ? kFound : kNotFound;
  return 0;
}

// ---- Errors.

namespace {

int error(bool forget) {
  Runtime& runtime = Runtime::get();
  const std::unique_lock lock(runtime.mutex);
  if (runtime.sticky() != Code::kSuccess) return static_cast<int>(runtime.sticky());
  const Code code = last_error();
  if (forget) last_error() = Code::kSuccess;
  return static_cast<int>(code);
}

}  // namespace

HEDDLE_CUDA int cudaGetLastError() { return error(true); }
HEDDLE_CUDA int cudaPeekAtLastError() { return error(false); }
HEDDLE_CUDA const char* cudaGetErrorName(int code) { return error_text(code).name; }
HEDDLE_CUDA const char* cudaGetErrorString(int code) { return error_text(code).text; }
