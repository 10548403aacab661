#include "gpu/gpu_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <optional>
#include <set>
#include <systemc>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "compiler/facts.h"
#include "core/cta/cta_slots.h"
#include "core/memory/table_traffic.h"
#include "gpu/device_memory.h"
#include "gpu/functional_launch.h"
#include "gpu/gpu.h"
#include "gpu/launch_simulation.h"
#include "gpu/loaded_modules.h"
#include "gpu/replayed_launch.h"
#include "gpu/stray_accesses.h"
#include "gpu/windowed_launch.h"
#include "host/call_guard.h"
#include "host/device_heap.h"
#include "host/failed_launch.h"

namespace heddle::gpu {
namespace {

using HostClock = std::chrono::steady_clock;

double seconds_since(HostClock::time_point start) {
  return std::chrono::duration<double>(HostClock::now() - start).count();
}

/// Of a CTA.
std::uint64_t warps_of(const host::Launch& shape) {
  return (shape.block.count() + base::kLanes - 1) / base::kLanes;
}

/// SystemC elaborates once per process; atomic, since two threads may try at the same time.
std::atomic<bool> gpu_made{false};

[[noreturn]] void refuse_second() {
  throw base::InputError("host", "this process has had a simulated GPU already",
                         "SystemC elaborates once: start a process for each GPU");
}

}  // namespace

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
  void stray(const std::string& where, const std::string& what) override { strays.warn(where, what); }
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
  void skip(const core::LaunchContext& context);
  [[nodiscard]] std::uint64_t wave_of(const core::LaunchContext& context) const;
};

GpuDevice::GpuDevice(const GpuConfig& config, RunOptions options) {
  config.validate();
  if (sc_core::sc_get_status() != sc_core::SC_ELABORATION || gpu_made.exchange(true)) refuse_second();
  impl_ = std::make_unique<Impl>(config, std::move(options));
  if (impl_->options.extend) {
    impl_->gpu.keep_in_order("an extension of the program");
    impl_->options.extend(impl_->gpu);
  }
  sc_core::sc_start(sc_core::SC_ZERO_TIME);  // ends elaboration: sockets can be called from here on
}

std::uint64_t GpuDevice::allocate(std::uint64_t bytes, const std::string& name) {
  const auto call = impl_->guard.enter("allocate");
  const std::uint64_t address = impl_->memory.allocate(bytes, name, host::Owner::kProgram);
  impl_->buffers.insert(address);
  return address;
}

void GpuDevice::free(std::uint64_t address) {
  const auto call = impl_->guard.enter("free");
  impl_->modules.refuse_to_free(address);
  const auto& all = impl_->allocations.all();
  if (const auto other = all.find(address); other != all.end() && !impl_->buffers.contains(address))
    throw base::InputError("free",
                           fmt::format("0x{:x} is the address of '{}', which is the device's own memory",
                                       address, other->second.name),
                           "free what allocate() returned");
  impl_->memory.free(address);
  impl_->buffers.erase(address);
}

void GpuDevice::write(std::uint64_t address, std::span<const std::byte> bytes) {
  const auto call = impl_->guard.enter("write");
  impl_->memory.copy_in(address, bytes);
}

void GpuDevice::read(std::uint64_t address, std::span<std::byte> bytes) {
  const auto call = impl_->guard.enter("read");
  impl_->memory.copy_out(address, bytes);
}

void GpuDevice::Impl::print(const std::string& text) {
  if (options.on_print)
    options.on_print(text);
  else
    std::fwrite(text.data(), 1, text.size(), stdout);
}

host::ModuleHandle GpuDevice::load_module(std::span<const std::byte> bytes, const std::string& name) {
  const auto call = impl_->guard.enter("load_module");
  return impl_->modules.load(bytes, name);
}

host::ModuleHandle GpuDevice::load_sharing(std::span<const std::byte> bytes, const std::string& name,
                                           host::ModuleHandle variables_of) {
  const auto call = impl_->guard.enter("load_sharing");
  return impl_->modules.load(bytes, name, variables_of);
}

void GpuDevice::set_limits(const host::Limits& limits) {
  const auto call = impl_->guard.enter("set_limits");
  if (impl_->heap) host::check_heap_size(*impl_->heap, limits.heap_bytes);
  impl_->limits = limits;
}

void GpuDevice::set_tolerance(std::uint64_t bytes) { impl_->allocations.set_tolerance(bytes); }

void GpuDevice::unload(host::ModuleHandle module) {
  const auto call = impl_->guard.enter("unload");
  // A copy that outlives the unloading: forgotten afterwards if no error occurred.
  isa::Module code = impl_->modules.at(module);
  for (auto& kernel : impl_->modules.spilled(module)) code.kernels.push_back(std::move(kernel));
  impl_->modules.unload(module);
  impl_->history.unload(code);
}

std::shared_ptr<const isa::Kernel> GpuDevice::kernel(host::ModuleHandle handle, const std::string& name) {
  const auto call = impl_->guard.enter("kernel");
  return impl_->modules.kernel(handle, name);
}

std::uint64_t GpuDevice::symbol(host::ModuleHandle handle, const std::string& name) {
  const auto call = impl_->guard.enter("symbol");
  return impl_->modules.symbol(handle, name);
}

std::vector<host::ModuleSymbol> GpuDevice::symbols(host::ModuleHandle handle) const {
  const auto call = impl_->guard.look("symbols");
  return impl_->modules.symbols(handle);
}

std::vector<host::HeapBlock> GpuDevice::heap_blocks() const {
  const auto call = impl_->guard.look("heap_blocks");
  return impl_->heap ? impl_->heap->blocks() : std::vector<host::HeapBlock>{};
}

core::LaunchContext GpuDevice::Impl::prepare(std::shared_ptr<const isa::Kernel> kernel,
                                             const host::Launch& shape, const host::Args& args) {
  core::LaunchContext context;
  context.kernel = std::move(kernel);
  if (gpu.cores.front()->control_flow().wants_facts) context.facts = &compiler::facts_of(*context.kernel);
  if (gpu.windows) std::ignore = compiler::facts_of(*context.kernel);  // before cores ask on several threads
  const std::uint32_t shared_capacity =
      config.core.shared_memory.size_kib * 1024 - config.core.shared_memory.reserved_bytes_per_cta;
  host::check_launch(*context.kernel, shape, std::min(host::kMaxThreadsPerCta, config.core.max_threads()),
                     shared_capacity);
  context.shape = shape;
  context.params = args.pack(*context.kernel);
  context.shared_bytes_per_cta = context.kernel->static_shared_bytes + shape.dynamic_shared_bytes;
  context.local_limit = context.kernel->local_bytes_per_thread;
  context.local_bytes_per_thread = (context.local_limit + 15u) & ~15u;
  if (context.kernel->uses_stack) {
    context.local_bytes_per_thread += static_cast<std::uint32_t>((limits.stack_bytes + 15u) & ~15ull);
    context.local_limit = context.local_bytes_per_thread;
  }
  context.services = this;
  context.trace = options.trace;
  context.warps_per_cta = static_cast<std::uint32_t>(warps_of(shape));
  context.cores = config.cores;
  context.code_base = code_address(*context.kernel);
  context.code_generation = modules.code_frees();  // released addresses may be other code's now
  std::string why;
  const std::uint64_t per_core = core::max_resident(core::needs_of(context, config.core), config.core, why);
  if (per_core == 0)
    throw base::InputError(
        "launch of kernel " + context.kernel->name, why,
        "use a smaller block, or a platform with more of it (core.occupancy, core.shared_memory)");
  if (shape.cooperative && shape.grid.count() > per_core * config.cores)
    throw base::InputError(
        "launch of kernel " + context.kernel->name,
        fmt::format("a cooperative grid of {} CTAs; at most {} are resident at once ({} on each of {} cores)",
                    shape.grid.count(), per_core * config.cores, per_core, config.cores),
        fmt::format("launch at most {} CTAs, or smaller ones", per_core * config.cores));
  return context;
}

/// Every kernel's code has a unique address, assigned at its first launch.
std::uint64_t GpuDevice::Impl::code_address(const isa::Kernel& kernel) {
  const std::uint64_t address = modules.code_address(kernel);
  try {
    memory.check_capacity("code of kernel " + kernel.name);
  } catch (const base::InputError&) {
    modules.free_code(kernel);
    throw;
  }
  return address;
}

void GpuDevice::Impl::allocate_for(core::LaunchContext& context, LaunchMemory& launch_memory) {
  const isa::Kernel& kernel = *context.kernel;
  const std::uint64_t local_bytes = std::uint64_t{context.local_bytes_per_thread} * base::kLanes *
                                    context.warps_per_cta * context.shape.grid.count();
  if (local_bytes != 0)
    context.local_base = launch_memory.allocate(local_bytes, "local memory of " + kernel.name);
  if (const std::uint64_t spilled = gpu.cores.front()->control_flow().spill_bytes_per_warp; spilled != 0) {
    context.table_bytes = spilled * config.cores * config.core.occupancy.max_warps;
    context.table_base = launch_memory.allocate(context.table_bytes, "control-flow tables of " + kernel.name);
  }
  if (!context.params.empty()) {
    context.param_base = launch_memory.allocate(
        context.params.size(), "parameters of " + kernel.name,
        takes_parameter_address(kernel) ? host::Owner::kParameters : host::Owner::kDevice);
    memory.write(context.param_base, context.params);
  }
  if (context.shape.cooperative) {
    context.grid_workspace = launch_memory.allocate(
        isa::kGridWorkspaceBytes, "grid workspace of " + kernel.name, host::Owner::kProgram);
    const std::uint32_t words[] = {isa::kGridWorkspaceBytes, 0};
    memory.write(context.grid_workspace, std::as_bytes(std::span(words)));
  }
  context.own_constants = constants_of(context, memory);
}

void GpuDevice::Impl::ensure_heap(const isa::Kernel& kernel) {
  const auto uses = [](const isa::Instruction& instruction) {
    return instruction.op == isa::Opcode::kHeapAllocate || instruction.op == isa::Opcode::kHeapFree;
  };
  if (heap || std::ranges::none_of(kernel.code, uses)) return;
  heap.emplace(memory.allocate(limits.heap_bytes, "device heap", host::Owner::kProgram), limits.heap_bytes);
  allocations.set_heap(&*heap);
}

void GpuDevice::Impl::launch(host::ModuleHandle handle, const std::string& name, const host::Launch& shape,
                             const host::Args& args) {
  const auto started = HostClock::now();
  failed.check();
  core::LaunchContext context = prepare(modules.kernel_for(handle, name, warps_of(shape)), shape, args);
  context.grid_id = begun++;
  ensure_heap(*context.kernel);
  LaunchMemory launch_memory(memory);
  allocate_for(context, launch_memory);
  if (simulates && !simulates(name)) {
    try {
      return skip(context);
    } catch (const base::InputError&) {
      throw;  // nothing has run
    } catch (...) {
      failed.note(name, std::current_exception());
      throw;
    }
  }

  system::LaunchPreparation preparation{
      context,
      [this](std::uint64_t bytes, const std::string& what) {
        return memory.allocate(bytes, what, host::Owner::kDevice);
      },
      [this](std::uint64_t address, std::span<const std::byte> bytes) { memory.write(address, bytes); }};
  for (const auto& mechanism : gpu.mechanisms) mechanism->prepare(preparation);

  if (options.cold_caches) {
    for (const auto& partition : gpu.partitions) partition->make_cold();
    context.code_generation = ~history.count();  // no launch has had it
  }
  if (options.replayed) hold_as_replayed(context, config, memory, allocations);
  gpu.stats.reset();
  LaunchRecord record;
  record.kernel = name;
  record.code = context.kernel;
  record.shape = shape;
  if (options.profile)
    context.profile = &record.profile.emplace(context.kernel->code.size(), gpu.cores.front()->gate_names());
  const auto began = HostClock::now();
  std::exception_ptr failure;
  try {
    simulate(context, record);
    record.complete = true;
  } catch (...) {
    failure = std::current_exception();
    failed.note(name, failure);
  }
  const double simulation_seconds = seconds_since(began);
  record.warp_instructions = gpu.stats.sum("core*.issue.warp_instructions");
  record.thread_instructions = gpu.stats.sum("core*.issue.thread_instructions");
  history.add(std::move(record), modules.digest(handle), gpu.stats);
  history.charge_host(seconds_since(started), simulation_seconds);
  if (options.on_launch) options.on_launch(history.last());
  if (failure) std::rethrow_exception(failure);
}

std::uint64_t GpuDevice::Impl::wave_of(const core::LaunchContext& context) const {
  std::string why;
  return std::uint64_t{core::max_resident(core::needs_of(context, config.core), config.core, why)} *
         config.cores;
}

void GpuDevice::Impl::skip(const core::LaunchContext& context) {
  // Clocks go on where the last launch, or part of one, has left them.
  const std::uint64_t clock = gpu.core_clock.cycle() + instructions_without_time;
  instructions_without_time +=
      run_without_time(context, {config, allocations, memory, wave_of(context), options.on_check, clock})
          .warp_instructions;
}

void GpuDevice::Impl::simulate(core::LaunchContext& context, LaunchRecord& record) {
  simulate_launch(context, record,
                  {gpu, simulation, estimation, wave_of(context),
                   [this](const core::LaunchContext& part) { skip(part); }});
}

void GpuDevice::simulate_only(std::function<bool(const std::string& kernel)> chosen) {
  const auto call = impl_->guard.enter("simulate_only");
  impl_->simulates = std::move(chosen);
}

void GpuDevice::estimate(const Estimation& estimation) {
  const auto call = impl_->guard.enter("estimate");
  if (!impl_->gpu.mechanisms.empty())
    throw base::InputError("an estimate of launches",
                           "a mechanism that spans the GPU works on all CTAs of a grid",
                           "simulate every launch as a whole, or switch the mechanism off "
                           "(determinism.enabled=false, tm.enabled=false)");
  check(estimation);
  impl_->estimation = estimation;
}

void GpuDevice::launch(host::ModuleHandle module, const std::string& kernel, const host::Launch& shape,
                       const host::Args& args) {
  const auto call = impl_->guard.enter("launch");
  impl_->launch(module, kernel, shape, args);
}

void GpuDevice::synchronize() {
  const auto call = impl_->guard.enter("synchronize");
  impl_->failed.check();
}

std::uint32_t GpuDevice::resident_blocks(host::ModuleHandle module, const std::string& name,
                                         const host::Launch& shape) const {
  const auto call = impl_->guard.look("resident_blocks");
  core::LaunchContext context;
  context.kernel = impl_->modules.kernel_for(module, name, warps_of(shape));
  context.shape = shape;
  context.shared_bytes_per_cta = context.kernel->static_shared_bytes + shape.dynamic_shared_bytes;
  context.warps_per_cta = static_cast<std::uint32_t>(warps_of(shape));
  std::string why;
  const core::CoreConfig& core = impl_->config.core;
  return core::max_resident(core::needs_of(context, core), core, why);
}

const std::vector<KernelRecord>& GpuDevice::kernels() const {
  const auto call = impl_->guard.look("kernels");
  return impl_->history.kernels();
}

const LaunchRecord& GpuDevice::last_launch() const {
  const auto call = impl_->guard.look("last_launch");
  return impl_->history.last();
}

const std::vector<LaunchRecord>& GpuDevice::launches() const {
  const auto call = impl_->guard.look("launches");
  return impl_->history.launches();
}

std::uint64_t GpuDevice::launch_count() const {
  const auto call = impl_->guard.look("launch_count");
  return impl_->history.count();
}

nlohmann::ordered_json GpuDevice::statistics(const base::StatValues& values) const {
  const auto call = impl_->guard.look("statistics");
  return impl_->gpu.stats.to_json(values);
}

void GpuDevice::forget_launches() {
  const auto call = impl_->guard.enter("forget_launches");
  impl_->history.clear();
}

std::uint64_t GpuDevice::instructions_without_time() const { return impl_->instructions_without_time; }
host::DeviceProperties GpuDevice::properties() const { return properties_of(impl_->config); }
bool GpuDevice::keeps_launches() const { return impl_->options.per_launch; }
std::optional<std::vector<std::uint64_t>> GpuDevice::take_written_pages() {
  return impl_->memory.take_written_pages();
}
GpuDevice::~GpuDevice() = default;
HostUse GpuDevice::host_use() const { return impl_->gpu.host_use(); }
const core::HazardLog& GpuDevice::hazards() const { return impl_->gpu.hazards; }
const GpuConfig& GpuDevice::config() const { return impl_->config; }
const host::AllocationTable& GpuDevice::allocations() const { return impl_->allocations; }
sim::StoreWatch& GpuDevice::store_watch() { return impl_->gpu.progress.stores; }
base::StatGroup& GpuDevice::stats() { return impl_->gpu.stats; }

}  // namespace heddle::gpu
