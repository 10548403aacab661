#include "gpu/replayed_launch.h"

#include <algorithm>

namespace heddle::gpu {
namespace {

/// Whole lines of the constant cache.
core::HeldConstants read_lines(std::uint64_t address, std::uint64_t bytes, std::uint64_t line,
                               DeviceMemory& memory) {
  core::HeldConstants held{address / line * line, {}};
  held.bytes.resize((address + bytes - held.address + line - 1) / line * line);
  memory.read(held.address, held.bytes);
  return held;
}

}  // namespace

void hold_as_replayed(core::LaunchContext& launch, const GpuConfig& config, DeviceMemory& memory,
                      const host::AllocationTable& allocations) {
  launch.replayed = true;
  const core::ConstantCacheConfig& cache = config.core.constant_cache;
  std::uint64_t room = std::uint64_t{cache.second_kib} * 1024;
  const auto hold = [&](std::uint64_t address, std::uint64_t bytes) {
    const std::uint64_t some = std::min(bytes, room);
    if (some == 0) return;
    room -= some;
    launch.held_constants.push_back(read_lines(address, some, cache.line_bytes, memory));
  };
  if (!launch.params.empty()) hold(launch.param_base, launch.params.size());
  for (const auto& [address, block] : allocations.all())
    if (block.owner == host::Owner::kConstants) hold(address, block.bytes);
}

}  // namespace heddle::gpu
