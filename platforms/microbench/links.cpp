#include "microbench/links.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heddle::microbench {

double packet_flits(const gpu::GpuConfig& config, double bytes, Way way) {
  const memory::CrossbarConfig& crossbar = config.memory.crossbar;
  return std::max(1.0,
                  std::ceil(bytes / (way == Way::kToCore ? crossbar.to_core_bytes() : crossbar.flit_bytes)));
}

double packet_interval(const gpu::GpuConfig& config, double bytes, Way way) {
  const memory::CrossbarConfig& crossbar = config.memory.crossbar;
  const double flits = packet_flits(config, bytes, way);
  return std::max(flits, (flits + crossbar.latency_cycles) / crossbar.output_queue_packets);
}

double crossbar_ports(const gpu::GpuConfig& config, std::uint32_t cores) {
  const std::uint32_t of_port = config.memory.crossbar.cluster_cores;
  const std::uint32_t ports = (cores + of_port - 1) / of_port;
  return ports;
}

std::string narrower_responses(const gpu::GpuConfig& config, std::uint32_t by) {
  const memory::CrossbarConfig& crossbar = config.memory.crossbar;
  return fmt::format("memory.crossbar.{}={}",
                     crossbar.response_flit_bytes != 0 ? "response_flit_bytes" : "flit_bytes",
                     crossbar.to_core_bytes() / by);
}

double core_cycles(const gpu::GpuConfig& config, double mhz) { return config.clocks.core_mhz / mhz; }

}  // namespace heddle::microbench
