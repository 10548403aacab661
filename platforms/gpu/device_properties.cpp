// What host programs may ask about a GPU.
#include "gpu/gpu_device.h"

#include <algorithm>

namespace heddle::gpu {

host::DeviceProperties properties_of(const GpuConfig& config) {
  host::DeviceProperties properties;
  properties.name = config.name;
  properties.multiprocessors = config.cores;
  properties.max_threads_per_block = std::min(host::kMaxThreadsPerCta, config.core.max_threads());
  properties.max_threads_per_multiprocessor = config.core.max_threads();
  properties.max_blocks_per_multiprocessor = config.core.occupancy.max_ctas;
  properties.registers_per_multiprocessor = config.core.occupancy.registers;
  properties.shared_bytes_per_block =
      config.core.shared_memory.size_kib * 1024 - config.core.shared_memory.reserved_bytes_per_cta;
  properties.l2_bytes = std::uint64_t{config.memory.l2.size_kib} * 1024 * config.memory.partitions;
  properties.memory_partitions = config.memory.partitions;
  properties.clock_mhz = config.clocks.core_mhz;
  return properties;
}

}  // namespace heddle::gpu
