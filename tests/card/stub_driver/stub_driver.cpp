// A CUDA driver library for tests: HEDDLE_CUDA_LIBRARY names it. Its card is the scalar oracle, a process that it starts
// (stub_card.cpp, beside the library). What goes wrong is chosen by HEDDLE_STUB_DRIVER:
//   no_device     there is no card
//   old           PTX of any version is too new
//   refuses       the compiler refuses every module, with a log
//   small         1 MiB of memory
//   never_ends    no launch ends
//   fails=NUMBER  every launch ends with this error of the driver's
//   flips         the first byte that a launch changes in each buffer is wrong in one bit
// Errors of kernels become those of the driver. After one everything fails with it, as on a card.
#include <dlfcn.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/driver.h"
#include "protocol.h"

extern char** environ;

namespace {

using namespace heddle;
using cuda::Result;
using stub::Call;
using stub::Message;

std::string trouble() {
  const char* const text = std::getenv("HEDDLE_STUB_DRIVER");
  return text == nullptr ? "" : text;
}

/// The process that is the card, from the first context to the release of the last one.
class CardProcess {
 public:
  bool start() {
    if (socket_ >= 0) return true;
    Dl_info self{};
    if (::dladdr(reinterpret_cast<const void*>(&trouble), &self) == 0) return false;
    std::string path = self.dli_fname;
    path = path.substr(0, path.rfind('/') + 1) + "heddle_stub_card";
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    char* const arguments[] = {path.data(), nullptr};
    const bool started = ::posix_spawn(&process_, path.c_str(), &actions, nullptr, arguments, environ) == 0;
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    socket_ = ends[0];
    return started;
  }
  void stop() {
    if (socket_ < 0) return;
    ::close(socket_);
    socket_ = -1;
    ::waitpid(process_, nullptr, 0);
  }
  Message ask(Call call, std::vector<std::uint64_t> words = {}, std::vector<std::byte> bytes = {}) const {
    Message reply;
    const bool answered =
        stub::send(socket_, {static_cast<std::uint32_t>(call), std::move(words), std::move(bytes)}) &&
        stub::receive(socket_, reply);
    if (!answered) reply.code = static_cast<std::uint32_t>(Result::kLaunchFailed);
    return reply;
  }

 private:
  int socket_ = -1;
  pid_t process_ = -1;
};
CardProcess card_process;

Result result_of(const Message& reply) { return static_cast<Result>(reply.code); }
Result ask(Call call, std::vector<std::uint64_t> words = {}, std::vector<std::byte> bytes = {}) {
  return result_of(card_process.ask(call, std::move(words), std::move(bytes)));
}
/// With a word of the reply for each pointer.
Result ask_for(std::initializer_list<std::uint64_t*> answers, Call call, std::vector<std::uint64_t> words,
               std::vector<std::byte> bytes = {}) {
  const Message reply = card_process.ask(call, std::move(words), std::move(bytes));
  if (result_of(reply) != Result::kSuccess) return result_of(reply);
  std::size_t next = 0;
  for (std::uint64_t* const answer : answers) *answer = reply.words[next++];
  return Result::kSuccess;
}
std::vector<std::byte> bytes_of(std::string_view text) {
  const auto* const at = reinterpret_cast<const std::byte*>(text.data());
  return {at, at + text.size()};
}

struct StubFunction {
  std::uint64_t module = 0;
  std::string name;
  std::uint64_t shared_bytes = 0;
  std::vector<std::uint64_t> parameters;  ///< bytes of each
};
/// They live as long as the library: a handle may be used after its module.
StubFunction* new_function(StubFunction function) {
  static std::vector<std::unique_ptr<StubFunction>> all;
  return all.emplace_back(std::make_unique<StubFunction>(std::move(function))).get();
}
std::uint64_t module_number(cuda::Module* module) { return reinterpret_cast<std::uint64_t>(module) - 1; }

Result launch(cuda::Function* function, const std::vector<std::uint64_t>& shape, void** parameters) {
  if (trouble() == "never_ends") return Result::kSuccess;
  const StubFunction& of = *reinterpret_cast<StubFunction*>(function);
  std::vector<std::uint64_t> words{of.module};
  words.insert(words.end(), shape.begin(), shape.end());
  words.push_back(of.name.size());
  std::vector<std::byte> bytes = bytes_of(of.name);
  for (std::size_t i = 0; i < of.parameters.size(); ++i) {
    const auto* const value = static_cast<const std::byte*>(parameters[i]);
    bytes.insert(bytes.end(), value, value + of.parameters[i]);
  }
  return ask(Call::kLaunch, std::move(words), std::move(bytes));
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
  const auto* const found = std::find_if(std::begin(kErrors), std::end(kErrors),
                                         [&](const ErrorText& each) { return each.result == result; });
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

extern "C" {

Result cuInit(unsigned) { return trouble() == "no_device" ? Result::kNoDevice : Result::kSuccess; }
Result cuDriverGetVersion(int* version) {
  *version = 13000;
  return Result::kSuccess;
}
Result cuDeviceGet(int* device, int) {
  *device = 0;
  return Result::kSuccess;
}
Result cuDeviceGetName(char* name, int bytes, int) {
  const std::string_view text = "Stub card";
  std::memcpy(name, text.data(), std::min(static_cast<std::size_t>(bytes), text.size()));
  return Result::kSuccess;
}
Result cuDeviceGetAttribute(int* value, cuda::DeviceAttribute which, int) {
  *value = attribute(which);
  return Result::kSuccess;
}
Result cuDevicePrimaryCtxRetain(cuda::Context** context, int) {
  *context = reinterpret_cast<cuda::Context*>(&card_process);
  return card_process.start() ? Result::kSuccess : Result::kNoDevice;
}
Result cuDevicePrimaryCtxRelease_v2(int) {
  card_process.stop();
  return Result::kSuccess;
}
Result cuCtxSetCurrent(cuda::Context*) { return Result::kSuccess; }
Result cuCtxSetLimit(cuda::Limit limit, std::size_t value) {
  return limit == cuda::Limit::kHeapBytes ? ask(Call::kHeapBytes, {value}) : Result::kSuccess;
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
  return ask_for({free, all}, Call::kMemory, {});
}
Result cuMemAlloc_v2(cuda::Address* address, std::size_t bytes) {
  return ask_for({address}, Call::kAllocate, {bytes});
}
Result cuMemFree_v2(cuda::Address address) { return ask(Call::kFree, {address}); }
Result cuMemcpyHtoD_v2(cuda::Address to, const void* from, std::size_t bytes) {
  return ask(Call::kWrite, {to}, bytes_of({static_cast<const char*>(from), bytes}));
}
Result cuMemcpyDtoH_v2(void* to, cuda::Address from, std::size_t bytes) {
  const Message reply = card_process.ask(Call::kRead, {from, bytes});
  if (result_of(reply) == Result::kSuccess) std::memcpy(to, reply.bytes.data(), bytes);
  return result_of(reply);
}
Result cuMemsetD8_v2(cuda::Address address, unsigned char value, std::size_t bytes) {
  return ask(Call::kWrite, {address}, std::vector<std::byte>(bytes, std::byte{value}));
}

Result cuModuleLoadDataEx(cuda::Module** module, const void* image, unsigned count, cuda::JitOption* option,
                          void** values) {
  if (trouble() == "old") return Result::kUnsupportedPtxVersion;
  if (trouble() == "refuses") {
    for (unsigned i = 0; i < count; ++i)
      if (option[i] == cuda::JitOption::kErrorLog)
        std::strcpy(
            static_cast<char*>(values[i]),
            "ptxas application ptx input, line 5; error   : Feature 'x' requires .target sm_200 or higher\n"
            "ptxas fatal   : Ptx assembly aborted due to errors\n");
    return Result::kInvalidPtx;
  }
  std::uint64_t number = 0;
  const Result result = ask_for({&number}, Call::kLoad, {}, bytes_of(static_cast<const char*>(image)));
  *module = reinterpret_cast<cuda::Module*>(number + 1);
  return result;
}
Result cuModuleUnload(cuda::Module* module) { return ask(Call::kUnload, {module_number(module)}); }
Result cuModuleGetFunction(cuda::Function** function, cuda::Module* module, const char* name) {
  const Message reply = card_process.ask(Call::kFunction, {module_number(module)}, bytes_of(name));
  if (result_of(reply) != Result::kSuccess) return result_of(reply);
  *function = reinterpret_cast<cuda::Function*>(new_function(
      {module_number(module), name, reply.words[0], {reply.words.begin() + 1, reply.words.end()}}));
  return Result::kSuccess;
}
Result cuModuleGetGlobal_v2(cuda::Address* address, std::size_t* bytes, cuda::Module* module,
                            const char* name) {
  return ask_for({address, bytes}, Call::kGlobal, {module_number(module)}, bytes_of(name));
}
Result cuFuncGetAttribute(int* value, cuda::FunctionAttribute which, cuda::Function* function) {
  constexpr int kRegisters = 32;
  const bool shared = which == cuda::FunctionAttribute::kSharedBytes;
  *value = shared ? static_cast<int>(reinterpret_cast<StubFunction*>(function)->shared_bytes) : kRegisters;
  return Result::kSuccess;
}
Result cuFuncSetAttribute(cuda::Function*, cuda::FunctionAttribute, int) { return Result::kSuccess; }
Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, cuda::Function*, int threads, std::size_t) {
  *blocks = std::min(16, 2048 / threads);
  return Result::kSuccess;
}

Result cuLaunchKernel(cuda::Function* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                      unsigned by, unsigned bz, unsigned shared, cuda::Stream*, void** parameters, void**) {
  return launch(function, {gx, gy, gz, bx, by, bz, shared, 0}, parameters);
}
Result cuLaunchCooperativeKernel(cuda::Function* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                 unsigned by, unsigned bz, unsigned shared, cuda::Stream*,
                                 void** parameters) {
  return launch(function, {gx, gy, gz, bx, by, bz, shared, 1}, parameters);
}
Result cuEventCreate(cuda::Event** event, unsigned) {
  *event = reinterpret_cast<cuda::Event*>(&card_process);
  return Result::kSuccess;
}
Result cuEventDestroy_v2(cuda::Event*) { return Result::kSuccess; }
Result cuEventRecord(cuda::Event*, cuda::Stream*) { return Result::kSuccess; }
Result cuEventQuery(cuda::Event*) {
  return trouble() == "never_ends" ? Result::kNotReady : ask(Call::kResult);
}
Result cuEventElapsedTime(float* milliseconds, cuda::Event*, cuda::Event*) {
  *milliseconds = 0.0125F;
  return Result::kSuccess;
}

}  // extern "C"
