// Capacity of the crossbar, derived from the configuration: shared by the expectations of bandwidth and
// throughput.
#pragma once

#include <cstdint>
#include <string>

#include "gpu/gpu_config.h"

namespace heddle::microbench {

enum class Way : std::uint8_t { kToPartition, kToCore };
/// Interconnect cycles that a packet occupies the links of its input and its output.
[[nodiscard]] double packet_flits(const gpu::GpuConfig& config, double bytes, Way way);
/// Interconnect cycles between two packets to one output. A packet reserves an entry of the output's buffer
/// from its grant until it has arrived, so few entries and a long latency limit the rate as well as the link.
[[nodiscard]] double packet_interval(const gpu::GpuConfig& config, double bytes, Way way);
/// Number of crossbar ports used by the first `cores` cores.
[[nodiscard]] double crossbar_ports(const gpu::GpuConfig& config, std::uint32_t cores);
/// Assignment that makes the links of responses narrower, for mutations.
[[nodiscard]] std::string narrower_responses(const gpu::GpuConfig& config, std::uint32_t by);
/// Core cycles per cycle of another clock.
[[nodiscard]] double core_cycles(const gpu::GpuConfig& config, double mhz);

}  // namespace heddle::microbench
