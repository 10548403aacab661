// A launch, or a part of one, without time (functional/machine.h): device memory afterwards is as if it had been simulated, and so is what
// the kernel has printed and allocated. Caches keep what they hold, with its new values.
#pragma once

#include <cstdint>

#include "core/warp_context.h"
#include "functional/machine.h"
#include "gpu/device_memory.h"
#include "gpu/gpu_config.h"
#include "host/allocation.h"

namespace heddle::gpu {

struct FunctionalSite {
  const GpuConfig& config;
  const host::AllocationTable& allocations;
  DeviceMemory& memory;
  std::uint64_t wave = 0;  ///< CTAs that the GPU holds at once: those that may wait for each other
  const std::function<void()>& on_check;  ///< called now and then; may be empty
  std::uint64_t clock = 0;                ///< what clocks read at the beginning
};

/// Throws what functional::Machine::run() throws, with what the kernel has written until then in memory; base::InputError for a
/// kernel that cannot run so.
functional::Counts run_without_time(const core::LaunchContext& context, const FunctionalSite& site);

}  // namespace heddle::gpu
