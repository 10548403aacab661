// Registration, launches, and what is to be known of kernels.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/device_properties.h"
#include "runtime/runtime.h"

using namespace heddle::runtime;  // NOLINT(google-build-using-namespace): the functions are C's

// ---- What nvcc's host code calls before main().

HEDDLE_CUDA void** __cudaRegisterFatBinary(void* wrapper) {
  Runtime& runtime = Runtime::get();
  const std::unique_lock lock(runtime.mutex);
  FatBinaryWrapper given;
  std::memcpy(&given, wrapper, sizeof given);
  return reinterpret_cast<void**>(runtime.modules.add(given));
}
HEDDLE_CUDA void __cudaRegisterFatBinaryEnd(void**) {}
HEDDLE_CUDA void __cudaUnregisterFatBinary(void**) {}  // the process ends

HEDDLE_CUDA void __cudaRegisterFunction(void** module, const char* host, char*, const char* name, int, void*,
                                        void*, void*, void*, int*) {
  Runtime& runtime = Runtime::get();
  const std::unique_lock lock(runtime.mutex);
  runtime.modules.add_function(reinterpret_cast<Module*>(module), host, name);
}
HEDDLE_CUDA void __cudaRegisterVar(void** module, char* host, char*, const char* name, int, std::size_t bytes,
                                   int, int) {
  Runtime& runtime = Runtime::get();
  const std::unique_lock lock(runtime.mutex);
  runtime.modules.add_variable(reinterpret_cast<Module*>(module), host, name, bytes, nullptr);
}
HEDDLE_CUDA void __cudaRegisterManagedVar(void** module, void** host, char*, const char* name, int,
                                          std::size_t bytes, int, int) {
  Runtime& runtime = Runtime::get();
  const std::unique_lock lock(runtime.mutex);
  runtime.modules.add_variable(reinterpret_cast<Module*>(module), host, name, bytes, host);
}
HEDDLE_CUDA void __cudaRegisterHostVar(void**, const char*, char*, std::size_t) {}
HEDDLE_CUDA void __cudaRegisterUnifiedTable(void**, void*) {}
HEDDLE_CUDA void __cudaRegisterTexture(void**, const void*, const void**, const char* name, int, int, int) {
  say(name, "is a texture reference, which this runtime does not have\n  Read the memory with a pointer.");
}
HEDDLE_CUDA void __cudaRegisterSurface(void**, const void*, const void**, const char* name, int, int) {
  say(name, "is a surface reference, which this runtime does not have\n  Write the memory with a pointer.");
}
/// Before the program's first use of a __managed__ variable.
HEDDLE_CUDA char __cudaInitModule(void** module) {
  return static_cast<char>(call([&](Runtime& runtime) {
                             return runtime.modules.initialise(runtime, *reinterpret_cast<Module*>(module));
                           }) == 0);
}

// ---- Launches.

namespace {

struct Configuration {
  Dim grid, block;
  std::size_t shared_bytes;
  StreamHandle stream;
};

std::vector<Configuration>& configurations() {
  thread_local std::vector<Configuration> pushed;
  return pushed;
}

/// The arguments one behind the other. Pointers to host memory that the device has elsewhere become the device's.
Code pack(Runtime& runtime, const Function& function, void** arguments, std::string& payload) {
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const std::size_t start = payload.size();
    payload.append(static_cast<const char*>(arguments[i]), function.parameters[i].bytes);
    if (!runtime.memory.has_aliases()) continue;
    runtime.memory.note_addresses(reinterpret_cast<const std::byte*>(payload.data() + start),
                                  function.parameters[i].bytes);
    for (std::size_t at = 0; at + sizeof(std::uint64_t) <= function.parameters[i].bytes;
         at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, payload.data() + start + at, sizeof word);
      const auto block = runtime.memory.find(word);
      if (!block || block->kind == Memory::Kind::kManaged || runtime.memory.is_device(word)) continue;
      const std::uint64_t device = runtime.memory.device_address(runtime, runtime.memory.host_address(word));
      if (device == 0) return Code::kMemoryAllocation;
      std::memcpy(payload.data() + start + at, &device, sizeof device);
    }
  }
  return Code::kSuccess;
}

Code run_kernel(Runtime& runtime, const Function& function, const Dim& grid, const Dim& block,
                std::size_t shared, bool cooperative, const std::string& payload) {
  runtime.memory.publish(runtime);
  Request request;
  request.operation = Operation::kLaunch;
  const std::uint64_t arguments[] = {function.kernel,
                                     grid.x,
                                     grid.y,
                                     grid.z,
                                     block.x,
                                     block.y,
                                     block.z,
                                     shared,
                                     cooperative ? 1u : 0u,
                                     runtime.memory.has_copies() ? 1u : 0u};
  std::copy(std::begin(arguments), std::end(arguments), std::begin(request.arguments));
  if (runtime.overlaps()) {
    // What host and device share is exchanged before and after each launch, which therefore ends first.
    if (Stream* const stream = runtime.streams.current(); stream != nullptr && !runtime.memory.has_copies()) {
      request.operation = Operation::kQueue;
      return runtime.timeline.queue(runtime, request, payload, stream->done);
    }
    runtime.streams.finish(runtime);
  }
  const auto answer = runtime.ask(request, payload);
  if (answer.reply.code != Code::kSuccess) return answer.reply.code;
  runtime.advance(runtime.machine().launch_ns + static_cast<double>(answer.reply.values[0]),
                  Engine::kCompute);
  std::vector<std::uint64_t> pages(answer.data.size() / sizeof(std::uint64_t));
  if (!pages.empty()) std::memcpy(pages.data(), answer.data.data(), pages.size() * sizeof pages[0]);
  if (answer.reply.values[1] != 0)
    runtime.memory.collect(runtime, pages);
  else
    runtime.memory.launched(runtime);
  return answer.reply.code;
}

/// What a node of a graph answers when it is asked.
std::shared_ptr<const Launch> kept_launch(Launch launch, const Function& function, void** arguments) {
  auto kept = std::make_shared<Launch>(std::move(launch));
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    kept->arguments.resize((kept->arguments.size() + 15) / 16 * 16);  // aligned for any type
    kept->pointers.push_back(
        reinterpret_cast<void*>(kept->arguments.size()));  // NOLINT(performance-no-int-to-ptr)
    kept->arguments.append(static_cast<const char*>(arguments[i]), function.parameters[i].bytes);
  }
  for (void*& each : kept->pointers) each = kept->arguments.data() + reinterpret_cast<std::uintptr_t>(each);
  return kept;
}

std::size_t room_for_dynamic(const Runtime& runtime, const Function& function) {
  return runtime.machine().shared_bytes_per_block - function.facts.static_shared_bytes;
}

std::size_t most_dynamic(const Runtime& runtime, const Function& function) {
  if (function.max_dynamic_shared_bytes >= 0)
    return static_cast<std::size_t>(function.max_dynamic_shared_bytes);
  const std::uint32_t fixed = function.facts.static_shared_bytes;
  return std::min<std::size_t>(room_for_dynamic(runtime, function),
                               kSharedBytesUnasked - std::min(kSharedBytesUnasked, fixed));
}

/// More than is there is refused by the device, with its own words.
bool asks_for_too_much(const Runtime& runtime, const Function& function, std::size_t shared) {
  if (shared <= most_dynamic(runtime, function) || shared > room_for_dynamic(runtime, function)) return false;
  say("cudaLaunchKernel",
      "kernel " + function.name + " may have " + std::to_string(most_dynamic(runtime, function)) +
          " bytes of dynamic shared memory, the launch asks for " + std::to_string(shared) +
          "\n  Allow more before: cudaFuncSetAttribute(kernel, "
          "cudaFuncAttributeMaxDynamicSharedMemorySize, bytes).");
  return true;
}

int launch(const void* host, Dim grid, Dim block, void** arguments, std::size_t shared, StreamHandle stream,
           bool cooperative) {
  return call([&](Runtime& runtime) {
    Function* const function = runtime.modules.function(host);
    if (function == nullptr) {
      say("cudaLaunchKernel", "no kernel has been registered at this address");
      return Code::kInvalidDeviceFunction;
    }
    if (const Code code = runtime.modules.find(runtime, *function); code != Code::kSuccess) return code;
    if (shared > 0xffffffffu || asks_for_too_much(runtime, *function, shared) ||
        (arguments == nullptr && !function->parameters.empty()))
      return Code::kInvalidValue;
    std::string payload;
    if (const Code code = pack(runtime, *function, arguments, payload); code != Code::kSuccess) return code;
    const Capture* const capture = runtime.streams.capture_of(stream);
    const auto kept = capture == nullptr ? nullptr
                                         : kept_launch({host, grid, block, shared, {}, {}, cooperative},
                                                       *function, arguments);
    const Code code = runtime.streams.run(
        runtime, stream,
        [&runtime, host, kernel = function->kernel, grid, block, shared, cooperative,
         payload = std::move(payload)] {
          const Function* const now = runtime.modules.function(host);  // its library may be unloaded
          if (now == nullptr || now->kernel != kernel) return Code::kInvalidDeviceFunction;
          return run_kernel(runtime, *now, grid, block, shared, cooperative, payload);
        },
        Stream::kKernelOperation);
    if (capture != nullptr && code == Code::kSuccess)
      runtime.streams.capture_of(stream)->entries.back().launch = kept;
    return code;
  });
}

std::uint64_t cluster_blocks(const LaunchConfiguration& given) {
  constexpr int kClusterDimension = 4;
  std::uint64_t blocks = 1;
  for (unsigned i = 0; given.attributes != nullptr && i < given.attribute_count; ++i) {
    const Dim& cluster = given.attributes[i].value.dim;
    if (given.attributes[i].id == kClusterDimension)
      blocks = std::uint64_t{cluster.x} * cluster.y * cluster.z;
  }
  return blocks;
}

}  // namespace

HEDDLE_CUDA unsigned __cudaPushCallConfiguration(Dim grid, Dim block, std::size_t shared,
                                                 StreamHandle stream) {
  configurations().push_back({grid, block, shared, stream});
  return 0;
}
HEDDLE_CUDA int __cudaPopCallConfiguration(Dim* grid, Dim* block, std::size_t* shared, void* stream) {
  if (configurations().empty()) return static_cast<int>(last_error() = Code::kMissingConfiguration);
  const Configuration top = configurations().back();
  configurations().pop_back();
  *grid = top.grid;
  *block = top.block;
  *shared = top.shared_bytes;
  std::memcpy(stream, &top.stream, sizeof top.stream);
  return 0;
}
HEDDLE_CUDA int cudaLaunchKernel(const void* function, Dim grid, Dim block, void** arguments,
                                 std::size_t shared, StreamHandle stream) {
  return launch(function, grid, block, arguments, shared, stream, false);
}
HEDDLE_CUDA int cudaLaunchCooperativeKernel(const void* function, Dim grid, Dim block, void** arguments,
                                            std::size_t shared, StreamHandle stream) {
  return launch(function, grid, block, arguments, shared, stream, true);
}
HEDDLE_CUDA int cudaLaunchKernelExC(const LaunchConfiguration* given, const void* function,
                                    void** arguments) {
  constexpr int kCooperative = 2;
  if (given == nullptr || (given->attributes == nullptr && given->attribute_count != 0))
    return static_cast<int>(last_error() = Code::kInvalidValue);
  bool cooperative = false;
  for (unsigned i = 0; i < given->attribute_count; ++i) {
    const LaunchAttribute& each = given->attributes[i];
    if (each.id == kCooperative) cooperative = each.value.number != 0;
  }
  if (cluster_blocks(*given) > 1)
    return refuse("cudaLaunchKernelExC with clusters", "Launch clusters of one block.");
  return launch(function, given->grid, given->block, arguments, given->dynamic_shared_bytes, given->stream,
                cooperative);
}
/// What nvcc 12 and later call: kernels' handles are the addresses of their host functions.
HEDDLE_CUDA int __cudaLaunchKernel(const void* kernel, Dim grid, Dim block, void** arguments,
                                   std::size_t shared, StreamHandle stream) {
  return launch(kernel, grid, block, arguments, shared, stream, false);
}
HEDDLE_CUDA int __cudaGetKernel(const void** kernel, const void* function) {
  *kernel = function;
  return 0;
}
HEDDLE_CUDA int cudaGetKernel(const void** kernel, const void* function) {
  return __cudaGetKernel(kernel, function);
}

// ---- What is to be known of kernels.

namespace {

template <class Use>
int with_function(const void* host, Use&& use) {
  return call([&](Runtime& runtime) {
    Function* const function = runtime.modules.function(host);
    if (function == nullptr) return Code::kInvalidDeviceFunction;
    const Code code = runtime.modules.find(runtime, *function);
    return code == Code::kSuccess ? use(runtime, *function) : code;
  });
}

constexpr int kMaxDynamicShared = 8, kCarveout = 9;

std::uint32_t resident(Runtime& runtime, const Function& function, int threads, std::size_t shared) {
  Request request;
  request.operation = Operation::kOccupancy;
  request.arguments[0] = function.kernel;
  request.arguments[1] = static_cast<std::uint64_t>(threads);
  request.arguments[2] = shared;
  return static_cast<std::uint32_t>(runtime.ask(request).reply.values[0]);
}

}  // namespace

HEDDLE_CUDA int cudaFuncGetAttributes(FunctionAttributes* attributes, const void* host) {
  return with_function(host, [&](Runtime& runtime, Function& function) {
    if (attributes == nullptr) return Code::kInvalidValue;
    const KernelFacts& facts = function.facts;
    FunctionAttributes result;
    result.shared_bytes = facts.static_shared_bytes;
    result.local_bytes = facts.local_bytes;
    result.max_threads_per_block = static_cast<int>(facts.max_threads);
    result.registers = static_cast<int>(std::max(facts.registers, 1u));
    result.binary_version = static_cast<int>(runtime.machine().compute_capability);
    result.ptx_version =
        facts.architecture != 0 ? static_cast<int>(facts.architecture) : result.binary_version;
    result.max_dynamic_shared_bytes = static_cast<int>(most_dynamic(runtime, function));
    result.preferred_carveout = function.carveout;
    *attributes = result;
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaFuncSetAttribute(const void* host, int attribute, int value) {
  return with_function(host, [&](Runtime& runtime, Function& function) {
    if (attribute == kMaxDynamicShared) {
      if (value < 0 || static_cast<std::size_t>(value) > room_for_dynamic(runtime, function))
        return Code::kInvalidValue;
      function.max_dynamic_shared_bytes = value;
    } else if (attribute == kCarveout) {
      if (value < -1 || value > 100) return Code::kInvalidValue;
      function.carveout = value;
    } else {
      return Code::kInvalidValue;
    }
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaFuncSetCacheConfig(const void* host, int) {
  return with_function(host, [](Runtime&, Function&) { return Code::kSuccess; });
}
HEDDLE_CUDA int cudaFuncSetSharedMemConfig(const void* host, int) { return cudaFuncSetCacheConfig(host, 0); }
HEDDLE_CUDA int cudaFuncGetName(const char** name, const void* host) {
  return with_function(host, [&](Runtime&, Function& function) {
    if (name == nullptr) return Code::kInvalidValue;
    *name = function.name.c_str();
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaFuncGetParamInfo(const void* host, std::size_t index, std::size_t* offset,
                                     std::size_t* bytes) {
  return with_function(host, [&](Runtime&, Function& function) {
    if (offset == nullptr || index >= function.parameters.size()) return Code::kInvalidValue;
    *offset = function.parameters[index].offset;
    if (bytes != nullptr) *bytes = function.parameters[index].bytes;
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* host,
                                                                       int threads, std::size_t shared,
                                                                       unsigned) {
  return with_function(host, [&](Runtime& runtime, Function& function) {
    if (blocks == nullptr || threads <= 0) return Code::kInvalidValue;
    *blocks = static_cast<int>(resident(runtime, function, threads, shared));
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* host, int threads,
                                                              std::size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, host, threads, shared, 0);
}
/// Clusters of one block each, which are all that may be launched.
HEDDLE_CUDA int cudaOccupancyMaxActiveClusters(int* clusters, const void* host,
                                               const LaunchConfiguration* given) {
  return with_function(host, [&](Runtime& runtime, Function& function) {
    if (clusters == nullptr || given == nullptr) return Code::kInvalidValue;
    const std::uint64_t threads = std::uint64_t{given->block.x} * given->block.y * given->block.z;
    if (threads == 0 || threads > runtime.machine().max_threads_per_block) return Code::kInvalidValue;
    *clusters = 0;
    if (cluster_blocks(*given) > 1) return Code::kSuccess;
    *clusters =
        static_cast<int>(resident(runtime, function, static_cast<int>(threads), given->dynamic_shared_bytes) *
                         runtime.machine().multiprocessors);
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaOccupancyMaxPotentialClusterSize(int* blocks, const void* host,
                                                     const LaunchConfiguration*) {
  return with_function(host, [&](Runtime&, Function&) {
    if (blocks == nullptr) return Code::kInvalidValue;
    *blocks = 1;
    return Code::kSuccess;
  });
}
/// The most, by halving, with which as many blocks are resident.
HEDDLE_CUDA int cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* host, int blocks,
                                                          int threads) {
  return with_function(host, [&](Runtime& runtime, Function& function) {
    if (bytes == nullptr || threads <= 0 || blocks <= 0) return Code::kInvalidValue;
    std::size_t fits = 0, too_much = runtime.machine().shared_bytes_per_block + std::size_t{1};
    while (too_much - fits > 1) {
      const std::size_t middle = (fits + too_much) / 2;
      (resident(runtime, function, threads, middle) >= static_cast<unsigned>(blocks) ? fits : too_much) =
          middle;
    }
    *bytes = fits;
    return Code::kSuccess;
  });
}

// ---- Libraries that programs load themselves.

HEDDLE_CUDA int cudaLibraryLoadData(void** library, const void* code, void*, void**, unsigned, void*, void**,
                                    unsigned) {
  return call(
      [&](Runtime& runtime) { return runtime.modules.load_library(runtime, code, std::nullopt, library); });
}

namespace {

template <class Use>
int with_library(void* library, Use&& use) {
  return call([&](Runtime& runtime) {
    auto* const module = static_cast<Module*>(library);
    if (!runtime.modules.holds(module)) return Code::kInvalidResourceHandle;
    const Code code = runtime.modules.load(runtime, *module);
    return code == Code::kSuccess ? use(runtime, *module) : code;
  });
}

}  // namespace

HEDDLE_CUDA int cudaLibraryGetKernel(void** kernel, void* library, const char* name) {
  return with_library(library, [&](Runtime& runtime, Module& module) {
    if (kernel == nullptr || name == nullptr) return Code::kInvalidValue;
    Function* const function = runtime.modules.kernel_of(&module, name);
    const Code code = runtime.modules.find(runtime, *function);
    if (code == Code::kSuccess) *kernel = function;
    return code == Code::kInvalidDeviceFunction ? Code::kSymbolNotFound : code;
  });
}
HEDDLE_CUDA int cudaLibraryGetGlobal(void** address, std::size_t* bytes, void* library, const char* name) {
  return with_library(library, [&](Runtime& runtime, Module& module) {
    if (name == nullptr || (address == nullptr && bytes == nullptr)) return Code::kInvalidValue;
    std::uint64_t found = 0, size = 0;
    const Code code = runtime.modules.find(runtime, module, name, found, size);
    if (code != Code::kSuccess) return code == Code::kInvalidSymbol ? Code::kSymbolNotFound : code;
    if (address != nullptr) *address = reinterpret_cast<void*>(found);  // NOLINT(performance-no-int-to-ptr)
    if (bytes != nullptr) *bytes = size;
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaLibraryUnload(void* library) {
  return with_library(library, [](Runtime& runtime, Module& module) {
    Request request;
    request.operation = Operation::kUnload;
    request.arguments[0] = module.handle;
    const Code code = runtime.ask(request).reply.code;
    if (code == Code::kSuccess) runtime.modules.remove(runtime, &module);
    return code;
  });
}
