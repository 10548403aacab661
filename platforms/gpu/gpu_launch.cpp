// Launches of the SystemC GPU: what they need, their simulation, their records.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "compiler/facts.h"
#include "core/cta/cta_slots.h"
#include "core/memory/table_traffic.h"
#include "gpu/functional_launch.h"
#include "gpu/gpu_device_impl.h"
#include "gpu/replayed_launch.h"
#include "gpu/windowed_launch.h"

namespace heddle::gpu {
namespace {

using HostClock = std::chrono::steady_clock;

double seconds_since(HostClock::time_point start) {
  return std::chrono::duration<double>(HostClock::now() - start).count();
}

}  // namespace

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
  context.shared_bytes_per_cta = core::addressable_shared_bytes(*context.kernel, shape.dynamic_shared_bytes);
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
  context.ctas_per_core = core::max_resident(core::needs_of(context, config.core), config.core, why);
  const std::uint64_t per_core = context.ctas_per_core;
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

}  // namespace heddle::gpu
