#include "microbench/core_timing.h"

#include <algorithm>

namespace heddle::microbench {

std::uint32_t fetched_at_once(const gpu::GpuConfig& config) {
  return std::min(config.core.fetch.width_instructions, config.core.fetch.ibuffer_slots);
}

std::string no_l1(const gpu::GpuConfig& config) {
  return config.core.l1d.enabled ? "" : "there is no L1 (core.l1d.enabled)";
}

std::uint32_t fetched_bytes(const gpu::GpuConfig& config) {
  const core::L1dConfig& l1d = config.core.l1d;
  return l1d.sector_bytes != 0 ? l1d.sector_bytes : l1d.line_bytes;
}

// A group is fetched for when its I-buffer has become empty, in the cycle in which the last instruction
// issued; the next ones may issue in the cycle after they have arrived.
double single_warp_fetch_gap(const gpu::GpuConfig& config) { return config.core.fetch.latency_cycles + 1; }

double alu_latency_cycles(const gpu::GpuConfig& config, isa::LatencyClass latency_class) {
  return config.core.pipes.timing[static_cast<std::size_t>(latency_class)].latency_cycles;
}

double alu_initiation_cycles(const gpu::GpuConfig& config, isa::LatencyClass latency_class) {
  return config.core.pipes.timing[static_cast<std::size_t>(latency_class)].initiation_cycles;
}

PipeKind pipe_kind(const gpu::GpuConfig& config, isa::LatencyClass latency_class) {
  using isa::LatencyClass;
  const core::PipesConfig& pipes = config.core.pipes;
  const double sub_cores = config.core.scheduler.sub_cores;
  switch (latency_class) {
    case LatencyClass::kIntSimple:
    case LatencyClass::kIntMinMax:
    case LatencyClass::kIntMul:
    case LatencyClass::kIntMad:
      if (pipes.int_units != 0) return {"int", pipes.int_units * sub_cores};
      break;
    case LatencyClass::kDpSimple:
    case LatencyClass::kDpMinMax:
    case LatencyClass::kDpMul:
    case LatencyClass::kDpMad:
    case LatencyClass::kDpDiv:
      if (pipes.dp_units != 0) return {"dp", pipes.dp_units * sub_cores};
      break;
    case LatencyClass::kIntDiv:
    case LatencyClass::kFpDiv:
    case LatencyClass::kSfu:
      return {"sfu", pipes.sfu_units * sub_cores};
    default:
      break;
  }
  return {"sp", pipes.sp_units * sub_cores};
}

// A group is fetched for when its I-buffer has become empty, in the cycle in which the last instruction
// issued; the next ones may issue in the cycle after they have arrived.
double single_warp_issue_interval(const gpu::GpuConfig& config) {
  const double at_once = fetched_at_once(config);
  return (at_once - 1 + single_warp_fetch_gap(config)) / at_once;
}

std::uint32_t cycles_after_branch(const gpu::GpuConfig& config) {
  return config.core.fetch.latency_cycles + 1;
}

std::uint32_t cycles_to_second(const gpu::GpuConfig& config) {
  return fetched_at_once(config) >= 2 ? 1 : config.core.fetch.latency_cycles + 1;
}

}  // namespace heddle::microbench
