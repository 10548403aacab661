#include "gpu/gpu_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <systemc>
#include <utility>

#include "core/cta_slots.h"
#include "core/table_traffic.h"
#include "frontend/ptx/decode.h"
#include "frontend/ptx/decode/library.h"
#include "frontend/ptx/parser.h"
#include "gpu/gpu.h"
#include "gpu/hang_doctor.h"
#include "gpu/kernel_compiler.h"
#include "sim/error.h"

namespace heddle::gpu {
namespace {

constexpr std::uint32_t kAlignment = 256;  ///< of allocations
constexpr double kProgressSeconds = 0.2;
constexpr std::uint64_t kCodeAlignment = 256;
constexpr double kQuantumUs = 100;  ///< longest run of model time within one activation of the kernel

}  // namespace

struct GpuDevice::Impl : core::KernelServices {
  Impl(const GpuConfig& c, RunOptions o)
      : config(c),
        options(std::move(o)),
        gpu("gpu", c, allocations, options.shuffle_modules, options.dram, options.twins) {}

  GpuConfig config;
  RunOptions options;
  host::AllocationTable allocations;
  Gpu gpu;
  HangDoctor hangs{gpu, allocations};
  std::vector<isa::Module> modules;
  ptx::Library library;  ///< what modules loaded later may refer to
  std::vector<LaunchRecord> launches;
  std::map<const isa::Kernel*, std::uint64_t> code_addresses;
  std::uint64_t next_code = isa::kCodeWindowBase;
  std::uint64_t ever_used = 0;  ///< end of the highest allocation so far
  bool finished = false;
  bool broken = false;  ///< a fault or hang left a launch unfinished: nothing may run after it

  const isa::Module& module(host::ModuleHandle handle) const {
    if (handle >= modules.size())
      throw sim::InputError("", fmt::format("there is no module number {}", handle));
    return modules[handle];
  }
  host::ModuleHandle add(const std::string& text, const std::string& name);
  bool read_memory(std::uint64_t address, std::span<std::byte> bytes) override;
  void print(const std::string& text) override;
  /// Throws sim::InputError unless all that was ever handed out fits into the channels.
  void check_capacity(std::uint64_t data_end, std::uint64_t code_end, const std::string& place) const;
  /// Zero-filled.
  std::uint64_t allocate(std::uint64_t bytes, std::uint32_t align, const std::string& name);
  core::LaunchContext prepare(const isa::Module& owner, const std::string& kernel, const host::Launch& shape,
                              const host::Args& args);
  void run(const core::LaunchContext& context);
  [[noreturn]] void fail_hang();
  /// If a channel no longer answers.
  void fail_silent_memory();
  /// Statistics of the launch that has ended, in whatever way.
  void close_record(LaunchRecord& record, double host_seconds);
  std::uint64_t code_address(const isa::Kernel& kernel);
  std::uint64_t warp_instructions() const {
    std::uint64_t sum = 0;
    for (const auto& core : gpu.cores) sum += core->warp_instructions();
    return sum;
  }
};

GpuDevice::GpuDevice(const GpuConfig& config, RunOptions options) {
  config.validate();
  if (sc_core::sc_get_status() != sc_core::SC_ELABORATION)
    throw sim::InputError("host", "this process has had a simulated GPU already",
                          "SystemC elaborates once: start a process for each GPU");
  impl_ = std::make_unique<Impl>(config, std::move(options));
  if (impl_->options.keep_awake) impl_->gpu.clocks.keep_awake();
  impl_->gpu.clocks.set_quantum(sc_core::sc_time(kQuantumUs, sc_core::SC_US));
  impl_->gpu.dispatcher.on_finished = [this] {
    impl_->finished = true;
    impl_->gpu.clocks.pause();
  };
  sc_core::sc_start(sc_core::SC_ZERO_TIME);  // ends elaboration: sockets can be called from here on
}

GpuDevice::~GpuDevice() = default;

std::uint64_t GpuDevice::allocate(std::uint64_t bytes, const std::string& name) {
  return impl_->allocate(bytes, kAlignment, name);
}

std::uint64_t GpuDevice::Impl::allocate(std::uint64_t bytes, std::uint32_t align, const std::string& name) {
  const std::uint64_t address = allocations.allocate(bytes, align, name);
  const std::uint64_t end = address + bytes;
  try {
    check_capacity(std::max(ever_used, end), next_code, "allocation of '" + name + "'");
  } catch (const sim::InputError&) {
    allocations.free(address);
    throw;
  }
  // Addresses never handed out before read as zero; the rest may hold what a freed allocation left.
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
  throw sim::InputError(
      place,
      fmt::format(
          "allocations up to 0x{:x} and {} bytes of code do not fit into {} memory channels of {} MiB",
          data_end, code_end - isa::kCodeWindowBase, config.memory.partitions,
          config.memory.dram.capacity_mib),
      "free buffers that are no longer used, use a smaller problem, or set memory.dram.capacity_mib to what "
      "the "
      "memory really holds");
}

void GpuDevice::free(std::uint64_t address) { impl_->allocations.free(address); }

namespace {

void check_host_access(const host::AllocationTable& allocations, std::uint64_t address, std::size_t bytes,
                       const char* what) {
  if (bytes == 0 || allocations.contains(address, bytes)) return;
  throw sim::InputError("host",
                        fmt::format("{} of {} bytes at 0x{:x} leaves its allocation: {}", what, bytes,
                                    address, allocations.describe(address)),
                        "check address and size of the copy");
}

}  // namespace

void GpuDevice::write(std::uint64_t address, std::span<const std::byte> bytes) {
  check_host_access(impl_->allocations, address, bytes.size(), "write");
  impl_->gpu.crossbar->debug_write(address, reinterpret_cast<const unsigned char*>(bytes.data()),
                                   bytes.size());
}

void GpuDevice::read(std::uint64_t address, std::span<std::byte> bytes) {
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

host::ModuleHandle GpuDevice::Impl::add(const std::string& text, const std::string& name) {
  const auto tree = compile_source(text, name, config, library);
  isa::Module module = ptx::decode(
      tree,
      [this](const std::string& variable, std::uint64_t bytes, std::uint32_t align) {
        return allocate(std::max<std::uint64_t>(bytes, 1), std::max(align, kAlignment), variable);
      },
      library);
  compile_kernels(module, *tree, config);
  for (const isa::GlobalVariable& variable : module.globals)
    if (!variable.initial.empty())
      gpu.crossbar->debug_write(variable.address,
                                reinterpret_cast<const unsigned char*>(variable.initial.data()),
                                variable.initial.size());
  modules.push_back(std::move(module));
  return static_cast<host::ModuleHandle>(modules.size() - 1);
}

host::ModuleHandle GpuDevice::load_ptx_file(const std::string& path) {
  return impl_->add(ptx::read_file(path), path);
}

host::ModuleHandle GpuDevice::load_ptx_text(const std::string& text, const std::string& name) {
  return impl_->add(text, name);
}

std::shared_ptr<const isa::Kernel> GpuDevice::kernel(host::ModuleHandle handle, const std::string& name) {
  const isa::Module& module = impl_->module(handle);
  if (auto found = module.find_or_refuse(name)) return found;
  const std::string names = module.kernel_names();
  throw sim::InputError(module.source->name, fmt::format("there is no kernel '{}'", name),
                        names.empty() ? "the module has no kernels" : "kernels in this module: " + names);
}

std::uint64_t GpuDevice::symbol(host::ModuleHandle handle, const std::string& name) {
  const isa::Module& module = impl_->module(handle);
  for (const isa::GlobalVariable& variable : module.globals)
    if (variable.name == name) return variable.address;
  throw sim::InputError(module.source->name, fmt::format("there is no module-scope variable '{}'", name));
}

core::LaunchContext GpuDevice::Impl::prepare(const isa::Module& owner, const std::string& name,
                                             const host::Launch& shape, const host::Args& args) {
  core::LaunchContext context;
  context.kernel = owner.find(name);
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
  context.warps_per_cta = static_cast<std::uint32_t>((shape.block.count() + sim::kLanes - 1) / sim::kLanes);
  context.cores = config.cores;
  context.code_base = code_address(*context.kernel);
  std::string why;
  if (core::max_resident(core::needs_of(context, config.core), config.core, why) == 0)
    throw sim::InputError(
        "launch of kernel " + name, why,
        "use a smaller block, or a platform with more of it (core.occupancy, core.shared_memory)");
  return context;
}

/// Every kernel's code has a place of its own, given at its first launch.
std::uint64_t GpuDevice::Impl::code_address(const isa::Kernel& kernel) {
  if (const auto found = code_addresses.find(&kernel); found != code_addresses.end()) return found->second;
  const std::uint64_t end =
      next_code + (kernel.code.size() * config.core.l1i.instruction_bytes + kCodeAlignment) / kCodeAlignment *
                      kCodeAlignment;
  check_capacity(ever_used, end, "code of kernel " + kernel.name);
  return code_addresses.emplace(&kernel, std::exchange(next_code, end)).first->second;
}

void GpuDevice::Impl::fail_hang() {
  throw sim::Error(
      sim::ExitCode::kHang, "",
      hangs.diagnose(launches.back().kernel, gpu.core_clock.cycle() - gpu.dispatcher.begin_cycle()));
}

void GpuDevice::Impl::fail_silent_memory() {
  const auto silent = gpu.memory_watch.silent([this](std::uint64_t address) {
    return address >= isa::kCodeWindowBase ? std::string("code of a kernel") : allocations.describe(address);
  });
  if (!silent) return;
  std::vector<sim::StuckWarp> warps;
  for (std::uint32_t i = 0; i < gpu.cores.size(); ++i)
    if (silent->cores.empty() || std::ranges::count(silent->cores, sim::CoreId{i}) != 0)
      gpu.cores[i]->diagnose(warps);
  gpu.faults.raise(std::make_exception_ptr(sim::Error(
      sim::ExitCode::kHang, "",
      fmt::format("kernel {} hangs: {}{}", launches.back().kernel, silent->text, sim::describe_warps(warps)),
      memory::MemoryWatch::remedy())));
}

void GpuDevice::Impl::run(const core::LaunchContext& context) {
  using HostClock = std::chrono::steady_clock;
  auto reported = HostClock::now();
  const std::uint64_t instructions_before = warp_instructions();
  const std::uint64_t ctas = context.shape.grid.count();
  gpu.watchdog.on_hang = [this] {
    try {
      fail_hang();
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
  gpu.watchdog.on_cycle_limit = [this] {
    std::vector<sim::StuckWarp> warps;
    for (const auto& core : gpu.cores) core->diagnose(warps);
    gpu.faults.raise(
        std::make_exception_ptr(sim::Error(sim::ExitCode::kCycleLimit, "kernel " + launches.back().kernel,
                                           fmt::format("not finished after {} cycles; its warps:{}",
                                                       options.max_cycles, sim::describe_warps(warps)),
                                           "raise --max-cycles if the kernel is merely long")));
  };
  gpu.watchdog.on_check = [&] {
    fail_silent_memory();
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
    options.on_progress({context.kernel->name, gpu.core_clock.cycle() - gpu.dispatcher.begin_cycle(),
                         warp_instructions() - instructions_before, gpu.dispatcher.done(), ctas});
  };
  finished = false;
  if (context.trace != nullptr) context.trace->launch_begins(*context.kernel, gpu.core_clock.cycle());
  gpu.dispatcher.begin(&context);
  gpu.watchdog.begin(options.max_cycles);
  broken = true;
  while (!finished && !gpu.faults.raised()) {
    sc_core::sc_start();
    // Out of events without being finished: every core is parked and nothing is in flight.
    if (!finished && !gpu.faults.raised() && sc_core::sc_get_status() != sc_core::SC_PAUSED) {
      if (context.trace != nullptr) context.trace->launch_ends(gpu.core_clock.cycle());
      fail_hang();
    }
  }
  gpu.watchdog.end();
  if (context.trace != nullptr) context.trace->launch_ends(gpu.core_clock.cycle());
  gpu.faults.rethrow();
  broken = false;
}

void GpuDevice::Impl::close_record(LaunchRecord& record, double host_seconds) {
  record.cycles = gpu.dispatcher.end_cycle() - gpu.dispatcher.begin_cycle();
  record.warp_instructions = gpu.stats.sum("core*.issue.warp_instructions");
  record.thread_instructions = gpu.stats.sum("core*.issue.thread_instructions");
  record.stats = gpu.stats.to_json();
  record.host_seconds = host_seconds;
}

void GpuDevice::launch(host::ModuleHandle handle, const std::string& name, const host::Launch& shape,
                       const host::Args& args) {
  synchronize();
  (void)kernel(handle, name);  // names the kernels there are
  core::LaunchContext context = impl_->prepare(impl_->module(handle), name, shape, args);
  const std::uint64_t local_bytes = std::uint64_t{context.local_bytes_per_thread} * sim::kLanes *
                                    context.warps_per_cta * shape.grid.count();
  if (local_bytes != 0) context.local_base = allocate(local_bytes, "local memory of " + name);
  const simt::ControlFlowConfig& control_flow = impl_->config.core.control_flow;
  const bool tables = control_flow.mechanism == simt::Mechanism::kAware && control_flow.aware.virtualised();
  if (tables)
    context.table_base = allocate(std::uint64_t{impl_->config.cores} *
                                      impl_->config.core.occupancy.max_warps * core::kTableBytesPerWarp,
                                  "control-flow tables of " + name);
  if (!context.params.empty()) {
    context.param_base = allocate(context.params.size(), "parameters of " + name);
    write(context.param_base, context.params);
  }

  Gpu& gpu = impl_->gpu;
  gpu.stats.reset();
  context.grid_id = impl_->launches.size();
  impl_->launches.push_back({});
  LaunchRecord& record = impl_->launches.back();
  record.kernel = name;
  record.code = context.kernel;
  record.shape = shape;
  if (impl_->options.profile) context.profile = &record.profile.emplace(context.kernel->code.size());
  const auto started = std::chrono::steady_clock::now();
  const auto seconds = [started] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  };
  try {
    impl_->run(context);
  } catch (...) {
    gpu.dispatcher.abandon();
    impl_->close_record(record, seconds());
    throw;
  }
  impl_->close_record(record, seconds());
  record.complete = true;
  if (!context.params.empty()) free(context.param_base);
  if (local_bytes != 0) free(context.local_base);
  if (tables) free(context.table_base);
}

void GpuDevice::synchronize() {
  if (impl_->broken)
    throw sim::Error(sim::ExitCode::kInternal, "launch of kernel " + impl_->launches.back().kernel,
                     "this launch failed, and nothing can run on the device after it",
                     "look at the error of the launch itself; start a new process for the next one");
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

const std::vector<LaunchRecord>& GpuDevice::launches() const { return impl_->launches; }
const GpuConfig& GpuDevice::config() const { return impl_->config; }
sim::StatGroup& GpuDevice::stats() { return impl_->gpu.stats; }

}  // namespace heddle::gpu
