#include "microbench/core_timing.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace heddle::microbench {

std::uint32_t instructions_in_line(const gpu::GpuConfig& config) {
  return config.core.l1i.line_bytes / config.core.l1i.instruction_bytes;
}

std::uint32_t fetched_at_once(const gpu::GpuConfig& config) {
  return std::min(
      {config.core.fetch.width_instructions, config.core.fetch.ibuffer_slots, instructions_in_line(config)});
}

double shared_memory_passes(const gpu::GpuConfig& config) {
  return std::ceil(static_cast<double>(base::kLanes) / config.core.shared_memory.banks);
}

std::uint32_t pass_cycles(const gpu::GpuConfig& config, std::uint32_t passes, std::uint32_t bytes) {
  const std::uint32_t at_once = std::max(1u, bytes / 4);
  return passes <= at_once ? passes : at_once + (passes - at_once) * config.core.lsu.pass_cycles;
}

std::string no_l1(const gpu::GpuConfig& config) {
  return config.core.l1d.enabled ? "" : "there is no L1 (core.l1d.enabled)";
}

std::uint32_t fetched_bytes(const gpu::GpuConfig& config) {
  const core::L1dConfig& l1d = config.core.l1d;
  return l1d.sector_bytes != 0 ? l1d.sector_bytes : l1d.line_bytes;
}

bool refills_at_once(const gpu::GpuConfig& config) { return config.core.fetch.per_sub_core(); }

double fetch_cycles(const gpu::GpuConfig& config, double instructions) {
  if (!refills_at_once(config)) return std::ceil(instructions / fetched_at_once(config));
  return instructions / (fetched_at_once(config) * config.core.scheduler.sub_cores);
}

namespace {

/// Average cycles between instructions of a warp whose results take `latency` cycles, with a unit that refills at once: what
/// it does cycle by cycle. An instruction may issue in the cycle after it has arrived, and gives up its slot then.
double refilled_interval(const gpu::GpuConfig& config, double latency) {
  constexpr std::uint32_t kInstructions = 960;  // a multiple of all periods
  const core::FetchConfig& fetch = config.core.fetch;
  const std::uint32_t in_line = instructions_in_line(config);
  std::vector<double> arrives, issues;
  double now = 0;
  for (; issues.size() < 2 * kInstructions; ++now) {
    if (arrives.size() > issues.size() && arrives[issues.size()] < now &&
        (issues.empty() || issues.back() + latency <= now))
      issues.push_back(now);
    const auto waiting = static_cast<std::uint32_t>(arrives.size() - issues.size());
    const auto left = static_cast<std::uint32_t>(in_line - arrives.size() % in_line);
    arrives.resize(arrives.size() + std::min({fetch.width_instructions, fetch.ibuffer_slots - waiting, left}),
                   now + fetch.latency_cycles);
  }
  return (issues.back() - issues[kInstructions - 1]) / kInstructions;
}

}  // namespace

// The next group is fetched once the I-buffer is empty, in the cycle in which the last instruction issued.
// Its instructions may issue in the cycle after they have arrived.
double single_warp_fetch_gap(const gpu::GpuConfig& config) {
  return refills_at_once(config) ? refilled_interval(config, 1) : config.core.fetch.latency_cycles + 1;
}

double alu_latency_cycles(const gpu::GpuConfig& config, isa::LatencyClass latency_class) {
  return config.core.pipes.timing_of(latency_class).latency_cycles;
}

double alu_initiation_cycles(const gpu::GpuConfig& config, isa::LatencyClass latency_class) {
  return config.core.pipes.timing_of(latency_class).initiation_cycles;
}

PipeKind pipe_kind(const gpu::GpuConfig& config, isa::LatencyClass latency_class) {
  using isa::LatencyClass;
  const core::PipesConfig& pipes = config.core.pipes;
  const double sub_cores = config.core.scheduler.sub_cores;
  switch (latency_class) {
    case LatencyClass::kFpMinMax:
      if (pipes.int_units != 0 && pipes.fp_min_max_on_int) return {"int", pipes.int_units * sub_cores};
      break;
    case LatencyClass::kIntMul:
    case LatencyClass::kIntMad:
      if (pipes.int_mad_on_sp) break;
      [[fallthrough]];
    case LatencyClass::kIntSimple:
    case LatencyClass::kIntMinMax:
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

double single_warp_pipe_interval(const gpu::GpuConfig& config, isa::LatencyClass latency_class) {
  const double units = pipe_kind(config, latency_class).units / config.core.scheduler.sub_cores;
  return alu_initiation_cycles(config, latency_class) / units;
}

// Fetches do not cross instruction cache lines, and none starts before the I-buffer is empty.
double dependent_interval(const gpu::GpuConfig& config, double latency) {
  if (refills_at_once(config)) return refilled_interval(config, latency);
  const double in_line = instructions_in_line(config);
  const double fetches = std::ceil(in_line / fetched_at_once(config));
  return ((in_line - fetches) * latency + fetches * std::max(latency, single_warp_fetch_gap(config))) /
         in_line;
}

double single_warp_issue_interval(const gpu::GpuConfig& config) { return dependent_interval(config, 1); }

std::uint32_t cycles_after_branch(const gpu::GpuConfig& config) {
  return config.core.fetch.latency_cycles + 1 + config.core.fetch.redirect_cycles;
}

double cycles_after_untaken_branch(const gpu::GpuConfig& config) {
  const bool has_it = config.core.fetch.behind_control == core::FetchBehindControl::kGoesOn;
  return has_it ? refilled_interval(config, 1) : cycles_after_branch(config);
}

std::uint32_t cycles_to_instruction(const gpu::GpuConfig& config, std::uint32_t index) {
  if (refills_at_once(config) && config.core.fetch.ibuffer_slots > 1) return 1;
  const bool first_of_fetch = index % instructions_in_line(config) % fetched_at_once(config) == 0;
  return first_of_fetch ? config.core.fetch.latency_cycles + 1 : 1;
}

}  // namespace heddle::microbench
