// Simulates a launch to its end: its last CTA, a fault, a hang, or a limit.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/warp_context.h"
#include "gpu/gpu.h"
#include "gpu/hang_doctor.h"
#include "gpu/run_options.h"
#include "host/allocation.h"
#include "sim/clock.h"

namespace heddle::gpu {

class LaunchSimulation {
 public:
  /// `options` outlives this object.
  LaunchSimulation(Gpu& gpu, const host::AllocationTable& allocations, const RunOptions& options);

  /// A launch, of which run() simulates the whole grid, or parts one after another.
  void begin_launch();
  /// Throws what ended the launch early: of a hang, base::Error with ExitCode::kHang. The dispatcher is then
  /// still at the launch (CtaDispatcher::abandon()).
  void run(const core::LaunchContext& context);
  /// Launches that share the GPU; with CtaDispatcher::abandon(), if it throws. RunOptions::max_cycles is for each of them.
  void run_together(std::vector<core::GroupedLaunch>& launches,
                    std::function<void(std::size_t core, std::size_t launch)> on_left);

 private:
  void watch(const core::LaunchContext& context);
  void simulate(const core::LaunchContext& context);
  /// To the end of what the dispatcher has begun.
  void go_on(base::Cycle limit);
  /// Of launches that share the GPU the oldest one.
  const core::LaunchContext& look();
  /// One of these begins whatever the others do: nothing hangs as long.
  [[nodiscard]] bool awaits_launches() const;
  [[nodiscard]] base::Cycle launch_cycles() const;
  [[noreturn]] void fail_hang();
  /// Raises a fault if a memory channel has stopped answering.
  void fail_silent_memory();
  void fail_cycle_limit();
  void sample();
  void report_progress();
  [[nodiscard]] std::uint64_t warp_instructions() const;

  Gpu& gpu_;
  const host::AllocationTable& allocations_;
  const RunOptions& options_;
  HangDoctor hangs_;
  const core::LaunchContext* watched_ = nullptr;
  std::optional<sim::ClockMember> sample_clock_;  ///< only with RunOptions::sample_cycles
  base::Cycle next_sample_ = 0;
  base::Cycle earlier_cycles_ = 0;  ///< of the launch: of the parts before this one
  base::Cycle until_sample_ = 0;    ///< at their end
  bool finished_ = false;
  std::uint64_t instructions_before_ = 0;           ///< this launch
  std::chrono::steady_clock::time_point reported_;  ///< progress, last
};

}  // namespace heddle::gpu
