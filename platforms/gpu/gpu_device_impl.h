// What stands behind gpu/gpu_device.h, for its sources only.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpu/device_memory.h"
#include "gpu/gpu.h"
#include "gpu/gpu_device.h"
#include "gpu/launch_simulation.h"
#include "gpu/loaded_modules.h"
#include "gpu/stray_accesses.h"
#include "host/call_guard.h"
#include "host/device_heap.h"
#include "host/failed_launch.h"

namespace heddle::gpu {

struct GpuDevice::Impl : core::KernelServices {
  Impl(const GpuConfig& c, RunOptions o)
      : config(c),
        options(std::move(o)),
        limits{config.stack_bytes_per_thread, std::uint64_t{config.heap_kib} * 1024},
        gpu("gpu", config, allocations, options.shuffle_modules, options.dram, options.twins, options.units,
            options.core_extensions),
        memory(config, gpu, allocations, [this] { return modules.code_end(); }),
        modules(config,
                {[this](std::uint64_t bytes, std::uint32_t align, const std::string& name) {
                   return memory.allocate(bytes, name, host::Owner::kDevice, align);
                 },
                 [this](std::uint64_t address, host::Owner owner) { allocations.set_owner(address, owner); },
                 [this](std::uint64_t address) { memory.free(address); },
                 [this](std::uint64_t address, std::span<const std::byte> bytes) {
                   memory.write(address, bytes);
                 }},
                options.compiler),
        simulation(gpu, allocations, options),
        history(options.per_launch, options.profile) {}

  GpuConfig config;
  RunOptions options;
  host::Limits limits;
  host::CallGuard guard;
  host::AllocationTable allocations;
  std::set<std::uint64_t> buffers;  ///< what allocate() has returned: addresses
  Gpu gpu;
  DeviceMemory memory;
  LoadedModules modules;
  LaunchSimulation simulation;
  LaunchHistory history;
  host::FailedLaunch failed;
  StrayAccesses strays;
  std::optional<host::DeviceHeap> heap;  ///< from the first launch on of a kernel that uses it
  Estimation estimation;
  std::function<bool(const std::string& kernel)> simulates;  ///< empty: all are
  std::uint64_t begun = 0;                                   ///< launches
  std::uint64_t instructions_without_time = 0;

  bool read_memory(std::uint64_t address, std::span<std::byte> bytes) override {
    return memory.read_for_kernel(address, bytes);
  }
  void read_local(std::uint64_t address, std::span<std::byte> bytes) override { memory.read(address, bytes); }
  void print(const std::string& text) override;
  bool is_first_stray(const std::shared_ptr<const isa::Kernel>& kernel, base::Pc pc) override {
    return strays.is_first(kernel, pc);
  }
  void tell_stray(const std::string& where, const std::string& what) override {
    StrayAccesses::warn(where, what);
  }
  std::uint64_t heap_allocate(std::uint64_t bytes) override { return heap->allocate(bytes); }
  std::optional<std::string> heap_free(std::uint64_t address) override {
    allocations.heap_freed();
    return heap->free(address);
  }
  core::LaunchContext prepare(std::shared_ptr<const isa::Kernel> kernel, const host::Launch& shape,
                              const host::Args& args);
  /// Memory of the launch beside the program's: local memory, spilled tables, parameters.
  void allocate_for(core::LaunchContext& context, LaunchMemory& launch_memory);
  void ensure_heap(const isa::Kernel& kernel);
  void launch(host::ModuleHandle module, const std::string& name, const host::Launch& shape,
              const host::Args& args);
  std::uint64_t code_address(const isa::Kernel& kernel);
  void simulate(core::LaunchContext& context, LaunchRecord& record);
  std::vector<host::LaunchInterval> launch_together(std::span<const host::QueuedLaunch> launches);
  /// What launches of a group need, and what comes of them.
  struct Together;
  void simulate(Together& group);
  void skip(const core::LaunchContext& context);
  [[nodiscard]] std::uint64_t wave_of(const core::LaunchContext& context) const;
};

/// Of a CTA.
[[nodiscard]] inline std::uint64_t warps_of(const host::Launch& shape) {
  return (shape.block.count() + base::kLanes - 1) / base::kLanes;
}

}  // namespace heddle::gpu
