#include "runtime/session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <regex>
#include <span>
#include <utility>

#include "base/page_marks.h"
#include "frontend/sass/fat_binary.h"
#include "frontend/sass/module_image.h"
#include "host/limits.h"
#include "host/memory_map.h"
#include "runtime/session/images.h"

namespace heddle::runtime {
namespace {

static_assert(kWrittenPage == base::PageMarks::kPageBytes);

/// CUDA's code for what ended a launch.
Code code_of(const base::Error& error) {
  switch (error.code()) {
    case base::ExitCode::kKernelFault:
      if (error.message().find("misaligned") != std::string::npos) return Code::kMisalignedAddress;
      // As CUDA documents cudaErrorLaunchFailure, accesses out of the bounds of shared memory are of this kind.
      for (const char* const cause : {"trap", "brkpt", "shared offset", "of shared memory"})
        if (error.message().find(cause) != std::string::npos) return Code::kLaunchFailure;
      return Code::kIllegalAddress;
    case base::ExitCode::kAssertion:
      return Code::kAssert;
    case base::ExitCode::kHang:
    case base::ExitCode::kCycleLimit:
      return Code::kLaunchTimeout;
    default:
      return Code::kLaunchFailure;
  }
}

/// Errors after which the device runs nothing more, and which the program hears of.
bool is_failure_of_launch(const base::Error& error) {
  switch (error.code()) {
    case base::ExitCode::kKernelFault:
    case base::ExitCode::kAssertion:
    case base::ExitCode::kHang:
    case base::ExitCode::kCycleLimit:
    case base::ExitCode::kDeviceFailed:
    case base::ExitCode::kTwinMismatch:
      return true;
    default:
      return false;
  }
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class T>
void append(std::vector<std::byte>& data, const T& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  data.insert(data.end(), bytes.begin(), bytes.end());
}

const char* why(Code code) {
  switch (code) {
    case Code::kInvalidConfiguration:
      return "a dimension is 0, or more than the device allows";
    case Code::kInvalidValue:
      return "more shared memory than the device has";
    case Code::kCooperativeLaunchTooLarge:
      return "more blocks than are resident at once";
    default:
      return "more threads, registers or shared memory than the kernel's bounds or a multiprocessor allow";
  }
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// What a card does otherwise with an access out of bounds, and how to get it here; or nothing.
std::string advice_on(const base::Error& error, bool strict) {
  static const std::regex kBeside("(past the end|before the start) of 'allocation");
  // Where Linux places heaps, stacks and mappings: 47 bits, far above what a device gives.
  static const std::regex kOfHost("(0x[5-7][0-9a-f]{11})[: ].*no allocation near");
  if (error.code() != base::ExitCode::kKernelFault) return {};
  const std::string text = first_line(error.what());
  if (strict && std::regex_search(text, kBeside))
    return "  A card lets kernels reach a little beyond a buffer. So does runtime.tolerant_memory=true, the "
           "default.\n";
  std::smatch found;
  if (!std::regex_search(text, found, kOfHost)) return {};
  const std::uint64_t address = std::stoull(found[1], nullptr, 16);
  const bool local = address - isa::kLocalWindowBase < isa::kLocalWindowBytes;
  if (local || address - isa::kSharedWindowBase < isa::kSharedWindowBytes)
    return fmt::format(
        "  It is an address of {} memory. Instructions of global memory (as __ldcg and __stcs are) do not "
        "reach it.\n",
        local ? "local" : "shared");
  return "  It is an address of the host. Kernels reach memory of cudaMallocManaged, cudaMallocHost and "
         "cudaHostAlloc, and registered memory that is an argument or comes from "
         "cudaHostGetDevicePointer.\n";
}

}  // namespace

void Session::serve(host::Device& device) {
  device_ = &device;
  device.set_tolerance(settings_.tolerated_bytes);
  Request request;
  std::vector<std::byte> payload;
  while (channel_.receive(request, payload)) {
    Reply reply;
    data_.clear();
    try {
      handle(request, payload, reply);
    } catch (const base::InputError& error) {
      if (reply.code == Code::kSuccess) reply.code = Code::kInvalidValue;
      message_ += std::string("heddle: ") + error.what() + "\n";
    } catch (const base::Error& error) {
      if (!is_failure_of_launch(error)) throw;
      reply.code = code_of(error);
      reply.sticky = 1;
      message_ += fmt::format("heddle: {}\n{}", first_line(error.what()),
                              advice_on(error, settings_.tolerated_bytes == 0));
      if (!failed_) failed_ = error;
    } catch (const std::bad_alloc&) {
      reply.code = Code::kMemoryAllocation;
      message_ += "heddle: out of memory\n";
    }
    channel_.reply(reply, printed_, message_, data_);
    printed_.clear();
    message_.clear();
  }
  if (!failed_) (void)run_queue(0);  // the program has ended without waiting
  if (failed_) throw *failed_;
}

void Session::handle(const Request& request, std::span<const std::byte> payload, Reply& reply) {
  switch (request.operation) {
    case Operation::kHello:
      return hello(request);
    case Operation::kAllocate:
      return allocate(request, payload, reply);
    case Operation::kFree:
      reply.code = Code::kInvalidValue;
      device_->free(request.arguments[0]);
      reply.code = Code::kSuccess;
      return;
    case Operation::kWrite:
      return write_box(request);
    case Operation::kRead:
      return read_box(request);
    case Operation::kFill:
      return fill_box(request);
    case Operation::kCopy:
      return copy_box(request);
    case Operation::kLoad:
      return load(payload, reply);
    case Operation::kUnload: {
      const auto module = static_cast<host::ModuleHandle>(request.arguments[0]);
      device_->unload(module);
      nested_.remove(module);
      names_.unloaded(module);
      if (const auto ptx = ptx_.find(module); ptx != ptx_.end()) {
        if (ptx->second.module) {
          device_->unload(*ptx->second.module);
          nested_.remove(*ptx->second.module);
          names_.unloaded(*ptx->second.module);
        }
        ptx_.erase(ptx);
      }
      return;
    }
    case Operation::kKernel:
      return find_kernel(request, payload, reply);
    case Operation::kNames:
      return list_names(request);
    case Operation::kSymbol:
      return find_symbol(request, payload, reply);
    case Operation::kLaunch:
      return launch(request, payload, reply);
    case Operation::kQueue:
      return queue(request, payload, reply);
    case Operation::kFinish:
      return finish(request);
    case Operation::kLimits:
      reply.code = Code::kUnsupportedLimit;
      if (auto* const limited = dynamic_cast<host::Limited*>(device_)) {
        reply.code = Code::kInvalidValue;
        limited->set_limits({request.arguments[0], request.arguments[1]});
        reply.code = Code::kSuccess;
      }
      return;
    case Operation::kOccupancy:
      return occupancy(request, reply);
  }
}

void Session::hello(const Request& request) {
  if (request.arguments[0] != kProtocolVersion)
    throw base::InputError(
        "heddle cuda",
        fmt::format("the program's runtime speaks version {} of the protocol, this command {}",
                    request.arguments[0], kProtocolVersion),
        "Link and run the program with the runtime of the same Heddle.");
  const host::DeviceProperties device = properties();
  Machine machine;
  const std::string name = "Heddle " + device.name;
  std::strncpy(machine.name, name.c_str(), sizeof machine.name - 1);
  machine.compute_capability = settings_.compute_capability;
  machine.multiprocessors = device.multiprocessors;
  machine.warp_size = device.warp_size;
  machine.max_threads_per_block = device.max_threads_per_block;
  machine.max_threads_per_multiprocessor = device.max_threads_per_multiprocessor;
  machine.max_blocks_per_multiprocessor = device.max_blocks_per_multiprocessor;
  machine.registers_per_multiprocessor = device.registers_per_multiprocessor;
  machine.shared_bytes_per_block = device.shared_bytes_per_block;
  const auto put = [](std::uint32_t(&to)[3], const host::Dim3& from) {
    to[0] = from.x, to[1] = from.y, to[2] = from.z;
  };
  put(machine.max_grid, device.max_grid);
  put(machine.max_block, device.max_block);
  machine.memory_bus_bits = settings_.memory_bus_bits;
  machine.l2_bytes = device.l2_bytes;
  machine.memory_bytes = settings_.memory_bytes;
  machine.clock_mhz = device.clock_mhz;
  machine.memory_clock_mhz = settings_.memory_clock_mhz;
  machine.launch_ns = settings_.launch_ns;
  machine.copy_ns = settings_.copy_ns;
  machine.copy_gbytes_per_s = settings_.copy_gbytes_per_s;
  machine.heap_bytes = settings_.heap_bytes;
  machine.stack_bytes = settings_.stack_bytes;
  machine.array_blocks = settings_.array_blocks ? 1 : 0;
  machine.concurrent_streams = settings_.concurrent_streams ? 1 : 0;
  machine.textures = settings_.properties ? 1 : 0;  // a card has its own
  append(data_, machine);
}

void Session::allocate(const Request& request, std::span<const std::byte> payload, Reply& reply) {
  reply.code = Code::kMemoryAllocation;
  reply.values[0] = device_->allocate(request.arguments[0], text_of(payload));
  names_.allocated(reply.values[0], request.arguments[0]);
  reply.code = Code::kSuccess;
}

namespace {

Registered registered_of(std::span<const std::byte> payload, std::string& name) {
  std::uint64_t count = 0;
  std::memcpy(&count, payload.data(), sizeof count);
  std::vector<std::uint64_t> sizes(count);
  std::memcpy(sizes.data(), payload.data() + sizeof count, count * sizeof count);
  std::size_t at = (1 + count) * sizeof count;
  Registered registered;
  for (std::size_t i = 0; i < count; ++i) {
    const auto piece = payload.subspan(at, sizes[i]);
    Bytes bytes(piece.begin(), piece.end());
    if (i == 0)
      registered.binary = std::move(bytes);
    else
      registered.linked.push_back(std::move(bytes));
    at += sizes[i];
  }
  name = text_of(payload.subspan(at));
  return registered;
}

}  // namespace

void Session::load(std::span<const std::byte> payload, Reply& reply) {
  reply.code = Code::kNoKernelImage;
  std::string name;
  Registered registered = registered_of(payload, name);
  const Bytes module = module_of(registered, settings_.machine_code, settings_.compute_capability, name);
  reply.code = Code::kInvalidPtx;
  const bool machine_code = sass::is_machine_code(module);
  host::ModuleHandle handle = 0;
  try {
    handle = machine_code ? device_->load_module(module, name) : load_ptx(module, name);
    names_.loaded(handle);
  } catch (const base::InputError& why) {
    const auto ptx = machine_code && settings_.ptx_fallback && !settings_.control_codes
                         ? ptx_of(registered, settings_.compute_capability, name)
                         : std::nullopt;
    if (!ptx) throw;
    handle = load_ptx(*ptx, name);
    message_ +=
        fmt::format("heddle: {}: all kernels run from PTX, since the machine code cannot be used: {}\n", name,
                    first_line(why.what()));
    reply.values[0] = handle;
    reply.code = Code::kSuccess;
    return;
  }
  reply.values[0] = handle;
  if (machine_code && settings_.ptx_fallback) ptx_[handle] = {std::move(registered), name, std::nullopt};
  reply.code = Code::kSuccess;
}

bool Session::find_in_ptx(Kernel& kernel, const base::InputError& why) {
  const auto found = ptx_.find(kernel.module);
  if (found == ptx_.end()) return false;
  if (settings_.control_codes) {
    message_ += fmt::format(
        "heddle: kernel {} does not run from its PTX on a machine that issues by control codes; with "
        "core.scoreboard.kind=per_warp it does\n",
        kernel.name);
    return false;
  }
  Ptx& from = found->second;
  if (!from.module) {
    const auto text = ptx_of(from.registered, settings_.compute_capability, from.name);
    if (!text) return false;
    from.module = load_ptx(*text, from.name, kernel.module);
  }
  kernel.code = device_->kernel(*from.module, kernel.name);
  kernel.module = *from.module;
  message_ +=
      fmt::format("heddle: kernel {} runs from PTX, since its machine code is not executed here: {}\n",
                  kernel.name, first_line(why.what()));
  return true;
}

void Session::find_kernel(const Request& request, std::span<const std::byte> payload, Reply& reply) {
  const auto module = static_cast<host::ModuleHandle>(request.arguments[0]);
  Kernel kernel{module, text_of(payload), nullptr};
  reply.code = Code::kNotSupported;
  try {
    kernel.code = device_->kernel(module, kernel.name);
  } catch (const base::InputError& error) {
    const bool unknown = error.message().find("no kernel '") != std::string::npos;
    if (unknown) reply.code = Code::kInvalidDeviceFunction;
    if (unknown || !find_in_ptx(kernel, error)) {
      if (refused_.size() < kRefusedKept) refused_.push_back(first_line(error.what()));
      throw;
    }
  }
  reply.code = Code::kSuccess;
  KernelFacts facts;
  const host::DeviceProperties device = properties();
  facts.registers = std::max(kernel.code->registers_per_thread, kernel.code->allocated_registers);
  facts.static_shared_bytes = kernel.code->declared_shared_bytes();
  facts.local_bytes = kernel.code->local_bytes_per_thread;
  facts.max_threads = device.max_threads_per_block;
  if (kernel.code->max_threads_per_cta != 0)
    facts.max_threads = std::min(facts.max_threads, kernel.code->max_threads_per_cta);
  const auto fits = [&](std::uint32_t threads) {
    return resident_blocks(kernel, {{1, 1, 1}, {threads, 1, 1}, 0, false}) != 0;
  };
  while (facts.max_threads > device.warp_size && !fits(facts.max_threads))
    facts.max_threads -= device.warp_size;
  facts.parameters = static_cast<std::uint32_t>(kernel.code->params.size());
  facts.machine_code = kernel.code->is_machine_code() ? 1 : 0;
  facts.architecture = architectures_[kernel.module];
  append(data_, facts);
  for (const isa::Param& each : kernel.code->params) append(data_, Parameter{each.offset, each.bytes});
  reply.values[0] = kernels_.size();
  kernels_.push_back(std::move(kernel));
}

/// By the message that lists them: devices answer for single names.
void Session::list_names(const Request& request) {
  try {
    (void)device_->kernel(static_cast<host::ModuleHandle>(request.arguments[0]), "?");
  } catch (const base::InputError& error) {
    const std::string& text = error.remedy();
    const std::size_t from = text.find(": ");
    const auto bytes =
        std::as_bytes(std::span(text).subspan(from == std::string::npos ? text.size() : from + 2));
    data_.assign(bytes.begin(), bytes.end());
  }
}

void Session::find_symbol(const Request& request, std::span<const std::byte> payload, Reply& reply) {
  reply.code = Code::kInvalidSymbol;
  const auto module = static_cast<host::ModuleHandle>(request.arguments[0]);
  const std::string name = text_of(payload);
  reply.values[0] = device_->symbol(module, name);
  if (const auto* const map = dynamic_cast<const host::MemoryMap*>(device_))
    for (const host::ModuleSymbol& each : map->symbols(module))
      if (each.kind == host::ModuleSymbol::Kind::kVariable && each.name == name) reply.values[1] = each.bytes;
  reply.code = Code::kSuccess;
}

std::uint32_t Session::resident_blocks(const Kernel& kernel, const host::Launch& shape) {
  if (occupancy_) return occupancy_(kernel.module, kernel.name, shape);
  const host::DeviceProperties device = properties();
  const std::uint64_t warp = device.warp_size, threads = (shape.block.count() + warp - 1) / warp * warp;
  const std::uint64_t shared =
      std::uint64_t{kernel.code->declared_shared_bytes()} + shape.dynamic_shared_bytes;
  if (threads == 0 || threads > device.max_threads_per_block) return 0;
  std::uint64_t most =
      std::min<std::uint64_t>(device.max_blocks_per_multiprocessor,
                              std::max<std::uint64_t>(1, device.max_threads_per_multiprocessor / threads));
  if (shared != 0) most = std::min<std::uint64_t>(most, device.shared_bytes_per_block / shared);
  return static_cast<std::uint32_t>(most);
}

bool Session::fits(const Kernel& kernel, const host::Launch& shape, Reply& reply) {
  const host::DeviceProperties device = properties();
  const auto within = [](const host::Dim3& given, const host::Dim3& most) {
    return given.x != 0 && given.y != 0 && given.z != 0 && given.x <= most.x && given.y <= most.y &&
           given.z <= most.z;
  };
  reply.code = Code::kInvalidConfiguration;
  if (!within(shape.grid, device.max_grid) || !within(shape.block, device.max_block)) return false;
  if (shape.block.count() > device.max_threads_per_block) return false;
  const auto most = kernel.code->max_threads_per_cta;
  reply.code = Code::kInvalidValue;
  const std::uint64_t shared =
      std::uint64_t{kernel.code->declared_shared_bytes()} + shape.dynamic_shared_bytes;
  if (shared > device.shared_bytes_per_block) return false;
  reply.code = Code::kLaunchOutOfResources;
  if (most != 0 && shape.block.count() > most) return false;
  const std::uint64_t resident = resident_blocks(kernel, shape);
  if (resident == 0) return false;
  reply.code = Code::kCooperativeLaunchTooLarge;
  if (shape.cooperative && shape.grid.count() > resident * device.multiprocessors) return false;
  reply.code = Code::kSuccess;
  return true;
}

void Session::refuse_shape(const Kernel& kernel, const host::Launch& shape, Code code) {
  throw base::InputError(
      "launch of kernel " + kernel.name,
      fmt::format("grid {} x {} x {}, block {} x {} x {}, {} bytes of dynamic shared memory{}: {}",
                  shape.grid.x, shape.grid.y, shape.grid.z, shape.block.x, shape.block.y, shape.block.z,
                  shape.dynamic_shared_bytes, shape.cooperative ? ", cooperative" : "", why(code)),
      "Choose a shape that the device's properties allow, or another platform.");
}

void Session::launch(const Request& request, std::span<const std::byte> payload, Reply& reply) {
  const Kernel& kernel = kernels_.at(request.arguments[0]);
  const host::QueuedLaunch launch = launch_of(request, payload);
  const host::Launch& shape = launch.shape;
  if (!fits(kernel, shape, reply) && settings_.properties) refuse_shape(kernel, shape, reply.code);
  last_ns_ = 0;
  ++launches_;
  const bool with_pages = request.arguments[9] != 0;
  if (with_pages) (void)device_->take_written_pages();  // of earlier launches and copies
  try {
    device_->launch(kernel.module, kernel.name, shape, launch.args);
    nested_ns_ = last_ns_;
    launch_nested(kernel.module, 1);
  } catch (const base::InputError& error) {
    if (refused_.size() < kRefusedKept) refused_.push_back(first_line(error.what()));
    if (reply.code == Code::kSuccess) reply.code = Code::kLaunchOutOfResources;
    throw;
  }
  reply.code = Code::kSuccess;
  reply.values[0] = static_cast<std::uint64_t>(nested_ns_ + 0.5);
  if (!with_pages) return;
  if (const auto pages = device_->take_written_pages()) {
    reply.values[1] = 1;
    const auto bytes = std::as_bytes(std::span(*pages));
    data_.assign(bytes.begin(), bytes.end());
  }
}

void Session::occupancy(const Request& request, Reply& reply) {
  const Kernel& kernel = kernels_.at(request.arguments[0]);
  const auto threads = static_cast<std::uint32_t>(request.arguments[1]);
  const host::Launch shape{
      {1, 1, 1}, {threads, 1, 1}, static_cast<std::uint32_t>(request.arguments[2]), false};
  reply.values[0] = threads == 0 ? 0 : resident_blocks(kernel, shape);
}

}  // namespace heddle::runtime
