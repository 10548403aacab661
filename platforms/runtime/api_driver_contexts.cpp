// The driver interface's libraries and kernels of their own, contexts, other names of copies, and its search for functions by name.
// Each becomes the runtime's call.
#include <cstring>
#include <fstream>
#include <iterator>

#include "runtime/advice.h"
#include "runtime/runtime.h"

using namespace heddle::runtime;  // NOLINT(google-build-using-namespace): the functions are C's

extern "C" {
int cudaGetDriverEntryPointByVersion(const char*, void**, unsigned, unsigned long long, int*);
int cuCtxCreate_v2(void**, unsigned, int);
int cuCtxGetCurrent(void**);
int cuCtxGetDevice(int*);
int cuCtxSynchronize();
int cuFuncGetAttribute(int*, int, void*);
int cuFuncSetAttribute(void*, int, int);
int cuModuleLoad(void**, const char*);
int cuOccupancyMaxPotentialBlockSize(int*, int*, const void*, std::size_t (*)(int), std::size_t, int);
int cuMemcpyDtoD_v2(std::uint64_t, std::uint64_t, std::size_t);
int cuMemcpyDtoDAsync_v2(std::uint64_t, std::uint64_t, std::size_t, StreamHandle);
int cuPointerGetAttribute(void*, int, std::uint64_t);
}

namespace {

using DevicePointer = std::uint64_t;
constexpr int kInvalid = static_cast<int>(Code::kInvalidValue);
constexpr int kInvalidDevice = static_cast<int>(Code::kInvalidDevice);

template <class T>
int give(T* to, T value) {
  if (to == nullptr) return kInvalid;
  *to = value;
  return 0;
}

}  // namespace

// ---- Libraries are modules, and their kernels functions

HEDDLE_CUDA int cuLibraryLoadFromFile(void** library, const char* path, void*, void**, unsigned, void*,
                                      void**, unsigned) {
  return cuModuleLoad(library, path);
}
HEDDLE_CUDA int cuLibraryGetModule(void** module, void* library) { return give(module, library); }
HEDDLE_CUDA int cuKernelGetFunction(void** function, void* kernel) { return give(function, kernel); }
HEDDLE_CUDA int cuKernelGetAttribute(int* value, int attribute, void* kernel, int device) {
  return device == 0 ? cuFuncGetAttribute(value, attribute, kernel) : kInvalidDevice;
}
HEDDLE_CUDA int cuKernelSetAttribute(int attribute, int value, void* kernel, int device) {
  return device == 0 ? cuFuncSetAttribute(kernel, attribute, value) : kInvalidDevice;
}
HEDDLE_CUDA int cuKernelSetCacheConfig(void*, int, int device) { return device == 0 ? 0 : kInvalidDevice; }
HEDDLE_CUDA int cuFuncSetSharedMemConfig(void*, int) { return 0; }
HEDDLE_CUDA int cuFuncLoad(void*) { return 0; }
HEDDLE_CUDA int cuFuncIsLoaded(int* state, void*) { return give(state, 1); }
HEDDLE_CUDA int cuModuleGetLoadingMode(int* mode) {
  constexpr int kLazy = 2;  // CU_MODULE_LAZY_LOADING
  return give(mode, kLazy);
}
HEDDLE_CUDA int cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, const void* function,
                                                          std::size_t (*shared_of)(int), std::size_t shared,
                                                          int limit, unsigned) {
  return cuOccupancyMaxPotentialBlockSize(grid, block, function, shared_of, shared, limit);
}

// ---- Contexts: the one device's

HEDDLE_CUDA int cuCtxCreate_v3(void** made, const void*, int, unsigned flags, int device) {
  return cuCtxCreate_v2(made, flags, device);
}
HEDDLE_CUDA int cuCtxGetId(void*, unsigned long long* id) { return give(id, 1ULL); }
HEDDLE_CUDA int cuCtxSetFlags(unsigned flags) {
  Runtime::get().flags = static_cast<int>(flags);
  return 0;
}
HEDDLE_CUDA int cuCtxGetSharedMemConfig(int* configuration) { return give(configuration, 0); }
HEDDLE_CUDA int cuCtxSetSharedMemConfig(int) { return 0; }
HEDDLE_CUDA int cuCtxGetDevice_v2(int* device, void*) { return cuCtxGetDevice(device); }
HEDDLE_CUDA int cuCtxSynchronize_v2(void*) { return cuCtxSynchronize(); }
HEDDLE_CUDA int cuStreamGetCtx(StreamHandle, void** context) {
  return context == nullptr ? kInvalid : cuCtxGetCurrent(context);
}
HEDDLE_CUDA int cuStreamGetCtx_v2(StreamHandle stream, void** context, void**) {
  return cuStreamGetCtx(stream, context);
}
/// A peer is another device's.
HEDDLE_CUDA int cuCtxEnablePeerAccess(void*, unsigned) {
  constexpr int kInvalidContext = 201;  // CUDA_ERROR_INVALID_CONTEXT
  return kInvalidContext;
}
HEDDLE_CUDA int cuCtxDisablePeerAccess(void*) { return static_cast<int>(Code::kPeerAccessNotEnabled); }

HEDDLE_CUDA int cuProfilerStart() { return 0; }
HEDDLE_CUDA int cuProfilerStop() { return 0; }

// ---- Memory

HEDDLE_CUDA int cuMemcpyPeer(DevicePointer to, void*, DevicePointer from, void*, std::size_t bytes) {
  return cuMemcpyDtoD_v2(to, from, bytes);
}
HEDDLE_CUDA int cuMemcpyPeerAsync(DevicePointer to, void*, DevicePointer from, void*, std::size_t bytes,
                                  StreamHandle stream) {
  return cuMemcpyDtoDAsync_v2(to, from, bytes, stream);
}
/// Of toolkit 12, where a place is a device's number, or -1 for the host.
HEDDLE_CUDA int cuMemAdvise(const void* from, std::size_t bytes, int advice, int device) {
  return advise(from, bytes, advice, Location::of(device));
}
HEDDLE_CUDA int cuMemPrefetchAsync(const void* from, std::size_t bytes, int device, StreamHandle stream) {
  return prefetch(from, bytes, Location::of(device), stream);
}
/// What is not known of the pointer is zero.
HEDDLE_CUDA int cuPointerGetAttributes(unsigned count, const int* attributes, void** values,
                                       DevicePointer address) {
  if (attributes == nullptr || values == nullptr) return kInvalid;
  enum { kContext = 1, kDevice = 3, kHost = 4, kBegin = 11, kBytes = 12 };
  for (unsigned i = 0; i < count; ++i) {
    const int what = attributes[i];
    const bool wide =
        what == kContext || what == kDevice || what == kHost || what == kBegin || what == kBytes;
    if (values[i] == nullptr) return kInvalid;
    if (cuPointerGetAttribute(values[i], what, address) != 0)
      std::memset(values[i], 0, wide ? sizeof(void*) : sizeof(int));
  }
  return 0;
}
/// Copies are in order with everything as they are.
HEDDLE_CUDA int cuPointerSetAttribute(const void*, int, DevicePointer address) {
  return call(
      [&](Runtime& runtime) { return runtime.memory.find(address) ? Code::kSuccess : Code::kInvalidValue; });
}

// ---- Functions by name

HEDDLE_CUDA int cuGetProcAddress_v2(const char* symbol, void** function, int version,
                                    unsigned long long flags, int* status) {
  const int code =
      cudaGetDriverEntryPointByVersion(symbol, function, static_cast<unsigned>(version), flags, status);
  return code != 0 ? code : *function == nullptr ? static_cast<int>(Code::kSymbolNotFound) : 0;
}
HEDDLE_CUDA int cuGetProcAddress(const char* symbol, void** function, int version, unsigned long long flags) {
  return cuGetProcAddress_v2(symbol, function, version, flags, nullptr);
}
