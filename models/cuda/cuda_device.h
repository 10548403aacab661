// A real GPU behind the host's device interface, through the CUDA driver: the first one that the driver shows
// (CUDA_VISIBLE_DEVICES selects and orders). It takes the same PTX as the GPU model and the oracle; the driver translates it.
//
// What differs from the other devices:
// * A fault ends the driver's context. After a failed launch memory is lost: read() and write() throw kDeviceFailed as
//   launch() does.
// * The card notices an access out of bounds only where nothing is mapped, mostly megabytes further.
// * A kernel that never ends runs until Options::on_wait throws or Options::max_seconds are over. It still runs then, and
//   the device is as after a fault; the card is free again when the process ends.
// * .extern functions and variables of other modules are refused: the driver links nothing between loaded modules.
// * Kernels with transactions are refused.
// * Kernels that the model refuses run if the parser reads them and the driver accepts them.
// * symbols() has variables and functions, without those that the driver's compiler has left out, and no .shared variables.
//   heap_blocks() is empty.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "cuda/driver.h"
#include "cuda/loaded_modules.h"
#include "host/allocation.h"
#include "host/call_guard.h"
#include "host/device.h"
#include "host/device_heap.h"
#include "host/failed_launch.h"
#include "host/limits.h"
#include "host/memory_map.h"

namespace heddle::cuda {

struct Options {
  std::uint64_t heap_bytes = host::DeviceHeap::kDefaultBytes;  ///< of kernels with malloc
  std::uint64_t stack_bytes = 16 * 1024;  ///< of a thread: recursion, and frames behind pointers
  double max_seconds = 0;                 ///< of a launch, until kCycleLimit; 0: no limit
  /// Called while a launch runs, at least every few milliseconds; an exception it throws leaves the launch. May be empty.
  std::function<void()> on_wait = nullptr;
};

class CudaDevice : public host::Device, public host::MemoryMap, public host::Limited {
 public:
  /// Throws base::InputError if there is no driver, no card, or a driver that is too old.
  explicit CudaDevice(Options options = {});
  ~CudaDevice() override;
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  std::uint64_t allocate(std::uint64_t bytes, const std::string& name) override;
  void free(std::uint64_t address) override;
  /// Host access outside of every allocation is an InputError.
  void write(std::uint64_t address, std::span<const std::byte> bytes) override;
  void read(std::uint64_t address, std::span<std::byte> bytes) override;
  host::ModuleHandle load_module(std::span<const std::byte> bytes, const std::string& name) override;
  void unload(host::ModuleHandle module) override;
  /// The kernel's name, parameters, memory needs and source; its code and registers are empty.
  std::shared_ptr<const isa::Kernel> kernel(host::ModuleHandle module, const std::string& name) override;
  std::uint64_t symbol(host::ModuleHandle module, const std::string& name) override;
  [[nodiscard]] std::vector<host::ModuleSymbol> symbols(host::ModuleHandle module) const override;
  void launch(host::ModuleHandle module, const std::string& kernel, const host::Launch& shape,
              const host::Args& args) override;
  void set_limits(const host::Limits& limits) override;
  void synchronize() override;
  [[nodiscard]] host::DeviceProperties properties() const override;

  /// Of the last launch that has ended, by the driver's events: some half a microsecond of resolution.
  [[nodiscard]] double microseconds() const { return microseconds_; }
  /// "13.0".
  [[nodiscard]] std::string driver_version() const;
  /// "9.0".
  [[nodiscard]] std::string compute_capability() const;

 private:
  void use_context();
  /// For calls that a dead context refuses. `what` is for the message.
  void check(Result result, const std::string& what) const;
  [[nodiscard]] int attribute(DeviceAttribute which) const;
  void check_alive(const char* what) const;
  void check_host_access(std::uint64_t address, std::uint64_t bytes, const char* what) const;
  void prepare(Function* function, const isa::Kernel& kernel, const host::Launch& shape) const;
  void start(Function* function, const isa::Kernel& kernel, const host::Launch& shape,
             const host::Args& args);
  void wait(Event* end, const std::string& kernel);
  [[noreturn]] void fail(Result result, const std::string& kernel) const;

  Options options_;
  Driver driver_;
  mutable host::CallGuard guard_;
  Ordinal device_ = 0;
  Context* context_ = nullptr;
  host::FailedLaunch failed_;
  bool dead_ = false;     ///< a launch has failed: the driver refuses everything
  bool runs_on_ = false;  ///< a launch was left while it ran: calls of the driver would wait for it
  host::AllocationTable allocations_;
  std::unique_ptr<LoadedModules> modules_;
  double microseconds_ = 0;
};

}  // namespace heddle::cuda
