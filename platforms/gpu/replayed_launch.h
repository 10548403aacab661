// A launch that has run before, as each does under a profiler that repeats it for its counters: what caches in front of L2 hold of it
// when it begins (RunOptions::replayed).
#pragma once

#include "core/warp_context.h"
#include "gpu/device_memory.h"
#include "gpu/gpu_config.h"
#include "host/allocation.h"

namespace heddle::gpu {

/// Says so in `launch`, with the bytes that the second level of constant caches holds: the launch's parameters and the constants of
/// loaded modules, as far as it is large enough. Between launches, when all of the launch is known.
void hold_as_replayed(core::LaunchContext& launch, const GpuConfig& config, DeviceMemory& memory,
                      const host::AllocationTable& allocations);

}  // namespace heddle::gpu
