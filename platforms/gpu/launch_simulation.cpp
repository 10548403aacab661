#include "gpu/launch_simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <systemc>
#include <utility>

#include "base/error.h"
#include "isa/kernel.h"

namespace heddle::gpu {
namespace {

constexpr double kProgressSeconds = 0.2;
constexpr double kQuantumUs = 100;  ///< longest stretch of model time per call of the SystemC kernel

}  // namespace

LaunchSimulation::LaunchSimulation(Gpu& gpu, const host::AllocationTable& allocations,
                                   const RunOptions& options)
    : gpu_(gpu), allocations_(allocations), options_(options), hangs_(gpu, allocations) {
  if (options_.keep_awake) gpu_.clocks.keep_awake();
  gpu_.clocks.set_quantum(sc_core::sc_time(kQuantumUs, sc_core::SC_US));
  if (options_.sample_cycles != 0)
    sample_clock_.emplace(gpu_.system_clock, sim::on_tick<&LaunchSimulation::sample>(this));
  gpu_.dispatcher.on_finished = [this] {
    finished_ = true;
    gpu_.clocks.pause();
  };
}

std::uint64_t LaunchSimulation::warp_instructions() const {
  std::uint64_t sum = 0;
  for (const auto& core : gpu_.cores) sum += core->warp_instructions();
  return sum;
}

base::Cycle LaunchSimulation::launch_cycles() const {
  return earlier_cycles_ + gpu_.core_clock.cycle() - gpu_.dispatcher.begin_cycle();
}

const core::LaunchContext& LaunchSimulation::look() {
  const core::LaunchGroup* const group = gpu_.dispatcher.group();
  if (group != nullptr && group->oldest() != watched_) {
    watched_ = group->oldest();
    hangs_.begin_launch(*watched_);
  }
  return *watched_;
}

bool LaunchSimulation::awaits_launches() const {
  const core::LaunchGroup* const group = gpu_.dispatcher.group();
  return group != nullptr && group->will_begin();
}

void LaunchSimulation::fail_hang() {
  const std::string& kernel = look().kernel->name;
  throw base::Error(base::ExitCode::kHang, "", hangs_.diagnose(kernel, launch_cycles()));
}

void LaunchSimulation::fail_silent_memory() {
  const auto silent = gpu_.memory_watch.silent([this](std::uint64_t address) {
    return address >= isa::kCodeWindowBase ? std::string("code of a kernel") : allocations_.describe(address);
  });
  if (!silent) return;
  const std::string& kernel = look().kernel->name;
  gpu_.faults.raise(std::make_exception_ptr(base::Error(
      base::ExitCode::kHang, "",
      fmt::format("kernel {} hangs: {}{}", kernel, silent->text, hangs_.describe_warps(silent->cores)),
      memory::MemoryWatch::remedy())));
}

void LaunchSimulation::fail_cycle_limit() {
  const std::string& kernel = look().kernel->name;
  gpu_.faults.raise(std::make_exception_ptr(base::Error(
      base::ExitCode::kCycleLimit, "kernel " + kernel,
      fmt::format("not finished after {} cycles; its warps:{}", options_.max_cycles, hangs_.describe_warps()),
      "raise --max-cycles if the kernel is merely long")));
}

/// In the system clock: behind all that cores and memory do in the cycle.
void LaunchSimulation::sample() {
  if (finished_ || gpu_.faults.raised()) return sample_clock_->park();
  if (sample_clock_->cycle() >= next_sample_) {
    next_sample_ += options_.sample_cycles;
    try {
      options_.on_sample();
    } catch (...) {
      gpu_.faults.raise(std::current_exception());
      return sample_clock_->park();
    }
  }
  sample_clock_->sleep_until(next_sample_);
}

void LaunchSimulation::report_progress() {
  if (!options_.on_progress) return;
  const core::LaunchContext& context = look();
  const auto now = std::chrono::steady_clock::now();
  if (std::chrono::duration<double>(now - reported_).count() < kProgressSeconds) return;
  reported_ = now;
  options_.on_progress({context.kernel->name, launch_cycles(), warp_instructions() - instructions_before_,
                        gpu_.dispatcher.done(), context.shape.ctas()});
}

/// What the watchdog does during the launch. It runs within the simulation: exceptions travel as faults.
void LaunchSimulation::watch(const core::LaunchContext& context) {
  watched_ = &context;
  gpu_.watchdog.on_hang = [this] {
    if (awaits_launches()) return;
    try {
      fail_hang();
    } catch (...) {
      gpu_.faults.raise(std::current_exception());
    }
  };
  gpu_.watchdog.on_passed_over = [this] {
    if (awaits_launches()) return;
    try {
      const std::string& kernel = look().kernel->name;
      throw base::Error(base::ExitCode::kHang, "", hangs_.diagnose_passed_over(kernel, launch_cycles()));
    } catch (...) {
      gpu_.faults.raise(std::current_exception());
    }
  };
  for (const auto& mechanism : gpu_.mechanisms)
    mechanism->on_hang = [this](const system::MechanismHang& hang) {
      try {
        throw base::Error(base::ExitCode::kHang, "",
                          hangs_.diagnose(watched_->kernel->name, launch_cycles(), hang));
      } catch (...) {
        gpu_.faults.raise(std::current_exception());
      }
    };
  // Of several launches at once nothing is proven: one may still write what the other waits for.
  gpu_.watchdog.on_prove = [this](bool unchanged) {
    if (const core::LaunchGroup* const group = gpu_.dispatcher.group();
        group != nullptr && (group->active() != 1 || awaits_launches()))
      return false;
    try {
      look();
      return hangs_.proves(unchanged);
    } catch (...) {
      gpu_.faults.raise(std::current_exception());
      return false;
    }
  };
  gpu_.watchdog.on_cycle_limit = [this] { fail_cycle_limit(); };
  gpu_.watchdog.on_check = [this] {
    fail_silent_memory();
    if (options_.on_check) {
      try {
        options_.on_check();
      } catch (...) {
        gpu_.faults.raise(std::current_exception());
      }
    }
    report_progress();
  };
}

void LaunchSimulation::begin_launch() {
  earlier_cycles_ = 0;
  until_sample_ = options_.sample_cycles;
}

void LaunchSimulation::run(const core::LaunchContext& context) {
  reported_ = std::chrono::steady_clock::now();
  instructions_before_ = warp_instructions();
  hangs_.begin_launch(context);
  gpu_.hazards.begin_launch(context.kernel);
  watch(context);
  simulate(context);
}

namespace {

/// Why the cores of a launch must not run ahead of each other; empty: they may.
std::string one_after_another(const core::LaunchContext& context) {
  if (context.trace != nullptr) return "a trace";
  if (context.profile != nullptr) return "a profile";
  using isa::Opcode;
  const bool asks = std::ranges::any_of(context.kernel->code, [](const isa::Instruction& instruction) {
    return instruction.op == Opcode::kPrint || instruction.op == Opcode::kHeapAllocate ||
           instruction.op == Opcode::kHeapFree || instruction.op == Opcode::kAssertFail ||
           instruction.op == Opcode::kTexture || instruction.op == Opcode::kSurfaceStore;
  });
  return asks ? "printf, assert, malloc or textures in a kernel" : "";
}

}  // namespace

void LaunchSimulation::simulate(const core::LaunchContext& context) {
  finished_ = false;
  gpu_.begin_launch(one_after_another(context));
  if (context.trace != nullptr) context.trace->launch_begins(*context.kernel, gpu_.core_clock.cycle());
  gpu_.dispatcher.begin(&context);
  // The limit is the launch's. A part that ends with it leaves the next one its first cycle.
  go_on(options_.max_cycles == 0
            ? 0
            : std::max<base::Cycle>(1, options_.max_cycles - std::min(options_.max_cycles, earlier_cycles_)));
  earlier_cycles_ += gpu_.dispatcher.end_cycle() - gpu_.dispatcher.begin_cycle();
  until_sample_ = next_sample_ - std::min(next_sample_, gpu_.dispatcher.end_cycle());
}

void LaunchSimulation::run_together(std::vector<core::GroupedLaunch>& launches,
                                    std::function<void(std::size_t core, std::size_t launch)> on_left) {
  begin_launch();
  reported_ = std::chrono::steady_clock::now();
  instructions_before_ = warp_instructions();
  const core::LaunchContext& first = *launches.front().launch;
  hangs_.begin_launch(first);
  watch(first);
  finished_ = false;
  gpu_.begin_launch("launches that share the GPU");
  try {
    gpu_.dispatcher.begin_together(launches, std::move(on_left));
    go_on(options_.max_cycles * launches.size());
  } catch (...) {
    gpu_.dispatcher.abandon();
    throw;
  }
}

void LaunchSimulation::go_on(base::Cycle limit) {
  gpu_.watchdog.begin(limit);
  if (sample_clock_) {
    next_sample_ = gpu_.dispatcher.begin_cycle() + until_sample_;
    sample_clock_->wake();
  }
  while (!finished_ && !gpu_.faults.raised()) {
    sc_core::sc_start();
    // No events left although not finished: every core is parked and nothing is in flight.
    if (!finished_ && !gpu_.faults.raised() && sc_core::sc_get_status() != sc_core::SC_PAUSED) {
      if (watched_->trace != nullptr) watched_->trace->launch_ends(gpu_.core_clock.cycle());
      fail_hang();
    }
  }
  gpu_.watchdog.end();
  if (watched_->trace != nullptr) watched_->trace->launch_ends(gpu_.core_clock.cycle());
  gpu_.faults.rethrow();
}

}  // namespace heddle::gpu
