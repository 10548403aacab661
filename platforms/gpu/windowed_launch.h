// The simulation of a launch, from its set-up to its counts: of the whole grid, or of windows of it (estimated_launch.h).
#pragma once

#include <cstdint>
#include <functional>

#include "core/warp_context.h"
#include "gpu/estimated_launch.h"
#include "gpu/gpu.h"
#include "gpu/launch_records.h"
#include "gpu/launch_simulation.h"

namespace heddle::gpu {

struct LaunchSite {
  Gpu& gpu;
  LaunchSimulation& simulation;
  const Estimation& estimation;
  std::uint64_t wave = 0;  ///< CTAs that the GPU holds at once
  /// Runs the CTAs of a part of the launch without time.
  std::function<void(const core::LaunchContext& part)> skip;
};

/// `record` gets cycles and `whole`, also of a launch that an exception ends: what had been simulated by then, without a
/// margin. Throws what LaunchSimulation::run() and LaunchSite::skip throw.
void simulate_launch(core::LaunchContext& context, LaunchRecord& record, const LaunchSite& site);

}  // namespace heddle::gpu
