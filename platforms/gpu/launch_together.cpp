// Launches that share the GPU.
#include <algorithm>
#include <chrono>
#include <deque>
#include <exception>
#include <utility>

#include "base/error.h"
#include "gpu/gpu_device_impl.h"

namespace heddle::gpu {

struct GpuDevice::Impl::Together {
  std::deque<LaunchMemory> memory;
  std::deque<core::LaunchContext> contexts;
  std::vector<core::GroupedLaunch> launches;
  /// Instructions of each that are counted, and those of each core that have been, of whatever launch.
  std::vector<std::uint64_t> warp_instructions, thread_instructions, warp_of_core, thread_of_core;
};

void GpuDevice::Impl::simulate(Together& group) {
  const std::size_t count = group.launches.size();
  group.warp_instructions.resize(count);
  group.thread_instructions.resize(count);
  group.warp_of_core.resize(config.cores);
  group.thread_of_core.resize(config.cores);
  simulation.run_together(group.launches, [&](std::size_t core, std::size_t launch) {
    const base::StatGroup& of = gpu.stats.child("core" + std::to_string(core));
    const auto charge = [&](const char* counter, std::uint64_t& known, std::uint64_t& to) {
      const std::uint64_t now = of.count(counter);
      to += now - std::exchange(known, now);
    };
    charge("issue.warp_instructions", group.warp_of_core[core], group.warp_instructions[launch]);
    charge("issue.thread_instructions", group.thread_of_core[core], group.thread_instructions[launch]);
  });
}

std::vector<host::LaunchInterval> GpuDevice::Impl::launch_together(
    std::span<const host::QueuedLaunch> launches) {
  if (launches.size() < 2 || !gpu.mechanisms.empty() || options.trace != nullptr || options.profile ||
      options.cold_caches || options.replayed || options.sample_cycles != 0 || simulates ||
      estimation.windows != 0 || config.core.scoreboard.check_hazards ||
      std::ranges::any_of(launches, [](const auto& each) { return each.shape.cooperative; }))
    return {};
  const auto started = std::chrono::steady_clock::now();
  failed.check();
  const double cycles_per_ns = config.clocks.core_mhz * 1e-3;
  const auto cycles = [&](double ns) { return static_cast<base::Cycle>(ns * cycles_per_ns + 0.5); };
  Together group;
  for (const host::QueuedLaunch& each : launches) {
    try {
      core::LaunchContext& context = group.contexts.emplace_back(
          prepare(modules.kernel_for(each.module, each.kernel, warps_of(each.shape)), each.shape, each.args));
      context.grid_id = begun + group.launches.size();
      ensure_heap(*context.kernel);
      allocate_for(context, group.memory.emplace_back(memory));
      group.launches.push_back(
          {&context, context.ctas_per_core, cycles(each.ready_ns), each.after, cycles(each.behind_ns)});
    } catch (const base::InputError&) {
      return {};  // alone it is refused, and the others run
    }
  }
  begun += launches.size();
  gpu.stats.reset();
  const base::Cycle origin = gpu.core_clock.cycle();
  std::exception_ptr failure;
  try {
    simulate(group);
  } catch (...) {
    failure = std::current_exception();
    failed.note(launches.front().kernel, failure);
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count() / launches.size();
  std::vector<host::LaunchInterval> intervals;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const core::GroupedLaunch& run = group.launches[i];
    LaunchRecord record;
    record.kernel = launches[i].kernel;
    record.code = run.launch->kernel;
    record.shape = launches[i].shape;
    record.cycles = run.end - run.begin;
    record.whole.cycles = static_cast<double>(record.cycles);
    record.whole.ctas = launches[i].shape.ctas();
    record.whole.simulated = run.done;
    record.complete = failure == nullptr;
    record.warp_instructions = group.warp_instructions[i];
    record.thread_instructions = group.thread_instructions[i];
    history.add(std::move(record), modules.digest(launches[i].module), gpu.stats);
    history.charge_host(seconds, seconds);
    if (i == 0) gpu.stats.reset();
    if (options.on_launch) options.on_launch(history.last());
    const auto ns = [&](base::Cycle cycle) { return static_cast<double>(cycle - origin) / cycles_per_ns; };
    intervals.push_back({ns(run.begin), ns(run.end)});
  }
  if (failure) std::rethrow_exception(failure);
  return intervals;
}

}  // namespace heddle::gpu
