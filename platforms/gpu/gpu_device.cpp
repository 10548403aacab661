#include "gpu/gpu_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <systemc>
#include <utility>

#include "base/error.h"
#include "compiler/facts.h"
#include "core/cta/cta_slots.h"
#include "core/memory/table_traffic.h"
#include "gpu/gpu.h"
#include "gpu/hang_doctor.h"
#include "gpu/loaded_modules.h"
#include "host/call_guard.h"
#include "host/failed_launch.h"

namespace heddle::gpu {
namespace {

constexpr std::uint32_t kAlignment = 256;  ///< of allocations
constexpr double kProgressSeconds = 0.2;
constexpr double kQuantumUs = 100;  ///< longest stretch of model time per call of the SystemC kernel

using HostClock = std::chrono::steady_clock;

double seconds_since(HostClock::time_point start) {
  return std::chrono::duration<double>(HostClock::now() - start).count();
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
        gpu("gpu", c, allocations, options.shuffle_modules, options.dram, options.twins, options.units,
            options.core_extensions),
        modules(config,
                {[this](std::uint64_t bytes, std::uint32_t align, const std::string& name) {
                   return allocate(bytes, std::max(align, kAlignment), name);
                 },
                 [this](std::uint64_t address) { allocations.free(address); },
                 [this](std::uint64_t address, std::span<const std::byte> bytes) { write(address, bytes); }},
                options.compiler),
        history(options.per_launch, options.profile) {}

  GpuConfig config;
  RunOptions options;
  host::CallGuard guard;
  host::AllocationTable allocations;
  Gpu gpu;
  HangDoctor hangs{gpu, allocations};
  LoadedModules modules;
  LaunchHistory history;
  std::uint64_t ever_used = 0;  ///< end of the highest allocation ever made
  bool finished = false;
  host::FailedLaunch failed;

  bool read_memory(std::uint64_t address, std::span<std::byte> bytes) override;
  void print(const std::string& text) override;
  /// Throws base::InputError unless everything allocated so far fits into the channels.
  void check_capacity(std::uint64_t data_end, std::uint64_t code_end, const std::string& place) const;
  /// Zero-filled.
  std::uint64_t allocate(std::uint64_t bytes, std::uint32_t align, const std::string& name);
  void write(std::uint64_t address, std::span<const std::byte> bytes) {
    gpu.crossbar->debug_write(address, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  }
  core::LaunchContext prepare(std::shared_ptr<const isa::Kernel> kernel, const host::Launch& shape,
                              const host::Args& args);
  void launch(host::ModuleHandle module, const std::string& name, const host::Launch& shape,
              const host::Args& args);
  void run(const core::LaunchContext& context);
  void simulate(const core::LaunchContext& context);
  [[noreturn]] void fail_hang(const std::string& kernel);
  /// Throws if a memory channel has stopped answering.
  void fail_silent_memory(const std::string& kernel);
  std::uint64_t code_address(const isa::Kernel& kernel);
  std::uint64_t warp_instructions() const {
    std::uint64_t sum = 0;
    for (const auto& core : gpu.cores) sum += core->warp_instructions();
    return sum;
  }
};

GpuDevice::GpuDevice(const GpuConfig& config, RunOptions options) {
  config.validate();
  if (sc_core::sc_get_status() != sc_core::SC_ELABORATION || gpu_made.exchange(true)) refuse_second();
  impl_ = std::make_unique<Impl>(config, std::move(options));
  if (impl_->options.keep_awake) impl_->gpu.clocks.keep_awake();
  impl_->gpu.clocks.set_quantum(sc_core::sc_time(kQuantumUs, sc_core::SC_US));
  impl_->gpu.dispatcher.on_finished = [this] {
    impl_->finished = true;
    impl_->gpu.clocks.pause();
  };
  if (impl_->options.extend) impl_->options.extend(impl_->gpu);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);  // ends elaboration: sockets can be called from here on
}

GpuDevice::~GpuDevice() = default;

std::uint64_t GpuDevice::allocate(std::uint64_t bytes, const std::string& name) {
  const auto call = impl_->guard.enter("allocate");
  return impl_->allocate(bytes, kAlignment, name);
}

std::uint64_t GpuDevice::Impl::allocate(std::uint64_t bytes, std::uint32_t align, const std::string& name) {
  const std::uint64_t address = allocations.allocate(bytes, align, name);
  const std::uint64_t end = address + bytes;
  try {
    check_capacity(std::max(ever_used, end), modules.code_end(), "allocation of '" + name + "'");
  } catch (const base::InputError&) {
    allocations.free(address);
    throw;
  }
  // Addresses that were never allocated read as zero; others may hold data of a freed allocation.
  const std::uint64_t dirty_end = std::min(end, ever_used);
  const std::vector<unsigned char> zeros(1 << 16);
  for (std::uint64_t at = address; at < dirty_end; at += zeros.size())
    gpu.crossbar->debug_write(at, zeros.data(), std::min<std::uint64_t>(zeros.size(), dirty_end - at));
  ever_used = std::max(ever_used, end);
  return address;
}

void GpuDevice::Impl::check_capacity(std::uint64_t data_end, std::uint64_t code_end,
                                     const std::string& place) const {
  if (gpu.channel_map.fits(gpu.address_map, data_end, code_end)) return;
  throw base::InputError(
      place,
      fmt::format(
          "allocations up to 0x{:x} and {} bytes of code do not fit into {} memory channels of {} MiB",
          data_end, code_end - isa::kCodeWindowBase, config.memory.partitions,
          config.memory.dram.capacity_mib),
      "free buffers that are no longer used, use a smaller problem, or set memory.dram.capacity_mib to what "
      "the memory really holds");
}

void GpuDevice::free(std::uint64_t address) {
  const auto call = impl_->guard.enter("free");
  impl_->allocations.free(address);
}

namespace {

void check_host_access(const host::AllocationTable& allocations, std::uint64_t address, std::size_t bytes,
                       const char* what) {
  if (bytes == 0 || allocations.contains(address, bytes)) return;
  throw base::InputError("host",
                         fmt::format("{} of {} bytes at 0x{:x} leaves its allocation: {}", what, bytes,
                                     address, allocations.describe(address)),
                         "check address and size of the copy");
}

}  // namespace

void GpuDevice::write(std::uint64_t address, std::span<const std::byte> bytes) {
  const auto call = impl_->guard.enter("write");
  check_host_access(impl_->allocations, address, bytes.size(), "write");
  impl_->write(address, bytes);
}

void GpuDevice::read(std::uint64_t address, std::span<std::byte> bytes) {
  const auto call = impl_->guard.enter("read");
  check_host_access(impl_->allocations, address, bytes.size(), "read");
  impl_->gpu.crossbar->debug_read(address, reinterpret_cast<unsigned char*>(bytes.data()), bytes.size());
}

bool GpuDevice::Impl::read_memory(std::uint64_t address, std::span<std::byte> bytes) {
  if (!allocations.contains(address, bytes.size())) return false;
  gpu.crossbar->debug_read(address, reinterpret_cast<unsigned char*>(bytes.data()), bytes.size());
  return true;
}

void GpuDevice::Impl::print(const std::string& text) {
  if (options.on_print)
    options.on_print(text);
  else
    std::fwrite(text.data(), 1, text.size(), stdout);
}

host::ModuleHandle GpuDevice::load_module(std::span<const std::byte> bytes, const std::string& name) {
  const auto call = impl_->guard.enter("load_module");
  return impl_->modules.load(host::ptx_text_of(bytes, name), name);
}

void GpuDevice::unload(host::ModuleHandle module) {
  const auto call = impl_->guard.enter("unload");
  // A copy that outlives the unloading: forgotten afterwards if no error occurred.
  const isa::Module code = impl_->modules.at(module);
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

namespace {

/// The values for kernels with launch constants. The context must outlive the result.
isa::LaunchValues values_of(const core::LaunchContext& context) {
  const host::Launch& shape = context.shape;
  isa::LaunchValues values;
  values.block = {shape.block.x, shape.block.y, shape.block.z};
  values.grid = {shape.grid.x, shape.grid.y, shape.grid.z};
  values.dynamic_shared_bytes = shape.dynamic_shared_bytes;
  values.total_shared_bytes = context.shared_bytes_per_cta;
  values.local_bytes_per_thread = context.local_bytes_per_thread;
  values.parameter_base = context.param_base;
  values.parameters = context.params;
  return values;
}

}  // namespace

core::LaunchContext GpuDevice::Impl::prepare(std::shared_ptr<const isa::Kernel> kernel,
                                             const host::Launch& shape, const host::Args& args) {
  core::LaunchContext context;
  context.kernel = std::move(kernel);
  if (gpu.cores.front()->wants_facts()) context.facts = &compiler::facts_of(*context.kernel);
  const std::uint32_t shared_capacity = config.core.shared_memory.size_kib * 1024;
  host::check_launch(*context.kernel, shape, std::min(host::kMaxThreadsPerCta, config.core.max_threads()),
                     shared_capacity);
  context.shape = shape;
  context.params = args.pack(*context.kernel);
  context.shared_bytes_per_cta = context.kernel->static_shared_bytes + shape.dynamic_shared_bytes;
  context.local_bytes_per_thread = (context.kernel->local_bytes_per_thread + 15u) & ~15u;
  if (context.kernel->uses_stack)
    context.local_bytes_per_thread += (config.stack_bytes_per_thread + 15u) & ~15u;
  context.services = this;
  context.trace = options.trace;
  context.warps_per_cta = static_cast<std::uint32_t>((shape.block.count() + base::kLanes - 1) / base::kLanes);
  context.cores = config.cores;
  context.code_base = code_address(*context.kernel);
  std::string why;
  if (core::max_resident(core::needs_of(context, config.core), config.core, why) == 0)
    throw base::InputError(
        "launch of kernel " + context.kernel->name, why,
        "use a smaller block, or a platform with more of it (core.occupancy, core.shared_memory)");
  return context;
}

/// Every kernel's code has a unique address, assigned at its first launch.
std::uint64_t GpuDevice::Impl::code_address(const isa::Kernel& kernel) {
  const std::uint64_t address = modules.code_address(kernel);
  try {
    check_capacity(ever_used, modules.code_end(), "code of kernel " + kernel.name);
  } catch (const base::InputError&) {
    modules.free_code(kernel);
    throw;
  }
  return address;
}

void GpuDevice::Impl::fail_hang(const std::string& kernel) {
  throw base::Error(base::ExitCode::kHang, "",
                    hangs.diagnose(kernel, gpu.core_clock.cycle() - gpu.dispatcher.begin_cycle()));
}

void GpuDevice::Impl::fail_silent_memory(const std::string& kernel) {
  const auto silent = gpu.memory_watch.silent([this](std::uint64_t address) {
    return address >= isa::kCodeWindowBase ? std::string("code of a kernel") : allocations.describe(address);
  });
  if (!silent) return;
  std::vector<sim::StuckWarp> warps;
  for (std::uint32_t i = 0; i < gpu.cores.size(); ++i)
    if (silent->cores.empty() || std::ranges::count(silent->cores, base::CoreId{i}) != 0)
      gpu.cores[i]->diagnose(warps);
  gpu.faults.raise(std::make_exception_ptr(
      base::Error(base::ExitCode::kHang, "",
                  fmt::format("kernel {} hangs: {}{}", kernel, silent->text, sim::describe_warps(warps)),
                  memory::MemoryWatch::remedy())));
}

void GpuDevice::Impl::run(const core::LaunchContext& context) {
  const std::string& kernel = context.kernel->name;
  auto reported = HostClock::now();
  const std::uint64_t instructions_before = warp_instructions();
  const std::uint64_t ctas = context.shape.grid.count();
  gpu.watchdog.on_hang = [&] {
    try {
      fail_hang(kernel);
    } catch (...) {
      gpu.faults.raise(std::current_exception());
    }
  };
  hangs.begin_launch(context);
  gpu.watchdog.on_prove = [this](bool unchanged) {
    try {
      return hangs.proves(unchanged);
    } catch (...) {
      gpu.faults.raise(std::current_exception());
      return false;
    }
  };
  gpu.watchdog.on_cycle_limit = [&] {
    std::vector<sim::StuckWarp> warps;
    for (const auto& core : gpu.cores) core->diagnose(warps);
    gpu.faults.raise(
        std::make_exception_ptr(base::Error(base::ExitCode::kCycleLimit, "kernel " + kernel,
                                            fmt::format("not finished after {} cycles; its warps:{}",
                                                        options.max_cycles, sim::describe_warps(warps)),
                                            "raise --max-cycles if the kernel is merely long")));
  };
  gpu.watchdog.on_check = [&] {
    fail_silent_memory(kernel);
    if (options.on_check) {
      try {
        options.on_check();
      } catch (...) {
        gpu.faults.raise(std::current_exception());
      }
    }
    if (!options.on_progress) return;
    const auto now = HostClock::now();
    if (std::chrono::duration<double>(now - reported).count() < kProgressSeconds) return;
    reported = now;
    options.on_progress({kernel, gpu.core_clock.cycle() - gpu.dispatcher.begin_cycle(),
                         warp_instructions() - instructions_before, gpu.dispatcher.done(), ctas});
  };
  simulate(context);
}

void GpuDevice::Impl::simulate(const core::LaunchContext& context) {
  finished = false;
  if (context.trace != nullptr) context.trace->launch_begins(*context.kernel, gpu.core_clock.cycle());
  gpu.dispatcher.begin(&context);
  gpu.watchdog.begin(options.max_cycles);
  while (!finished && !gpu.faults.raised()) {
    sc_core::sc_start();
    // No events left although not finished: every core is parked and nothing is in flight.
    if (!finished && !gpu.faults.raised() && sc_core::sc_get_status() != sc_core::SC_PAUSED) {
      if (context.trace != nullptr) context.trace->launch_ends(gpu.core_clock.cycle());
      fail_hang(context.kernel->name);
    }
  }
  gpu.watchdog.end();
  if (context.trace != nullptr) context.trace->launch_ends(gpu.core_clock.cycle());
  gpu.faults.rethrow();
}

namespace {

/// The message of an exception of any type: callbacks belong to the program.
std::string text_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception of a callback";
  }
}

/// Memory that a launch allocates in addition to the program's.
class LaunchMemory {
 public:
  explicit LaunchMemory(host::AllocationTable& allocations) : allocations_(allocations) {}
  LaunchMemory(const LaunchMemory&) = delete;
  LaunchMemory& operator=(const LaunchMemory&) = delete;
  ~LaunchMemory() {
    for (const std::uint64_t address : addresses_) allocations_.free(address);
  }
  std::uint64_t keep(std::uint64_t address) { return addresses_.emplace_back(address); }

 private:
  host::AllocationTable& allocations_;
  std::vector<std::uint64_t> addresses_;
};

}  // namespace

void GpuDevice::Impl::launch(host::ModuleHandle handle, const std::string& name, const host::Launch& shape,
                             const host::Args& args) {
  const auto started = HostClock::now();
  failed.check();
  core::LaunchContext context = prepare(modules.kernel(handle, name), shape, args);
  LaunchMemory memory(allocations);
  const auto allocate_for_launch = [&](std::uint64_t bytes, const char* what) {
    return memory.keep(allocate(bytes, kAlignment, what + name));
  };
  const std::uint64_t local_bytes = std::uint64_t{context.local_bytes_per_thread} * base::kLanes *
                                    context.warps_per_cta * shape.grid.count();
  if (local_bytes != 0) context.local_base = allocate_for_launch(local_bytes, "local memory of ");
  if (const std::uint64_t spilled = gpu.cores.front()->spill_bytes_per_warp(); spilled != 0)
    context.table_base = allocate_for_launch(spilled * config.cores * config.core.occupancy.max_warps,
                                             "control-flow tables of ");
  if (!context.params.empty()) {
    context.param_base = allocate_for_launch(context.params.size(), "parameters of ");
    write(context.param_base, context.params);
  }
  if (!context.kernel->launch_constants.empty())
    context.own_constants = isa::constants_of_launch(context.kernel->constants,
                                                     context.kernel->launch_constants, values_of(context));

  gpu.stats.reset();
  context.grid_id = history.count();
  LaunchRecord record;
  record.kernel = name;
  record.code = context.kernel;
  record.shape = shape;
  if (options.profile)
    context.profile = &record.profile.emplace(context.kernel->code.size(), gpu.cores.front()->gate_names());
  const auto began = HostClock::now();
  std::exception_ptr failure;
  try {
    run(context);
    record.complete = true;
  } catch (...) {
    failure = std::current_exception();
    failed.note(name, text_of(failure));
    gpu.dispatcher.abandon();
  }
  const double simulation_seconds = seconds_since(began);
  record.cycles = gpu.dispatcher.end_cycle() - gpu.dispatcher.begin_cycle();
  record.warp_instructions = gpu.stats.sum("core*.issue.warp_instructions");
  record.thread_instructions = gpu.stats.sum("core*.issue.thread_instructions");
  history.add(std::move(record), modules.text_digest(handle), gpu.stats);
  history.charge_host(seconds_since(started), simulation_seconds);
  if (options.on_launch) options.on_launch(history.last());
  if (failure) std::rethrow_exception(failure);
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

host::DeviceProperties GpuDevice::properties() const {
  const GpuConfig& config = impl_->config;
  host::DeviceProperties properties;
  properties.name = config.name;
  properties.multiprocessors = config.cores;
  properties.max_threads_per_block = std::min(host::kMaxThreadsPerCta, config.core.max_threads());
  properties.max_threads_per_multiprocessor = config.core.max_threads();
  properties.max_blocks_per_multiprocessor = config.core.occupancy.max_ctas;
  properties.registers_per_multiprocessor = config.core.occupancy.registers;
  properties.shared_bytes_per_block = config.core.shared_memory.size_kib * 1024;
  properties.l2_bytes = std::uint64_t{config.memory.l2.size_kib} * 1024 * config.memory.partitions;
  properties.memory_partitions = config.memory.partitions;
  properties.clock_mhz = config.clocks.core_mhz;
  return properties;
}

const std::vector<KernelRecord>& GpuDevice::kernels() const {
  const auto call = impl_->guard.look("kernels");
  return impl_->history.kernels();
}

const LaunchRecord& GpuDevice::last_launch() const {
  const auto call = impl_->guard.look("last_launch");
  return impl_->history.last();
}

bool GpuDevice::keeps_launches() const { return impl_->options.per_launch; }

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

const GpuConfig& GpuDevice::config() const { return impl_->config; }
base::StatGroup& GpuDevice::stats() { return impl_->gpu.stats; }

}  // namespace heddle::gpu
