// The configuration of a whole GPU: the root of every platform YAML file.
#pragma once

#include <cstdint>
#include <string>

#include "base/config.h"
#include "core/config.h"
#include "core/cta/cta_dispatch_policy.h"
#include "energy/energy_config.h"
#include "isa/matrix.h"
#include "memory/config.h"

namespace heddle::analysis {
enum class DelayedPaths : std::uint8_t;
}

namespace heddle::gpu {

struct ClocksConfig {
  double core_mhz = 1400;
  double interconnect_mhz = 700;
  double l2_mhz = 700;
  double dram_mhz = 924;
  void visit(base::ConfigVisitor& v);
};

struct WatchdogConfig {
  bool enabled = true;
  std::uint64_t check_cycles = 2048;
  std::uint64_t memory_cycles = 2'000'000;
  void visit(base::ConfigVisitor& v);
};

/// The order of PTX instructions within basic blocks: key core.schedule.
enum class InstructionSchedule : std::uint8_t { kAsWritten, kList };
/// How kernels are transformed before they run (kernel_compiler.h).
enum class CompilerStep : std::uint8_t { kNone, kSsde, kDelayedReconvergence };

/// What .approx instructions of PTX give.
enum class Approximations : std::uint8_t { kRounded, kMufu };

/// Convergence instructions put into kernels that have none (models/compiler/convergence), for mechanisms that execute
/// them. Key core.convergence.
struct ConvergenceConfig {
  enum class Placement : std::uint8_t { kAuto, kOn, kOff };
  enum class Delay : std::uint8_t { kFar, kNear, kOff };
  enum class Waits : std::uint8_t { kStrong, kAny };
  enum class Yields : std::uint8_t { kNeeded, kAll, kOff };
  Placement placement = Placement::kAuto;
  std::uint32_t barrier_registers = 0;
  Delay delay = Delay::kFar;
  Waits waits = Waits::kStrong;
  bool early = true;
  bool loop_exits = false;
  Yields yields = Yields::kNeeded;
  bool breaks = true;
  bool pins = true;
  bool recursion = true;
  void visit(base::ConfigVisitor& v);
};

/// How the simulator uses the machine that it runs on. Decides no result, but how far other cores have come when a kernel's fault ends
/// a launch. Key host.
struct HostConfig {
  enum class RunAhead : std::uint8_t { kWhereItPays, kNever, kAlways };
  std::uint32_t threads = 1;
  RunAhead run_ahead = RunAhead::kWhereItPays;
  std::uint32_t delay_seed = 0;  ///< key test.host.delay_seed: threads are late at random
  void visit(base::ConfigVisitor& v);
};

/// What whole CUDA programs see of the machine beside its kernels (platforms/runtime). Key runtime.
struct RuntimeConfig {
  enum class Code : std::uint8_t { kPtx, kMachineCode, kBest };
  std::uint32_t compute_capability = 20;
  Code code = Code::kPtx;
  enum class ArrayLayout : std::uint8_t { kBlocks, kRows };
  bool tolerant_memory = true;
  bool concurrent_streams = false;
  bool ptx_fallback = true;
  ArrayLayout array_layout = ArrayLayout::kBlocks;
  double launch_ns = 3000;
  double copy_ns = 6000;
  double copy_gbytes_per_s = 6;
  void visit(base::ConfigVisitor& v);
};

/// Keys: name, cores, clocks.*, core.*, dispatch.*, memory.*, those of the mechanisms of the whole GPU, energy.*,
/// watchdog.*, runtime.*, host.*
struct GpuConfig {
  /// Includes the mechanisms (registries.h) and energy events (energy_events.h) registered so far.
  GpuConfig();

  std::string name = "gtx480";
  std::uint32_t cores = 15;
  ClocksConfig clocks;
  core::CoreConfig core;
  CompilerStep compiler = CompilerStep::kNone;               ///< key core.compiler
  std::string compiler_except;                               ///< key core.compiler_except
  InstructionSchedule schedule{};                            ///< key core.schedule
  std::uint32_t schedule_registers = 64;                     ///< key core.schedule_registers
  Approximations approximations = Approximations::kRounded;  ///< key core.approximations
  std::uint32_t tensor_block_bits = 128;                     ///< key core.tensor_block_bits
  std::uint32_t tensor_extra_bits = 1;                       ///< key core.tensor_extra_bits
  [[nodiscard]] isa::TensorNumerics tensor() const { return {tensor_block_bits, tensor_extra_bits}; }
  /// Key core.delayed_paths: where the paths of delayed reconvergence start ([AWARE:A9]).
  analysis::DelayedPaths delayed_paths{};
  ConvergenceConfig convergence;
  core::DispatchConfig dispatch;
  memory::MemoryConfig memory;
  base::ConfigOptions mechanisms;  ///< sections of mechanisms of the whole GPU (system/gpu_mechanism.h)
  energy::EnergyConfig energy;
  WatchdogConfig watchdog;
  RuntimeConfig runtime;
  HostConfig host;
  /// Additional local memory per thread for kernels with recursion or alloca.
  std::uint32_t stack_bytes_per_thread = 4096;
  /// Of kernels that call malloc: for all threads of all launches.
  std::uint32_t heap_kib = 8192;

  void visit(base::ConfigVisitor& v);
  void validate() const;
};

}  // namespace heddle::gpu
