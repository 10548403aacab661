// What the crossbar can carry, from the configuration: shared by the expectations of bandwidth and
// throughput.
#pragma once

#include <cstdint>

#include "gpu/gpu_config.h"

namespace heddle::microbench {

/// Interconnect cycles a packet holds the links of its input and its output.
[[nodiscard]] double packet_flits(const gpu::GpuConfig& config, double bytes);
/// Interconnect cycles between two packets to one output. A packet takes a place in the output's buffer from
/// its grant until it has arrived, so few places and a long flight limit the rate as well as the link.
[[nodiscard]] double packet_interval(const gpu::GpuConfig& config, double bytes);
/// Ports that `cores` cores from the first on have at the crossbar.
[[nodiscard]] double crossbar_ports(const gpu::GpuConfig& config, std::uint32_t cores);
/// Core cycles of one cycle of another clock.
[[nodiscard]] double core_cycles(const gpu::GpuConfig& config, double mhz);

}  // namespace heddle::microbench
