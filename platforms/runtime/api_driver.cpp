// The driver interface (cu*) on the runtime below the other one: contexts are the one device's, modules are libraries, functions
// kernels. Names have the suffixes that CUDA's header gives them. Result codes are those of the runtime, which has taken the driver's.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/copy.h"
#include "runtime/error_texts.h"
#include "runtime/runtime.h"

using namespace heddle::runtime;  // NOLINT(google-build-using-namespace): the functions are C's

extern "C" {
int cudaGetDeviceCount(int*);
int cudaDriverGetVersion(int*);
int cudaDeviceGetAttribute(int*, int, int);
int cudaMemGetInfo(std::size_t*, std::size_t*);
int cudaDeviceSynchronize();
int cudaMalloc(void**, std::size_t);
int cudaMallocPitch(void**, std::size_t*, std::size_t, std::size_t);
int cudaMallocManaged(void**, std::size_t, unsigned);
int cudaFree(void*);
int cudaHostAlloc(void**, std::size_t, unsigned);
int cudaFreeHost(void*);
int cudaHostGetDevicePointer(void**, void*, unsigned);
int cudaMemcpyAsync(void*, const void*, std::size_t, int, StreamHandle);
int cudaMemcpy(void*, const void*, std::size_t, int);
int cudaMemsetAsync(void*, int, std::size_t, StreamHandle);
int cudaLibraryLoadData(void**, const void*, void*, void**, unsigned, void*, void**, unsigned);
int cudaLibraryGetKernel(void**, void*, const char*);
int cudaLibraryGetGlobal(void**, std::size_t*, void*, const char*);
int cudaLibraryUnload(void*);
int cudaLaunchKernel(const void*, Dim, Dim, void**, std::size_t, StreamHandle);
int cudaLaunchCooperativeKernel(const void*, Dim, Dim, void**, std::size_t, StreamHandle);
int cudaFuncGetAttributes(FunctionAttributes*, const void*);
int cudaFuncSetAttribute(const void*, int, int);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int*, const void*, int, std::size_t);
int cudaStreamCreateWithPriority(StreamHandle*, unsigned, int);
int cudaStreamDestroy(StreamHandle);
int cudaStreamSynchronize(StreamHandle);
int cudaStreamQuery(StreamHandle);
int cudaStreamWaitEvent(StreamHandle, EventHandle, unsigned);
int cudaEventCreateWithFlags(EventHandle*, unsigned);
int cudaEventDestroy(EventHandle);
int cudaEventRecord(EventHandle, StreamHandle);
int cudaEventSynchronize(EventHandle);
int cudaEventQuery(EventHandle);
int cudaEventElapsedTime(float*, EventHandle, EventHandle);
}

namespace {

using DevicePointer = std::uint64_t;
constexpr int kInvalid = static_cast<int>(Code::kInvalidValue);

/// Contexts are told apart by nothing: there is one device.
int context = 0;
void* the_context() { return &context; }

void* pointer(DevicePointer address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

/// The arguments from a buffer (CU_LAUNCH_PARAM_BUFFER_POINTER), each where its parameter lies. False: it does not hold them all.
bool from_buffer(const void* kernel, void** extra, std::vector<void*>& arguments) {
  enum : std::uintptr_t { kEnd, kBuffer, kSize };
  std::byte* buffer = nullptr;
  const std::size_t* bytes = nullptr;
  for (; reinterpret_cast<std::uintptr_t>(*extra) != kEnd; extra += 2) {
    const auto what = reinterpret_cast<std::uintptr_t>(*extra);
    if (what == kBuffer)
      buffer = static_cast<std::byte*>(extra[1]);
    else if (what == kSize)
      bytes = static_cast<const std::size_t*>(extra[1]);
    else
      return false;
  }
  const Function* const function = Runtime::get().modules.function(kernel);
  if (buffer == nullptr || bytes == nullptr || function == nullptr) return false;
  for (const Parameter& each : function->parameters) {
    if (std::size_t{each.offset} + each.bytes > *bytes) return false;
    arguments.push_back(buffer + each.offset);
  }
  return true;
}

/// A result, which stays as it was if there is none. `made` is a reference: it is set by the call whose code this is.
int give(int code, void* const& made, DevicePointer* address) {
  if (code == 0) *address = reinterpret_cast<DevicePointer>(made);
  return code;
}

/// Values of `size` bytes each.
int fill_with(DevicePointer to, std::uint32_t value, std::uint32_t size, std::size_t count,
              StreamHandle stream) {
  return call([&](Runtime& runtime) {
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(count, std::size_t{size}, &bytes)) return Code::kInvalidValue;
    return runtime.streams.run(runtime, stream, [&runtime, to, value, size, bytes] {
      return fill(runtime, {to, bytes, bytes}, value, {bytes, 1, 1}, size);
    });
  });
}

struct Name {
  int code;
  const char* name;
};
/// CUresult (cuda.h): what functions here return.
constexpr Name kNames[] = {{0, "CUDA_SUCCESS"},
                           {1, "CUDA_ERROR_INVALID_VALUE"},
                           {2, "CUDA_ERROR_OUT_OF_MEMORY"},
                           {3, "CUDA_ERROR_NOT_INITIALIZED"},
                           {46, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
                           {100, "CUDA_ERROR_NO_DEVICE"},
                           {101, "CUDA_ERROR_INVALID_DEVICE"},
                           {200, "CUDA_ERROR_INVALID_IMAGE"},
                           {201, "CUDA_ERROR_INVALID_CONTEXT"},
                           {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
                           {215, "CUDA_ERROR_UNSUPPORTED_LIMIT"},
                           {217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED"},
                           {218, "CUDA_ERROR_INVALID_PTX"},
                           {301, "CUDA_ERROR_FILE_NOT_FOUND"},
                           {400, "CUDA_ERROR_INVALID_HANDLE"},
                           {500, "CUDA_ERROR_NOT_FOUND"},
                           {600, "CUDA_ERROR_NOT_READY"},
                           {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                           {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
                           {702, "CUDA_ERROR_LAUNCH_TIMEOUT"},
                           {704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED"},
                           {705, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED"},
                           {709, "CUDA_ERROR_CONTEXT_IS_DESTROYED"},
                           {710, "CUDA_ERROR_ASSERT"},
                           {712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"},
                           {713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED"},
                           {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION"},
                           {716, "CUDA_ERROR_MISALIGNED_ADDRESS"},
                           {719, "CUDA_ERROR_LAUNCH_FAILED"},
                           {720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"},
                           {800, "CUDA_ERROR_NOT_PERMITTED"},
                           {801, "CUDA_ERROR_NOT_SUPPORTED"},
                           {999, "CUDA_ERROR_UNKNOWN"}};

/// The runtime has codes that are none of the driver: for shapes and kinds of arguments, and for functions.
int driver_code(int code) {
  if (code == static_cast<int>(Code::kInvalidDeviceFunction))
    return static_cast<int>(Code::kInvalidResourceHandle);
  const bool named =
      std::any_of(std::begin(kNames), std::end(kNames), [&](const Name& each) { return each.code == code; });
  return named ? code : kInvalid;
}

}  // namespace

HEDDLE_CUDA int cuInit(unsigned flags) {
  int count = 0;
  return flags != 0 ? kInvalid : cudaGetDeviceCount(&count);
}
HEDDLE_CUDA int cuDriverGetVersion(int* version) { return cudaDriverGetVersion(version); }
HEDDLE_CUDA int cuGetErrorName(int code, const char** name) {
  if (name == nullptr) return kInvalid;
  for (const Name& each : kNames)
    if (each.code == code) {
      *name = each.name;
      return 0;
    }
  *name = nullptr;
  return kInvalid;
}
HEDDLE_CUDA int cuGetErrorString(int code, const char** text) {
  if (text == nullptr) return kInvalid;
  const bool known = error_text(code).code == code;
  *text = known ? error_text(code).text : nullptr;
  return known ? 0 : kInvalid;
}

// ---- The device and its contexts

HEDDLE_CUDA int cuDeviceGetCount(int* count) { return cudaGetDeviceCount(count); }
HEDDLE_CUDA int cuDeviceGet(int* device, int number) {
  if (device == nullptr) return kInvalid;
  if (number != 0) return static_cast<int>(Code::kInvalidDevice);
  *device = 0;
  return 0;
}
HEDDLE_CUDA int cuDeviceGetName(char* name, int bytes, int device) {
  return call([&](Runtime& runtime) {
    if (device != 0) return Code::kInvalidDevice;
    if (name == nullptr || bytes <= 0) return Code::kInvalidValue;
    std::strncpy(name, runtime.machine().name, static_cast<std::size_t>(bytes) - 1);
    name[bytes - 1] = '\0';
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cuDeviceGetAttribute(int* value, int attribute, int device) {
  return cudaDeviceGetAttribute(value, attribute, device);
}
HEDDLE_CUDA int cuDeviceComputeCapability(int* major, int* minor, int device) {
  constexpr int kMajor = 75, kMinor = 76;
  const int code = cudaDeviceGetAttribute(major, kMajor, device);
  return code != 0 ? code : cudaDeviceGetAttribute(minor, kMinor, device);
}
HEDDLE_CUDA int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  std::size_t free = 0;
  return bytes == nullptr ? kInvalid : cudaMemGetInfo(&free, bytes);
}
HEDDLE_CUDA int cuCtxCreate_v2(void** made, unsigned, int device) {
  if (made == nullptr) return kInvalid;
  *made = the_context();
  return device == 0 ? cuInit(0) : static_cast<int>(Code::kInvalidDevice);
}
HEDDLE_CUDA int cuCtxCreate_v4(void** made, const void*, unsigned flags, int device) {
  return cuCtxCreate_v2(made, flags, device);
}
HEDDLE_CUDA int cuDevicePrimaryCtxRetain(void** made, int device) { return cuCtxCreate_v2(made, 0, device); }
HEDDLE_CUDA int cuDevicePrimaryCtxRelease_v2(int) { return 0; }
HEDDLE_CUDA int cuDevicePrimaryCtxSetFlags_v2(int, unsigned) { return 0; }
HEDDLE_CUDA int cuCtxDestroy_v2(void*) { return cudaDeviceSynchronize(); }
HEDDLE_CUDA int cuCtxSetCurrent(void*) { return 0; }
HEDDLE_CUDA int cuCtxPushCurrent_v2(void*) { return 0; }
HEDDLE_CUDA int cuCtxGetCurrent(void** current) {
  if (current == nullptr) return kInvalid;
  *current = the_context();
  return 0;
}
HEDDLE_CUDA int cuCtxPopCurrent_v2(void** current) {
  if (current != nullptr) *current = the_context();
  return 0;
}
HEDDLE_CUDA int cuCtxGetDevice(int* device) { return cuDeviceGet(device, 0); }
HEDDLE_CUDA int cuCtxSynchronize() { return cudaDeviceSynchronize(); }

// ---- Modules and kernels

HEDDLE_CUDA int cuModuleLoadData(void** module, const void* image) {
  if (image == nullptr) return kInvalid;
  return cudaLibraryLoadData(module, image, nullptr, nullptr, 0, nullptr, nullptr, 0);
}
HEDDLE_CUDA int cuModuleLoadDataEx(void** module, const void* image, unsigned, void*, void**) {
  return cuModuleLoadData(module, image);
}
HEDDLE_CUDA int cuModuleLoadFatBinary(void** module, const void* image) {
  return cuModuleLoadData(module, image);
}
HEDDLE_CUDA int cuModuleLoad(void** module, const char* path) {
  if (module == nullptr || path == nullptr) return kInvalid;
  return call([&](Runtime& runtime) {
    const std::ifstream file(path, std::ios::binary);
    if (!file) return Code::kFileNotFound;
    std::ostringstream bytes;
    bytes << file.rdbuf();
    const std::string image = bytes.str();
    return runtime.modules.load_library(runtime, image.data(), image.size(), module);
  });
}
HEDDLE_CUDA int cuModuleUnload(void* module) { return cudaLibraryUnload(module); }
HEDDLE_CUDA int cuModuleGetFunction(void** function, void* module, const char* name) {
  return function == nullptr || name == nullptr ? kInvalid : cudaLibraryGetKernel(function, module, name);
}
HEDDLE_CUDA int cuModuleGetGlobal_v2(DevicePointer* address, std::size_t* bytes, void* module,
                                     const char* name) {
  void* found = nullptr;
  std::size_t size = 0;
  const int code = cudaLibraryGetGlobal(&found, &size, module, name);
  if (code == 0 && address != nullptr) *address = reinterpret_cast<DevicePointer>(found);
  if (code == 0 && bytes != nullptr) *bytes = size;
  return code;
}
HEDDLE_CUDA int cuFuncGetAttribute(int* value, int attribute, void* function) {
  FunctionAttributes all;
  if (value == nullptr) return kInvalid;
  if (const int code = cudaFuncGetAttributes(&all, function); code != 0) return driver_code(code);
  const int values[] = {all.max_threads_per_block,
                        static_cast<int>(all.shared_bytes),
                        static_cast<int>(all.constant_bytes),
                        static_cast<int>(all.local_bytes),
                        all.registers,
                        all.ptx_version,
                        all.binary_version,
                        all.cache_mode_ca,
                        all.max_dynamic_shared_bytes,
                        all.preferred_carveout};
  if (attribute < 0 || attribute >= static_cast<int>(std::size(values))) return kInvalid;
  *value = values[attribute];
  return 0;
}
HEDDLE_CUDA int cuFuncSetAttribute(void* function, int attribute, int value) {
  return driver_code(cudaFuncSetAttribute(function, attribute, value));
}
HEDDLE_CUDA int cuFuncSetCacheConfig(void*, int) { return 0; }
HEDDLE_CUDA int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void* function, int threads,
                                                            std::size_t shared) {
  return driver_code(cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared));
}
HEDDLE_CUDA int cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                               unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                               StreamHandle stream, void** arguments, void** extra) {
  std::vector<void*> unpacked;
  if (extra != nullptr) {
    if (arguments != nullptr || !from_buffer(function, extra, unpacked)) return kInvalid;
    arguments = unpacked.data();
  }
  return driver_code(cudaLaunchKernel(function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z},
                                      arguments, shared, stream));
}
HEDDLE_CUDA int cuLaunchCooperativeKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                          unsigned block_x, unsigned block_y, unsigned block_z,
                                          unsigned shared, StreamHandle stream, void** arguments) {
  return driver_code(cudaLaunchCooperativeKernel(function, {grid_x, grid_y, grid_z},
                                                 {block_x, block_y, block_z}, arguments, shared, stream));
}

// ---- Memory

HEDDLE_CUDA int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) { return cudaMemGetInfo(free, total); }
HEDDLE_CUDA int cuMemAlloc_v2(DevicePointer* address, std::size_t bytes) {
  void* made = nullptr;
  return address == nullptr || bytes == 0 ? kInvalid : give(cudaMalloc(&made, bytes), made, address);
}
HEDDLE_CUDA int cuMemAllocPitch_v2(DevicePointer* address, std::size_t* pitch, std::size_t width,
                                   std::size_t height, unsigned) {
  void* made = nullptr;
  if (address == nullptr || pitch == nullptr || width == 0 || height == 0) return kInvalid;
  return give(cudaMallocPitch(&made, pitch, width, height), made, address);
}
HEDDLE_CUDA int cuMemAllocManaged(DevicePointer* address, std::size_t bytes, unsigned flags) {
  void* made = nullptr;
  return address == nullptr ? kInvalid : give(cudaMallocManaged(&made, bytes, flags), made, address);
}
HEDDLE_CUDA int cuMemFree_v2(DevicePointer address) { return cudaFree(pointer(address)); }
HEDDLE_CUDA int cuMemAllocHost_v2(void** host, std::size_t bytes) { return cudaHostAlloc(host, bytes, 0); }
HEDDLE_CUDA int cuMemHostAlloc(void** host, std::size_t bytes, unsigned flags) {
  return cudaHostAlloc(host, bytes, flags);
}
HEDDLE_CUDA int cuMemFreeHost(void* host) { return cudaFreeHost(host); }
HEDDLE_CUDA int cuMemHostGetDevicePointer_v2(DevicePointer* address, void* host, unsigned flags) {
  void* found = nullptr;
  return address == nullptr ? kInvalid : give(cudaHostGetDevicePointer(&found, host, flags), found, address);
}
HEDDLE_CUDA int cuMemcpy(DevicePointer to, DevicePointer from, std::size_t bytes) {
  return cudaMemcpy(pointer(to), pointer(from), bytes, kDefault);
}
HEDDLE_CUDA int cuMemcpyAsync(DevicePointer to, DevicePointer from, std::size_t bytes, StreamHandle stream) {
  return cudaMemcpyAsync(pointer(to), pointer(from), bytes, kDefault, stream);
}
HEDDLE_CUDA int cuMemcpyHtoD_v2(DevicePointer to, const void* from, std::size_t bytes) {
  return cudaMemcpy(pointer(to), from, bytes, kHostToDevice);
}
HEDDLE_CUDA int cuMemcpyDtoH_v2(void* to, DevicePointer from, std::size_t bytes) {
  return cudaMemcpy(to, pointer(from), bytes, kDeviceToHost);
}
HEDDLE_CUDA int cuMemcpyDtoD_v2(DevicePointer to, DevicePointer from, std::size_t bytes) {
  return cudaMemcpy(pointer(to), pointer(from), bytes, kDeviceToDevice);
}
HEDDLE_CUDA int cuMemcpyHtoDAsync_v2(DevicePointer to, const void* from, std::size_t bytes,
                                     StreamHandle stream) {
  return cudaMemcpyAsync(pointer(to), from, bytes, kHostToDevice, stream);
}
HEDDLE_CUDA int cuMemcpyDtoHAsync_v2(void* to, DevicePointer from, std::size_t bytes, StreamHandle stream) {
  return cudaMemcpyAsync(to, pointer(from), bytes, kDeviceToHost, stream);
}
HEDDLE_CUDA int cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, std::size_t bytes,
                                     StreamHandle stream) {
  return cudaMemcpyAsync(pointer(to), pointer(from), bytes, kDeviceToDevice, stream);
}
HEDDLE_CUDA int cuMemsetD8Async(DevicePointer to, unsigned char value, std::size_t count,
                                StreamHandle stream) {
  return cudaMemsetAsync(pointer(to), value, count, stream);
}
HEDDLE_CUDA int cuMemsetD8_v2(DevicePointer to, unsigned char value, std::size_t count) {
  return cuMemsetD8Async(to, value, count, nullptr);
}
HEDDLE_CUDA int cuMemsetD16Async(DevicePointer to, unsigned short value, std::size_t count,
                                 StreamHandle stream) {
  return fill_with(to, value, sizeof value, count, stream);
}
HEDDLE_CUDA int cuMemsetD16_v2(DevicePointer to, unsigned short value, std::size_t count) {
  return cuMemsetD16Async(to, value, count, nullptr);
}
HEDDLE_CUDA int cuMemsetD32Async(DevicePointer to, unsigned value, std::size_t count, StreamHandle stream) {
  return fill_with(to, value, sizeof value, count, stream);
}
HEDDLE_CUDA int cuMemsetD32_v2(DevicePointer to, unsigned value, std::size_t count) {
  return cuMemsetD32Async(to, value, count, nullptr);
}

// ---- Streams and events

HEDDLE_CUDA int cuStreamCreate(StreamHandle* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
HEDDLE_CUDA int cuStreamCreateWithPriority(StreamHandle* stream, unsigned flags, int priority) {
  return cudaStreamCreateWithPriority(stream, flags, priority);
}
HEDDLE_CUDA int cuStreamDestroy_v2(StreamHandle stream) { return cudaStreamDestroy(stream); }
HEDDLE_CUDA int cuStreamSynchronize(StreamHandle stream) { return cudaStreamSynchronize(stream); }
HEDDLE_CUDA int cuStreamQuery(StreamHandle stream) { return cudaStreamQuery(stream); }
HEDDLE_CUDA int cuStreamWaitEvent(StreamHandle stream, EventHandle event, unsigned flags) {
  return cudaStreamWaitEvent(stream, event, flags);
}
HEDDLE_CUDA int cuEventCreate(EventHandle* event, unsigned flags) {
  return cudaEventCreateWithFlags(event, flags);
}
HEDDLE_CUDA int cuEventDestroy_v2(EventHandle event) { return cudaEventDestroy(event); }
HEDDLE_CUDA int cuEventRecord(EventHandle event, StreamHandle stream) {
  return cudaEventRecord(event, stream);
}
HEDDLE_CUDA int cuEventSynchronize(EventHandle event) { return cudaEventSynchronize(event); }
HEDDLE_CUDA int cuEventQuery(EventHandle event) { return cudaEventQuery(event); }
HEDDLE_CUDA int cuEventElapsedTime(float* milliseconds, EventHandle start, EventHandle end) {
  return cudaEventElapsedTime(milliseconds, start, end);
}
HEDDLE_CUDA int cuEventElapsedTime_v2(float* milliseconds, EventHandle start, EventHandle end) {
  return cudaEventElapsedTime(milliseconds, start, end);
}
