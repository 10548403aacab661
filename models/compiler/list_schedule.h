// Order of instructions within basic blocks, as assemblers choose it: loads ahead of what uses them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <utility>

#include "compiler/pipeline.h"
#include "isa/instruction.h"

namespace heddle::compiler {

struct ScheduleOptions {
  /// Core cycles from an instruction to one that needs its result, by class; memory: of a load that hits in L1.
  std::array<std::uint32_t, isa::kLatencyClasses> latency{};
  std::uint32_t shared_load = 0;    ///< of loads of shared memory
  std::uint32_t constant_load = 0;  ///< of constants and kernel parameters
  /// 32-bit registers. Where as many hold values, what frees most goes next, not what others wait for longest.
  std::uint32_t registers = 64;
};

/// List scheduling by the longest path of latencies to the end of a run (Gibbons and Muchnick, Efficient Instruction
/// Scheduling for a Pipelined Architecture, PLDI 1986). A run is what lies within a basic block between instructions that stay where they
/// are: control flow, barriers, fences, atomics, instructions of the whole warp, transactions, reads of a clock.
///
/// Within a run each instruction stays behind those whose results it reads, behind readers of what it overwrites, and behind
/// accesses of memory that may be to the same bytes: one of them writes or is strong, the spaces may overlap, and they do not have one base
/// and apart displacements. Constants, kernel parameters and .nc loads are never written. Threads may see weak accesses to other bytes in
/// another order than before, as the memory model allows.
///
/// Kernels that have convergence instructions have been through an assembler and stay as they are. Which block branches to which does not
/// change.
class ListSchedule : public Pass {
 public:
  using Limit = std::function<std::uint32_t(const isa::Kernel&)>;  ///< 32-bit registers of a thread
  /// `limit`: at most so many registers in place of options.registers; may be empty.
  explicit ListSchedule(const ScheduleOptions& options, Limit limit = {})
      : options_(options), limit_(std::move(limit)) {}
  [[nodiscard]] std::string_view name() const override { return "list_schedule"; }
  void run(isa::Kernel& kernel) const override;

 private:
  ScheduleOptions options_;
  Limit limit_;
};

}  // namespace heddle::compiler
