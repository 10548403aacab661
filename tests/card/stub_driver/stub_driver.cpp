// A CUDA driver library for tests: its card is the scalar oracle. HEDDLE_CUDA_LIBRARY names it. What goes wrong is chosen by
// HEDDLE_STUB_DRIVER:
//   no_device     there is no card
//   old           PTX of any version is too new
//   refuses       the compiler refuses every module, with a log
//   small         1 MiB of memory
//   never_ends    no launch ends
//   fails=NUMBER  every launch ends with this error of the driver's
//   flips         the first byte that a launch changes in each buffer is wrong in one bit
// Errors of kernels become those of the driver. After one everything fails with it, as on a card.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cuda/driver.h"
#include "oracle/oracle.h"

namespace {

using namespace heddle;
using cuda::Result;

std::string trouble() {
  const char* const text = std::getenv("HEDDLE_STUB_DRIVER");
  return text == nullptr ? "" : text;
}

struct StubFunction {
  host::ModuleHandle module = 0;
  std::string name;
};
struct StubModule {
  host::ModuleHandle handle = 0;
  std::map<std::string, std::unique_ptr<StubFunction>> functions;
};

/// The card.
struct Card {
  std::unique_ptr<oracle::OracleDevice> device;
  oracle::Options options;
  std::map<std::uint64_t, std::size_t> buffers;
  std::vector<std::unique_ptr<StubModule>> modules;
  Result dead = Result::kSuccess;  ///< what a launch has ended with
  std::size_t used = 0;

  oracle::OracleDevice& oracle() {
    if (!device) device = std::make_unique<oracle::OracleDevice>(options);
    return *device;
  }
};
Card& card() {
  static Card one;
  return one;
}

constexpr std::size_t kSmall = std::size_t{1} << 20, kLarge = std::size_t{1} << 36;
std::size_t all_memory() { return trouble() == "small" ? kSmall : kLarge; }

bool says(const std::exception& error, std::string_view what) {
  return std::string_view(error.what()).find(what) != std::string_view::npos;
}

Result result_of(const base::Error& error) {
  switch (error.code()) {
    case base::ExitCode::kAssertion:
      return Result::kAssert;
    case base::ExitCode::kBadInput:
      return Result::kInvalidValue;
    case base::ExitCode::kHang:
      return Result::kLaunchTimeout;
    default:
      if (says(error, "aligned")) return Result::kMisalignedAddress;
      if (says(error, "trap")) return Result::kLaunchFailed;
      return Result::kIllegalAddress;
  }
}

/// Runs `body`; what the oracle refuses is `refused`.
template <class Body>
Result attempt(const Body& body, Result refused = Result::kInvalidValue) {
  if (card().dead != Result::kSuccess) return card().dead;
  try {
    body();
    return Result::kSuccess;
  } catch (const std::exception&) {
    return refused;
  }
}

using Bytes = std::vector<std::byte>;

std::map<std::uint64_t, Bytes> contents() {
  std::map<std::uint64_t, Bytes> all;
  for (const auto& [address, bytes] : card().buffers) all[address] = card().oracle().download<std::byte>(address, bytes);
  return all;
}

void flip(const std::map<std::uint64_t, Bytes>& before) {
  for (const auto& [address, old] : before) {
    Bytes now = card().oracle().download<std::byte>(address, old.size());
    const auto changed = std::mismatch(now.begin(), now.end(), old.begin()).first;
    if (changed == now.end()) continue;
    *changed ^= std::byte{1};
    card().oracle().write(address, now);
  }
}

Result launch(StubFunction* function, const host::Launch& shape, void** parameters) {
  if (card().dead != Result::kSuccess) return card().dead;
  const std::string wrong = trouble();
  if (wrong == "never_ends") return Result::kSuccess;
  constexpr std::string_view kFails = "fails=";
  if (wrong.starts_with(kFails)) {
    card().dead = static_cast<Result>(std::atoi(wrong.c_str() + kFails.size()));
    return Result::kSuccess;
  }
  try {
    host::Args args;
    std::size_t next = 0;
    for (const isa::Param& param : card().oracle().kernel(function->module, function->name)->params) {
      const auto* const bytes = static_cast<const std::byte*>(parameters[next++]);
      args.add_bytes({bytes, bytes + param.bytes});
    }
    const auto before = wrong == "flips" ? contents() : std::map<std::uint64_t, Bytes>{};
    card().oracle().launch(function->module, function->name, shape, args);
    flip(before);
  } catch (const base::Error& error) {
    card().dead = result_of(error);
    return card().dead == Result::kInvalidValue ? card().dead : Result::kSuccess;  // others show when it is waited for
  }
  return Result::kSuccess;
}

struct ErrorText {
  Result result;
  const char* name;
  const char* text;
};
constexpr ErrorText kErrors[] = {
    {Result::kSuccess, "CUDA_SUCCESS", "no error"},
    {Result::kInvalidValue, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {Result::kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {Result::kNoDevice, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {Result::kInvalidPtx, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {Result::kUnsupportedPtxVersion, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
     "the provided PTX was compiled with an unsupported toolchain."},
    {Result::kNotFound, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {Result::kIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {Result::kLaunchTimeout, "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated"},
    {Result::kAssert, "CUDA_ERROR_ASSERT", "device-side assert triggered"},
    {Result::kMisalignedAddress, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {Result::kLaunchFailed, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
};
const ErrorText* find(Result result) {
  const auto* const found =
      std::find_if(std::begin(kErrors), std::end(kErrors), [&](const ErrorText& each) { return each.result == result; });
  return found == std::end(kErrors) ? nullptr : found;
}

int attribute(cuda::DeviceAttribute which) {
  using Is = cuda::DeviceAttribute;
  switch (which) {
    case Is::kMaxThreadsPerBlock:
    case Is::kMaxBlockX:
    case Is::kMaxBlockY:
      return 1024;
    case Is::kMaxBlockZ:
      return 64;
    case Is::kMaxGridX:
      return 0x7fff'ffff;
    case Is::kMaxGridY:
    case Is::kMaxGridZ:
      return 65535;
    case Is::kWarpSize:
      return 32;
    case Is::kClockKilohertz:
      return 1'000'000;
    case Is::kMultiprocessors:
      return 2;
    case Is::kL2Bytes:
      return 1 << 20;
    case Is::kMaxThreadsPerMultiprocessor:
      return 2048;
    case Is::kComputeCapabilityMajor:
      return 9;
    case Is::kComputeCapabilityMinor:
      return 0;
    case Is::kRegistersPerMultiprocessor:
    case Is::kMaxSharedBytesPerBlockOptIn:
      return 65536;
    case Is::kCooperativeLaunch:
      return 1;
    case Is::kMaxBlocksPerMultiprocessor:
      return 16;
  }
  return 0;
}

}  // namespace

#pragma GCC diagnostic ignored "-Wmissing-declarations"
extern "C" {

Result cuInit(unsigned) { return trouble() == "no_device" ? Result::kNoDevice : Result::kSuccess; }
Result cuDriverGetVersion(int* version) { return *version = 13000, Result::kSuccess; }
Result cuDeviceGet(int* device, int) { return *device = 0, Result::kSuccess; }
Result cuDeviceGetName(char* name, int bytes, int) {
  std::strncpy(name, "Stub card", static_cast<std::size_t>(bytes));
  return Result::kSuccess;
}
Result cuDeviceGetAttribute(int* value, cuda::DeviceAttribute which, int) { return *value = attribute(which), Result::kSuccess; }
Result cuDevicePrimaryCtxRetain(cuda::Context** context, int) {
  *context = reinterpret_cast<cuda::Context*>(&card());
  return Result::kSuccess;
}
Result cuDevicePrimaryCtxRelease_v2(int) { return card() = Card{}, Result::kSuccess; }
Result cuCtxSetCurrent(cuda::Context*) { return Result::kSuccess; }
Result cuCtxSetLimit(cuda::Limit limit, std::size_t value) {
  if (limit == cuda::Limit::kHeapBytes) card().options.heap_bytes = value;
  return Result::kSuccess;
}
Result cuGetErrorName(Result result, const char** text) {
  const ErrorText* const found = find(result);
  *text = found == nullptr ? nullptr : found->name;
  return found == nullptr ? Result::kInvalidValue : Result::kSuccess;
}
Result cuGetErrorString(Result result, const char** text) {
  const ErrorText* const found = find(result);
  *text = found == nullptr ? nullptr : found->text;
  return found == nullptr ? Result::kInvalidValue : Result::kSuccess;
}

Result cuMemGetInfo_v2(std::size_t* free, std::size_t* all) {
  *all = all_memory();
  *free = *all - card().used;
  return Result::kSuccess;
}
Result cuMemAlloc_v2(cuda::Address* address, std::size_t bytes) {
  if (bytes > all_memory() - card().used) return Result::kOutOfMemory;
  return attempt([&] {
    *address = card().oracle().allocate(bytes, "buffer");
    card().buffers[*address] = bytes;
    card().used += bytes;
  });
}
Result cuMemFree_v2(cuda::Address address) {
  return attempt([&] {
    card().oracle().free(address);
    card().used -= card().buffers[address];
    card().buffers.erase(address);
  });
}
Result cuMemcpyHtoD_v2(cuda::Address to, const void* from, std::size_t bytes) {
  return attempt([&] { card().oracle().write(to, {static_cast<const std::byte*>(from), bytes}); });
}
Result cuMemcpyDtoH_v2(void* to, cuda::Address from, std::size_t bytes) {
  return attempt([&] { card().oracle().read(from, {static_cast<std::byte*>(to), bytes}); });
}
Result cuMemsetD8_v2(cuda::Address address, unsigned char value, std::size_t bytes) {
  return attempt([&] { card().oracle().write(address, Bytes(bytes, std::byte{value})); });
}

Result cuModuleLoadDataEx(cuda::Module** module, const void* image, unsigned count, cuda::JitOption* option, void** values) {
  const auto log = [&](const char* text) {
    for (unsigned i = 0; i < count; ++i)
      if (option[i] == cuda::JitOption::kErrorLog) std::strcpy(static_cast<char*>(values[i]), text);
  };
  if (trouble() == "old") return Result::kUnsupportedPtxVersion;
  if (trouble() == "refuses") {
    log("ptxas application ptx input, line 5; error   : Feature 'x' requires .target sm_200 or higher\n"
        "ptxas fatal   : Ptx assembly aborted due to errors\n");
    return Result::kInvalidPtx;
  }
  return attempt(
      [&] {
        auto loaded = std::make_unique<StubModule>();
        loaded->handle = card().oracle().load_ptx_text(static_cast<const char*>(image), "module");
        *module = reinterpret_cast<cuda::Module*>(card().modules.emplace_back(std::move(loaded)).get());
      },
      Result::kInvalidPtx);
}
Result cuModuleUnload(cuda::Module* module) {
  return attempt([&] { card().oracle().unload(reinterpret_cast<StubModule*>(module)->handle); });
}
Result cuModuleGetFunction(cuda::Function** function, cuda::Module* module, const char* name) {
  return attempt(
      [&] {
        auto& in = *reinterpret_cast<StubModule*>(module);
        (void)card().oracle().kernel(in.handle, name);
        auto& found = in.functions[name];
        if (!found) found = std::make_unique<StubFunction>(StubFunction{in.handle, name});
        *function = reinterpret_cast<cuda::Function*>(found.get());
      },
      Result::kNotFound);
}
Result cuModuleGetGlobal_v2(cuda::Address* address, std::size_t* bytes, cuda::Module* module, const char* name) {
  const auto handle = reinterpret_cast<StubModule*>(module)->handle;
  for (const host::ModuleSymbol& symbol : card().oracle().symbols(handle))
    if (symbol.name == name && symbol.kind == host::ModuleSymbol::Kind::kVariable) {
      *address = symbol.address;
      *bytes = symbol.bytes;
      return Result::kSuccess;
    }
  return Result::kNotFound;
}
Result cuFuncGetAttribute(int* value, cuda::FunctionAttribute which, cuda::Function* function) {
  const auto& of = *reinterpret_cast<StubFunction*>(function);
  const bool shared = which == cuda::FunctionAttribute::kSharedBytes;
  return attempt([&] {
    *value = shared ? static_cast<int>(card().oracle().kernel(of.module, of.name)->static_shared_bytes) : 32;
  });
}
Result cuFuncSetAttribute(cuda::Function*, cuda::FunctionAttribute, int) { return card().dead; }
Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, cuda::Function*, int threads, std::size_t) {
  *blocks = std::min(16, 2048 / threads);
  return card().dead;
}

Result cuLaunchKernel(cuda::Function* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                      unsigned shared, cuda::Stream*, void** parameters, void**) {
  return launch(reinterpret_cast<StubFunction*>(function), {{gx, gy, gz}, {bx, by, bz}, shared, false}, parameters);
}
Result cuLaunchCooperativeKernel(cuda::Function* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                 unsigned bz, unsigned shared, cuda::Stream*, void** parameters) {
  return launch(reinterpret_cast<StubFunction*>(function), {{gx, gy, gz}, {bx, by, bz}, shared, true}, parameters);
}
Result cuEventCreate(cuda::Event** event, unsigned) {
  *event = reinterpret_cast<cuda::Event*>(&card());
  return card().dead;
}
Result cuEventDestroy_v2(cuda::Event*) { return card().dead; }
Result cuEventRecord(cuda::Event*, cuda::Stream*) { return Result::kSuccess; }
Result cuEventQuery(cuda::Event*) { return trouble() == "never_ends" ? Result::kNotReady : card().dead; }
Result cuEventElapsedTime(float* milliseconds, cuda::Event*, cuda::Event*) {
  *milliseconds = 0.0125F;
  return card().dead;
}

}  // extern "C"
