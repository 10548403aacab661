// Simulates a launch to its end: its last CTA, a fault, a hang, or a limit.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

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

 private:
  void watch(const core::LaunchContext& context);
  void simulate(const core::LaunchContext& context);
  [[nodiscard]] base::Cycle launch_cycles() const;
  [[noreturn]] void fail_hang(const std::string& kernel);
  /// Raises a fault if a memory channel has stopped answering.
  void fail_silent_memory(const std::string& kernel);
  void fail_cycle_limit(const std::string& kernel);
  void sample();
  void report_progress(const core::LaunchContext& context);
  [[nodiscard]] std::uint64_t warp_instructions() const;

  Gpu& gpu_;
  const host::AllocationTable& allocations_;
  const RunOptions& options_;
  HangDoctor hangs_;
  std::optional<sim::ClockMember> sample_clock_;  ///< only with RunOptions::sample_cycles
  base::Cycle next_sample_ = 0;
  base::Cycle earlier_cycles_ = 0;  ///< of the launch: of the parts before this one
  base::Cycle until_sample_ = 0;    ///< at their end
  bool finished_ = false;
  std::uint64_t instructions_before_ = 0;           ///< this launch
  std::chrono::steady_clock::time_point reported_;  ///< progress, last
};

}  // namespace heddle::gpu
