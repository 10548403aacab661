#include "cuda/cuda_device.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"

namespace heddle::cuda {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kMicrosecondsPerMillisecond = 1e3;
constexpr std::uint32_t kUsualSharedBytes = 48 * 1024;  ///< more takes an attribute of the function
constexpr const char* kWhoKnowsMore =
    "The GPU model and the oracle name the thread, the instruction and the address: run the same there.";

/// An event of the driver's, of a context that is alive when this ends.
class TimedEvent {
 public:
  TimedEvent(const Driver& driver, const std::function<void(Result)>& check) : driver_(driver) {
    check(driver.create_event(&event_, 0));
  }
  ~TimedEvent() {
    if (!left_) (void)driver_.destroy_event(event_);
  }
  TimedEvent(const TimedEvent&) = delete;
  TimedEvent& operator=(const TimedEvent&) = delete;
  /// Calls of the driver would wait for a kernel that does not end.
  void leave() { left_ = true; }
  [[nodiscard]] Event* get() const { return event_; }

 private:
  const Driver& driver_;
  Event* event_ = nullptr;
  bool left_ = false;
};

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

std::string place_of(const std::string& kernel) { return "launch of kernel " + kernel; }

}  // namespace

CudaDevice::CudaDevice(Options options) : options_(std::move(options)) {
  const auto need = [&](Result result, const char* what) {
    if (result == Result::kNoDevice)
      throw base::InputError("CUDA driver", "there is no card: " + driver_.text(result),
                             "nvidia-smi lists cards; CUDA_VISIBLE_DEVICES may hide them.");
    if (result != Result::kSuccess)
      throw base::InputError("CUDA driver", fmt::format("{}: {}", what, driver_.text(result)),
                             "nvidia-smi shows whether the card is in order.");
  };
  need(driver_.init(0), "it does not start");
  need(driver_.device_get(&device_, 0), "no first card");
  need(driver_.retain_context(&context_, device_), "no context on the card");
  need(driver_.set_context(context_), "no context on the card");
  need(driver_.set_limit(Limit::kStackBytes, options_.stack_bytes), "the threads' stacks");
  need(driver_.set_limit(Limit::kHeapBytes, options_.heap_bytes), "the heap of kernels");
  modules_ = std::make_unique<LoadedModules>(driver_, allocations_);
}

void CudaDevice::set_limits(const host::Limits& limits) {
  use_context();
  const auto set = [&](Limit limit, std::uint64_t& now, std::uint64_t bytes) {
    if (bytes == now) return;  // the driver refuses even the same heap once a kernel has used it
    if (const Result result = driver_.set_limit(limit, bytes); result != Result::kSuccess)
      throw base::InputError("CUDA driver", fmt::format("limit of {} bytes: {}", bytes, driver_.text(result)),
                             "Set the heap before the first launch of a kernel that calls malloc.");
    now = bytes;
  };
  set(Limit::kStackBytes, options_.stack_bytes, limits.stack_bytes);
  set(Limit::kHeapBytes, options_.heap_bytes, limits.heap_bytes);
}

CudaDevice::~CudaDevice() {
  if (!runs_on_) (void)driver_.release_context(device_);  // with all that is in it
}

/// Calls of the driver need it: each thread has a current context of its own.
void CudaDevice::use_context() {
  if (!runs_on_) (void)driver_.set_context(context_);
}

void CudaDevice::check(Result result, const std::string& what) const {
  if (result == Result::kSuccess) return;
  throw base::Error(base::ExitCode::kDeviceFailed, "CUDA driver",
                    fmt::format("{}: {}", what, driver_.text(result)));
}

void CudaDevice::check_alive(const char* what) const {
  if (!dead_) return;
  try {
    failed_.check();
  } catch (const base::Error& error) {
    throw base::Error(error.code(), what, "the card has lost its memory: " + std::string(error.message()),
                      "Take a new process for the next launch.");
  }
}

int CudaDevice::attribute(DeviceAttribute which) const {
  int value = 0;
  check(driver_.device_attribute(&value, which, device_), "attribute of the card");
  return value;
}

std::uint64_t CudaDevice::allocate(std::uint64_t bytes, const std::string& name) {
  const auto call = guard_.enter("allocate");
  use_context();
  check_alive("allocate");
  const std::string place = "allocation of '" + name + "'";
  if (bytes == 0) throw base::InputError(place, "a device buffer of 0 bytes", "Ask for at least one byte.");
  Address address = 0;
  const Result result = driver_.allocate(&address, bytes);
  if (result == Result::kOutOfMemory) {
    std::size_t free = 0, all = 0;
    (void)driver_.memory_info(&free, &all);
    throw base::InputError(place,
                           fmt::format("{} bytes do not fit: {} of the card's {} are free", bytes, free, all),
                           "Free buffers that are no longer used, or use a smaller problem.");
  }
  check(result, place);
  check(driver_.fill(address, 0, bytes), place);
  allocations_.note(address, bytes, name);
  return address;
}

void CudaDevice::free(std::uint64_t address) {
  const auto call = guard_.enter("free");
  use_context();
  modules_->refuse_to_free(address);
  allocations_.free(address);
  if (!dead_) check(driver_.free(address), "free");
}

void CudaDevice::check_host_access(std::uint64_t address, std::uint64_t bytes, const char* what) const {
  if (bytes != 0 && !allocations_.allows(host::Access::kHost, address, bytes))
    throw base::InputError("", fmt::format("host {} of {} bytes at 0x{:x}: {}", what, bytes, address,
                                           allocations_.describe_refused(address)));
}

void CudaDevice::write(std::uint64_t address, std::span<const std::byte> bytes) {
  const auto call = guard_.enter("write");
  use_context();
  check_alive("write");
  check_host_access(address, bytes.size(), "write");
  if (!bytes.empty()) check(driver_.copy_in(address, bytes.data(), bytes.size()), "write");
}

void CudaDevice::read(std::uint64_t address, std::span<std::byte> bytes) {
  const auto call = guard_.enter("read");
  use_context();
  check_alive("read");
  check_host_access(address, bytes.size(), "read");
  if (!bytes.empty()) check(driver_.copy_out(bytes.data(), address, bytes.size()), "read");
}

host::ModuleHandle CudaDevice::load_module(std::span<const std::byte> bytes, const std::string& name) {
  const auto call = guard_.enter("load");
  use_context();
  check_alive("load");
  return modules_->load(bytes, name);
}

void CudaDevice::unload(host::ModuleHandle module) {
  const auto call = guard_.enter("unload");
  use_context();
  check_alive("unload");
  modules_->unload(module);
}

std::shared_ptr<const isa::Kernel> CudaDevice::kernel(host::ModuleHandle module, const std::string& name) {
  const auto call = guard_.enter("kernel");
  return modules_->kernel(module, name).facts;
}

std::uint64_t CudaDevice::symbol(host::ModuleHandle module, const std::string& name) {
  const auto call = guard_.enter("symbol");
  return modules_->symbol(module, name);
}

std::vector<host::ModuleSymbol> CudaDevice::symbols(host::ModuleHandle module) const {
  const auto call = guard_.look("symbols");
  return modules_->symbols(module);
}

/// What only the card knows of the launch.
void CudaDevice::prepare(Function* function, const isa::Kernel& kernel, const host::Launch& shape) const {
  const std::string place = place_of(kernel.name);
  if (shape.dynamic_shared_bytes + kernel.declared_shared_bytes() > kUsualSharedBytes)
    check(driver_.set_function_attribute(function, FunctionAttribute::kMaxDynamicSharedBytes,
                                         static_cast<int>(shape.dynamic_shared_bytes)),
          place);
  if (shape.part != 0)
    throw base::InputError(place, "a card runs the whole grid", "Take the GPU model or the oracle.");
  if (!shape.cooperative) return;
  if (attribute(DeviceAttribute::kCooperativeLaunch) == 0)
    throw base::InputError(place, "the card has no cooperative launches",
                           "Take the GPU model or the oracle.");
  int blocks = 0;
  check(driver_.resident_blocks(&blocks, function, static_cast<int>(shape.block.count()),
                                shape.dynamic_shared_bytes),
        place);
  const auto multiprocessors = static_cast<std::uint64_t>(attribute(DeviceAttribute::kMultiprocessors));
  const std::uint64_t most = static_cast<std::uint64_t>(blocks) * multiprocessors;
  if (shape.grid.count() > most)
    throw base::InputError(place,
                           fmt::format("a cooperative grid of {} CTAs; at most {} are resident at once ({} "
                                       "on each of {} multiprocessors)",
                                       shape.grid.count(), most, blocks, multiprocessors),
                           fmt::format("launch at most {} CTAs, or smaller ones", most));
}

void CudaDevice::start(Function* function, const isa::Kernel& kernel, const host::Launch& shape,
                       const host::Args& args) {
  std::vector<void*> parameters;
  for (const std::vector<std::byte>& value : args.values())
    parameters.push_back(const_cast<std::byte*>(value.data()));  // the driver only reads them
  const auto& [x, y, z] = shape.grid;
  const host::Dim3& block = shape.block;
  const std::uint32_t shared = shape.dynamic_shared_bytes;
  const Result result = shape.cooperative
                            ? driver_.launch_cooperative(function, x, y, z, block.x, block.y, block.z, shared,
                                                         nullptr, parameters.data())
                            : driver_.launch(function, x, y, z, block.x, block.y, block.z, shared, nullptr,
                                             parameters.data(), nullptr);
  if (result == Result::kLaunchOutOfResources || result == Result::kInvalidValue ||
      result == Result::kCooperativeLaunchTooLarge)
    throw base::InputError(
        place_of(kernel.name),
        fmt::format("{}: {} registers and {} bytes of shared memory a thread and a CTA, {} threads",
                    driver_.text(result), kernel.registers_per_thread,
                    kernel.declared_shared_bytes() + shared, block.count()),
        "Launch smaller CTAs.");
  if (result != Result::kSuccess) fail(result, kernel.name);
}

void CudaDevice::fail(Result result, const std::string& kernel) const {
  const std::string place = place_of(kernel), text = driver_.text(result);
  switch (result) {
    case Result::kAssert:
      throw base::AssertionFailed(place, text, "The driver has printed which assertion of which thread.");
    case Result::kIllegalAddress:
    case Result::kHardwareStackError:
    case Result::kIllegalInstruction:
    case Result::kMisalignedAddress:
    case Result::kInvalidAddressSpace:
    case Result::kInvalidPc:
    case Result::kLaunchFailed:
      throw base::KernelFault(place, text, kWhoKnowsMore);
    case Result::kLaunchTimeout:
      throw base::Error(base::ExitCode::kHang, place, text,
                        "The system limits the time of kernels on cards that drive a display.");
    default:
      throw base::Error(base::ExitCode::kDeviceFailed, place, text);
  }
}

void CudaDevice::wait(Event* end, const std::string& kernel) {
  // Short launches are waited for without a pause; others are asked for less and less often.
  constexpr auto kBusy = std::chrono::microseconds(200), kLongestPause = std::chrono::microseconds(2000);
  auto pause = std::chrono::microseconds(20);
  const auto began = Clock::now();
  for (;;) {
    const Result result = driver_.query_event(end);
    if (result == Result::kSuccess) return;
    if (result != Result::kNotReady) fail(result, kernel);
    const auto waited = Clock::now() - began;
    if (waited < kBusy) continue;
    try {
      if (options_.on_wait) options_.on_wait();
      if (options_.max_seconds > 0 && std::chrono::duration<double>(waited).count() > options_.max_seconds)
        throw base::Error(base::ExitCode::kCycleLimit, place_of(kernel),
                          fmt::format("has not ended in {} seconds", options_.max_seconds),
                          "The GPU model says whether a kernel hangs, and why.");
    } catch (...) {
      runs_on_ = true;
      throw;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, kLongestPause);
  }
}

void CudaDevice::launch(host::ModuleHandle handle, const std::string& name, const host::Launch& shape,
                        const host::Args& args) {
  const auto call = guard_.enter("launch");
  use_context();
  failed_.check();
  const LoadedModules::Kernel& kernel = modules_->kernel(handle, name);
  host::check_launch(*kernel.facts, shape,
                     static_cast<std::uint32_t>(attribute(DeviceAttribute::kMaxThreadsPerBlock)),
                     static_cast<std::uint32_t>(attribute(DeviceAttribute::kMaxSharedBytesPerBlockOptIn)));
  (void)args.pack(*kernel.facts);  // checks them
  prepare(kernel.function, *kernel.facts, shape);
  const auto checked = [&](Result result) { check(result, place_of(name)); };
  TimedEvent begin(driver_, checked), end(driver_, checked);
  checked(driver_.record_event(begin.get(), nullptr));
  start(kernel.function, *kernel.facts, shape, args);
  try {
    checked(driver_.record_event(end.get(), nullptr));
    wait(end.get(), name);
  } catch (const std::exception& error) {
    failed_.note(name, error.what());
    dead_ = true;
    begin.leave();
    end.leave();
    throw;
  }
  float milliseconds = 0;
  checked(driver_.elapsed(&milliseconds, begin.get(), end.get()));
  microseconds_ = static_cast<double>(milliseconds) * kMicrosecondsPerMillisecond;
}

void CudaDevice::synchronize() {
  const auto call = guard_.enter("synchronize");
  failed_.check();
}

host::DeviceProperties CudaDevice::properties() const {
  const auto number = [&](DeviceAttribute which) { return static_cast<std::uint32_t>(attribute(which)); };
  using Is = DeviceAttribute;
  host::DeviceProperties properties;
  std::array<char, 256> name{};
  check(driver_.device_name(name.data(), static_cast<int>(name.size()) - 1, device_), "name of the card");
  properties.name = name.data();
  properties.warp_size = number(Is::kWarpSize);
  properties.multiprocessors = number(Is::kMultiprocessors);
  properties.max_threads_per_block = number(Is::kMaxThreadsPerBlock);
  properties.max_threads_per_multiprocessor = number(Is::kMaxThreadsPerMultiprocessor);
  properties.max_blocks_per_multiprocessor = number(Is::kMaxBlocksPerMultiprocessor);
  properties.registers_per_multiprocessor = number(Is::kRegistersPerMultiprocessor);
  properties.shared_bytes_per_block = number(Is::kMaxSharedBytesPerBlockOptIn);
  properties.l2_bytes = number(Is::kL2Bytes);
  properties.clock_mhz = attribute(Is::kClockKilohertz) / 1e3;
  properties.max_grid = {number(Is::kMaxGridX), number(Is::kMaxGridY), number(Is::kMaxGridZ)};
  properties.max_block = {number(Is::kMaxBlockX), number(Is::kMaxBlockY), number(Is::kMaxBlockZ)};
  return properties;
}

std::string CudaDevice::driver_version() const {
  int version = 0;
  check(driver_.driver_version(&version), "version of the driver");
  return version_text(version);
}

std::string CudaDevice::compute_capability() const {
  return fmt::format("{}.{}", attribute(DeviceAttribute::kComputeCapabilityMajor),
                     attribute(DeviceAttribute::kComputeCapabilityMinor));
}

}  // namespace heddle::cuda
