// Times within a core that follow from the configuration, shared by several benchmarks' expectations.
#pragma once

#include <cstdint>
#include <string>

#include "gpu/gpu_config.h"

namespace heddle::microbench {

/// Cycles from the issue of an arithmetic instruction to that of one that needs its result, as configured.
[[nodiscard]] double alu_latency_cycles(const gpu::GpuConfig& config, isa::LatencyClass latency_class);
/// Cycles a pipe is taken by one warp instruction.
[[nodiscard]] double alu_initiation_cycles(const gpu::GpuConfig& config, isa::LatencyClass latency_class);
/// The pipes that take a class's instructions.
struct PipeKind {
  std::string name;  ///< "sp", "int", "sfu", "dp"
  double units = 1;  ///< of all sub-cores
};
[[nodiscard]] PipeKind pipe_kind(const gpu::GpuConfig& config, isa::LatencyClass latency_class);
/// "" or why L1 cannot be measured (Benchmark::missing).
[[nodiscard]] std::string no_l1(const gpu::GpuConfig& config);
/// Passes through the banks of shared memory of a load of consecutive words.
[[nodiscard]] double shared_memory_passes(const gpu::GpuConfig& config);
/// Bytes that a load of one lane fetches: a line, or a sector of it.
[[nodiscard]] std::uint32_t fetched_bytes(const gpu::GpuConfig& config);
/// Instructions in a line of the instruction cache.
[[nodiscard]] std::uint32_t instructions_in_line(const gpu::GpuConfig& config);
/// Instructions one fetch brings into the I-buffer.
[[nodiscard]] std::uint32_t fetched_at_once(const gpu::GpuConfig& config);
/// Cycles from the last of them to the next instruction, of a warp that has the core to itself.
[[nodiscard]] double single_warp_fetch_gap(const gpu::GpuConfig& config);
/// Cycles between two dependent instructions of one warp whose results take `latency` cycles, on average.
[[nodiscard]] double dependent_interval(const gpu::GpuConfig& config, double latency);
/// Cycles between two instructions of a class that one warp's pipes can take.
[[nodiscard]] double single_warp_pipe_interval(const gpu::GpuConfig& config, isa::LatencyClass latency_class);
/// Cycles between two independent instructions of a warp that has the core to itself, on average.
[[nodiscard]] double single_warp_issue_interval(const gpu::GpuConfig& config);
/// Cycles from a control instruction to the next one of its warp.
[[nodiscard]] std::uint32_t cycles_after_branch(const gpu::GpuConfig& config);
/// Cycles from instruction number `index` - 1 of a round (TimedKernel) to number `index`, if that waits for
/// nothing but fetch and the one before it has waited long for something else.
[[nodiscard]] std::uint32_t cycles_to_instruction(const gpu::GpuConfig& config, std::uint32_t index);

}  // namespace heddle::microbench
