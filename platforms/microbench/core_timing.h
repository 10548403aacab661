// Timing within a core derived from the configuration, shared by the expectations of several benchmarks.
#pragma once

#include <cstdint>
#include <string>

#include "gpu/gpu_config.h"

namespace heddle::microbench {

/// Cycles from the issue of an arithmetic instruction to that of one that needs its result, as configured.
[[nodiscard]] double alu_latency_cycles(const gpu::GpuConfig& config, isa::LatencyClass latency_class);
/// Cycles that one warp instruction occupies a pipe.
[[nodiscard]] double alu_initiation_cycles(const gpu::GpuConfig& config, isa::LatencyClass latency_class);
/// The pipes that execute a class's instructions.
struct PipeKind {
  std::string name;  ///< "sp", "int", "sfu", "dp"
  double units = 1;  ///< of all sub-cores combined
};
[[nodiscard]] PipeKind pipe_kind(const gpu::GpuConfig& config, isa::LatencyClass latency_class);
/// Empty, or why L1 cannot be measured (Benchmark::missing).
[[nodiscard]] std::string no_l1(const gpu::GpuConfig& config);
/// Passes through the banks of shared memory of a load of consecutive words.
[[nodiscard]] double shared_memory_passes(const gpu::GpuConfig& config);
/// Cycles from the first of so many passes of a memory instruction to the end of the last, with elements of `bytes` in each lane.
[[nodiscard]] std::uint32_t pass_cycles(const gpu::GpuConfig& config, std::uint32_t passes,
                                        std::uint32_t bytes = 4);
/// Bytes that a load of one lane fetches: a line, or a sector of it.
[[nodiscard]] std::uint32_t fetched_bytes(const gpu::GpuConfig& config);
/// Instructions in a line of the instruction cache.
[[nodiscard]] std::uint32_t instructions_in_line(const gpu::GpuConfig& config);
/// Instructions one fetch brings into the I-buffer.
[[nodiscard]] std::uint32_t fetched_at_once(const gpu::GpuConfig& config);
/// An I-buffer is refilled as soon as it has a free slot, not when it is empty.
[[nodiscard]] bool refills_at_once(const gpu::GpuConfig& config);
/// Cycles in which the core's fetch units are busy with so many instructions of one warp, where all have warps.
[[nodiscard]] double fetch_cycles(const gpu::GpuConfig& config, double instructions);
/// Cycles from the last of them to the next instruction, for a warp that has the core to itself.
[[nodiscard]] double single_warp_fetch_gap(const gpu::GpuConfig& config);
/// Average cycles between two dependent instructions of one warp whose results take `latency` cycles.
[[nodiscard]] double dependent_interval(const gpu::GpuConfig& config, double latency);
/// Cycles between two instructions of a class that the pipes can accept from one warp.
[[nodiscard]] double single_warp_pipe_interval(const gpu::GpuConfig& config, isa::LatencyClass latency_class);
/// Average cycles between two independent instructions of a warp that has the core to itself.
[[nodiscard]] double single_warp_issue_interval(const gpu::GpuConfig& config);
/// Cycles from a control instruction to the next one of its warp, if that stands elsewhere.
[[nodiscard]] std::uint32_t cycles_after_branch(const gpu::GpuConfig& config);
/// The same if the warp goes on with what follows.
[[nodiscard]] double cycles_after_untaken_branch(const gpu::GpuConfig& config);
/// Cycles from instruction `index` - 1 of a round (TimedKernel) to instruction `index`, if the latter waits
/// only for fetch and the former has waited long for something else.
[[nodiscard]] std::uint32_t cycles_to_instruction(const gpu::GpuConfig& config, std::uint32_t index);

}  // namespace heddle::microbench
