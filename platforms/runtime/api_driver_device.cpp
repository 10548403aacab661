// The driver interface's questions about memory, the device and its context; streams, launches and the linker. Each becomes the
// runtime's call.
#include <dlfcn.h>
#include <link.h>

#include <cstring>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/runtime.h"

using namespace heddle::runtime;  // NOLINT(google-build-using-namespace): the functions are C's

extern "C" {
int cudaMallocAsync(void**, std::size_t, StreamHandle);
int cudaFreeAsync(void*, StreamHandle);
int cudaHostRegister(void*, std::size_t, unsigned);
int cudaHostUnregister(void*);
int cudaHostGetFlags(unsigned*, void*);
int cudaDeviceGetLimit(std::size_t*, int);
int cudaDeviceSetLimit(int, std::size_t);
int cudaDeviceGetAttribute(int*, int, int);
int cudaDeviceGetPCIBusId(char*, int, int);
int cudaDeviceGetByPCIBusId(int*, const char*);
int cudaDeviceCanAccessPeer(int*, int, int);
int cudaDeviceGetStreamPriorityRange(int*, int*);
int cudaStreamGetPriority(StreamHandle, int*);
int cudaStreamGetFlags(StreamHandle, unsigned*);
int cudaStreamAddCallback(StreamHandle, StreamCallback, void*, unsigned);
int cudaLaunchHostFunc(StreamHandle, HostFunction, void*);
int cudaLaunchKernelExC(const LaunchConfiguration*, const void*, void**);
int cudaFuncGetAttributes(FunctionAttributes*, const void*);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int*, const void*, int, std::size_t);
int cudaLibraryLoadData(void**, const void*, void*, void**, unsigned, void*, void**, unsigned);
int cudaLibraryUnload(void*);
int cuCtxGetCurrent(void**);
}

namespace {

using DevicePointer = std::uint64_t;
constexpr int kInvalid = static_cast<int>(Code::kInvalidValue);

void* pointer(DevicePointer address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}
enum MemoryType : int { kHostMemory = 1, kDeviceMemory = 2 };

}  // namespace

// ---- Memory

HEDDLE_CUDA int cuMemAllocAsync(DevicePointer* address, std::size_t bytes, StreamHandle stream) {
  void* made = nullptr;
  if (address == nullptr) return kInvalid;
  const int code = cudaMallocAsync(&made, bytes, stream);
  if (code == 0) *address = reinterpret_cast<DevicePointer>(made);
  return code;
}
HEDDLE_CUDA int cuMemFreeAsync(DevicePointer address, StreamHandle stream) {
  return cudaFreeAsync(pointer(address), stream);
}
HEDDLE_CUDA int cuMemHostRegister_v2(void* host, std::size_t bytes, unsigned flags) {
  return cudaHostRegister(host, bytes, flags);
}
HEDDLE_CUDA int cuMemHostUnregister(void* host) { return cudaHostUnregister(host); }
HEDDLE_CUDA int cuMemHostGetFlags(unsigned* flags, void* host) { return cudaHostGetFlags(flags, host); }
HEDDLE_CUDA int cuMemGetAddressRange_v2(DevicePointer* begin, std::size_t* bytes, DevicePointer address) {
  return call([&](Runtime& runtime) {
    const auto block = runtime.memory.find(address);
    if (!block) return Code::kSymbolNotFound;
    if (begin != nullptr) *begin = block->address;
    if (bytes != nullptr) *bytes = block->bytes;
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cuPointerGetAttribute(void* value, int attribute, DevicePointer address) {
  enum {
    kContext = 1,
    kType = 2,
    kDevice = 3,
    kHost = 4,
    kManaged = 8,
    kOrdinal = 9,
    kBegin = 11,
    kBytes = 12
  };
  void* context = nullptr;
  if (value == nullptr) return kInvalid;
  (void)cuCtxGetCurrent(&context);
  return call([&](Runtime& runtime) {
    using Kind = Memory::Kind;
    const auto block = runtime.memory.find(address);
    if (!block) return Code::kInvalidValue;
    const auto give = [&](auto what) { std::memcpy(value, &what, sizeof what); };
    switch (attribute) {
      case kContext:
        give(context);
        return Code::kSuccess;
      case kType:
        give(block->kind == Kind::kPinned || block->kind == Kind::kRegistered ? int{kHostMemory}
                                                                              : int{kDeviceMemory});
        return Code::kSuccess;
      case kDevice:
      case kHost:
        if (attribute == kHost && runtime.memory.is_device(address)) return Code::kInvalidValue;
        give(attribute == kHost ? runtime.memory.host_address(address) : address);
        return Code::kSuccess;
      case kManaged:
        give(block->kind == Kind::kManaged || block->kind == Kind::kVariable ? 1u : 0u);
        return Code::kSuccess;
      case kOrdinal:
        give(0);
        return Code::kSuccess;
      case kBegin:
        give(block->address);
        return Code::kSuccess;
      case kBytes:
        give(std::size_t{block->bytes});
        return Code::kSuccess;
      default:
        return Code::kNotSupported;
    }
  });
}

// ---- The device and its context

HEDDLE_CUDA int cuCtxGetApiVersion(void*, unsigned* version) {
  if (version == nullptr) return kInvalid;
  *version = 3020;  // the first whose contexts are these (CUDA driver API, cuCtxGetApiVersion)
  return 0;
}
HEDDLE_CUDA int cuCtxGetFlags(unsigned* flags) {
  if (flags == nullptr) return kInvalid;
  *flags = static_cast<unsigned>(Runtime::get().flags);
  return 0;
}
HEDDLE_CUDA int cuCtxGetLimit(std::size_t* value, int limit) { return cudaDeviceGetLimit(value, limit); }
HEDDLE_CUDA int cuCtxSetLimit(int limit, std::size_t value) { return cudaDeviceSetLimit(limit, value); }
HEDDLE_CUDA int cuCtxGetCacheConfig(int* configuration) {
  if (configuration == nullptr) return kInvalid;
  *configuration = 0;
  return 0;
}
HEDDLE_CUDA int cuCtxSetCacheConfig(int) { return 0; }
HEDDLE_CUDA int cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return cudaDeviceGetStreamPriorityRange(least, greatest);
}
HEDDLE_CUDA int cuDevicePrimaryCtxGetState(int, unsigned* flags, int* active) {
  if (active == nullptr) return kInvalid;
  *active = 1;
  return cuCtxGetFlags(flags);
}
HEDDLE_CUDA int cuDeviceGetPCIBusId(char* id, int bytes, int device) {
  return cudaDeviceGetPCIBusId(id, bytes, device);
}
HEDDLE_CUDA int cuDeviceGetByPCIBusId(int* device, const char* id) {
  return cudaDeviceGetByPCIBusId(device, id);
}
HEDDLE_CUDA int cuDeviceCanAccessPeer(int* can, int device, int peer) {
  return cudaDeviceCanAccessPeer(can, device, peer);
}
/// CUdevprop.
struct Properties {
  int max_threads_per_block = 0, max_block[3] = {}, max_grid[3] = {};
  int shared_bytes_per_block = 0, constant_bytes = 0, warp_size = 0, max_pitch = 0, registers_per_block = 0;
  int clock_khz = 0, texture_alignment = 0;
};
HEDDLE_CUDA int cuDeviceGetProperties(Properties* properties, int device) {
  if (properties == nullptr) return kInvalid;
  int attribute = 0;  // CUdevice_attribute has them in this order
  int* const places[] = {&properties->max_threads_per_block,
                         &properties->max_block[0],
                         &properties->max_block[1],
                         &properties->max_block[2],
                         &properties->max_grid[0],
                         &properties->max_grid[1],
                         &properties->max_grid[2],
                         &properties->shared_bytes_per_block,
                         &properties->constant_bytes,
                         &properties->warp_size,
                         &properties->max_pitch,
                         &properties->registers_per_block,
                         &properties->clock_khz,
                         &properties->texture_alignment};
  for (int* const place : places)
    if (const int code = cudaDeviceGetAttribute(place, ++attribute, device); code != 0) return code;
  return 0;
}
HEDDLE_CUDA int cuDeviceGetUuid_v2(char* uuid, int device) {
  return call([&](Runtime&) {
    if (device != 0) return Code::kInvalidDevice;
    if (uuid == nullptr) return Code::kInvalidValue;
    std::memcpy(uuid, "Heddle simulated", 16);
    return Code::kSuccess;
  });
}

namespace {

/// Once for each.
void say_without_driver(std::string_view path, const char* needs) {
  static std::set<std::string> named;
  static std::mutex one_at_a_time;
  const std::string library(path.substr(path.rfind('/') + 1));
  const std::lock_guard lock(one_at_a_time);
  if (!named.insert(library).second) return;
  say(library.c_str(), std::string("this library ") + needs +
                           ", which is not here: its functions fail\n  Compute with kernels of the program, "
                           "or with Thrust, CUB or "
                           "CUTLASS, which are kernels of the program.");
}

/// Some give up before they ask for anything. A program that holds one and never came to the device hears of it at its end.
[[gnu::destructor]] void name_libraries_with_a_runtime() {
  if (Runtime::get().machine().memory_bytes != 0) return;
  const auto look = [](dl_phdr_info* info, std::size_t, void*) {
    const std::string_view path = info->dlpi_name;
    for (const char* const each :
         {"libcufft", "libcublas", "libcurand", "libcusolver", "libcusparse", "libnpp"})
      if (path.substr(path.rfind('/') + 1).starts_with(each))
        say_without_driver(path, "has a runtime of its own, which asks for NVIDIA's driver");
    return 0;
  };
  ::dl_iterate_phdr(look, nullptr);
}

}  // namespace

/// Tables of NVIDIA's own libraries: there are none. NVRTC and nvJitLink ask for one, call what dlsym() gives them, and do without the
/// table; others (cuBLAS, cuFFT ...), which have a runtime of their own in them, do not.
HEDDLE_CUDA int cuGetExportTable(const void** table, const void*) {
  if (table != nullptr) *table = nullptr;
  Dl_info from{};
  if (::dladdr(__builtin_return_address(0), &from) != 0 && from.dli_fname != nullptr) {
    const std::string_view library = from.dli_fname;
    if (library.find("libnvrtc") == library.npos && library.find("libnvJitLink") == library.npos)
      say_without_driver(from.dli_fname, "asks for NVIDIA's driver (cuGetExportTable)");
  }
  return static_cast<int>(Code::kSymbolNotFound);
}

// ---- Streams, launches

HEDDLE_CUDA int cuStreamGetPriority(StreamHandle stream, int* priority) {
  return cudaStreamGetPriority(stream, priority);
}
HEDDLE_CUDA int cuStreamGetFlags(StreamHandle stream, unsigned* flags) {
  return cudaStreamGetFlags(stream, flags);
}
HEDDLE_CUDA int cuStreamAddCallback(StreamHandle stream, StreamCallback callback, void* data,
                                    unsigned flags) {
  return cudaStreamAddCallback(stream, callback, data, flags);
}
HEDDLE_CUDA int cuLaunchHostFunc(StreamHandle stream, HostFunction function, void* data) {
  return cudaLaunchHostFunc(stream, function, data);
}
/// CUlaunchConfig.
struct LaunchOfDriver {
  Dim grid, block;
  unsigned dynamic_shared_bytes = 0;
  StreamHandle stream = nullptr;
  const LaunchAttribute* attributes = nullptr;
  unsigned attribute_count = 0;
};
HEDDLE_CUDA int cuLaunchKernelEx(const LaunchOfDriver* launch, const void* function, void** arguments,
                                 void** extra) {
  if (launch == nullptr || extra != nullptr) return kInvalid;
  const LaunchConfiguration same{launch->grid,   launch->block,      launch->dynamic_shared_bytes,
                                 launch->stream, launch->attributes, launch->attribute_count};
  return cudaLaunchKernelExC(&same, function, arguments);
}
/// The block that keeps most warps on a multiprocessor; of several the largest. 0 and 0: none fits.
HEDDLE_CUDA int cuOccupancyMaxPotentialBlockSize(int* grid, int* block, const void* function,
                                                 std::size_t (*shared_of)(int), std::size_t shared,
                                                 int limit) {
  FunctionAttributes attributes;
  if (grid == nullptr || block == nullptr) return kInvalid;
  if (const int code = cudaFuncGetAttributes(&attributes, function); code != 0) return code;
  int most = attributes.max_threads_per_block, best = 0;
  *grid = *block = 0;
  if (limit > 0 && limit < most) most = limit;
  for (int threads = most; threads > 0; threads = (threads - 1) / 32 * 32) {
    int blocks = 0;
    const std::size_t bytes = shared_of != nullptr ? shared_of(threads) : shared;
    if (const int code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads, bytes);
        code != 0)
      return code;
    if (blocks * threads <= best) continue;
    best = blocks * threads;
    *block = threads;
    *grid = blocks * static_cast<int>(Runtime::get().machine().multiprocessors);
  }
  return 0;
}

// ---- The linker: of one input, which is what it makes. Objects of programs are linked by nvcc (-rdc=true).

namespace {

struct Link {
  std::vector<char> image;
};

}  // namespace

HEDDLE_CUDA int cuLinkCreate_v2(unsigned, int*, void**, Link** link) {
  if (link == nullptr) return kInvalid;
  *link =
      new (std::nothrow) Link;  // NOLINT(cppcoreguidelines-owning-memory): the program's until cuLinkDestroy
  return *link == nullptr ? static_cast<int>(Code::kMemoryAllocation) : 0;
}
HEDDLE_CUDA int cuLinkAddData_v2(Link* link, int, const void* data, std::size_t bytes, const char*, unsigned,
                                 int*, void**) {
  if (link == nullptr || data == nullptr) return kInvalid;
  if (!link->image.empty())
    return refuse("cuLinkAddData of several inputs",
                  "Link them with nvcc (-rdc=true), or load one with cuModuleLoadData.");
  const auto* const from = static_cast<const char*>(data);
  std::vector<char> image(from, from + bytes);
  image.push_back('\0');   // the end of a text
  void* module = nullptr;  // cards compile it here: what they refuse is no input
  if (const int code = cudaLibraryLoadData(&module, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
      code != 0)
    return code;
  (void)cudaLibraryUnload(module);
  link->image = std::move(image);
  return 0;
}
HEDDLE_CUDA int cuLinkComplete(Link* link, void** image, std::size_t* bytes) {
  if (link == nullptr || image == nullptr || link->image.empty()) return kInvalid;
  *image = link->image.data();
  if (bytes != nullptr) *bytes = link->image.size() - 1;
  return 0;
}
HEDDLE_CUDA int cuLinkDestroy(Link* link) {
  delete link;  // NOLINT(cppcoreguidelines-owning-memory)
  return 0;
}
HEDDLE_CUDA int cuLinkAddFile_v2(Link*, int, const char*, unsigned, int*, void**) {
  return refuse("cuLinkAddFile", "Link the files with nvcc (-rdc=true), or load one with cuModuleLoad.");
}
