// What a program chooses for its simulated GPU besides the platform: limits, observers, parts of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "compiler/pipeline.h"
#include "core/core_extension.h"
#include "core/observe/trace.h"
#include "gpu/dram_factory.h"
#include "gpu/launch_records.h"
#include "memory/partition_unit.h"

namespace heddle::gpu {

class Gpu;

struct ProgressReport {
  std::string kernel;
  std::uint64_t cycles = 0;             ///< core cycles of this launch so far
  std::uint64_t warp_instructions = 0;  ///< issued in this launch so far
  std::uint64_t ctas_done = 0;
  std::uint64_t ctas_total = 0;
};

struct RunOptions {
  std::uint64_t max_cycles =
      0;  ///< per launch, in core cycles; 0: no limit. Exceeding it throws base::Error with kCycleLimit
  std::uint64_t shuffle_modules =
      0;  ///< seed for the order in which modules are created; 0: natural order. Results do not depend on it
  bool keep_awake = false;  ///< for tests: nothing ever sleeps (sim/clock.h). Results do not depend on it
  bool profile = false;     ///< profile by PC (KernelRecord::profile). Results do not depend on it
  /// Keep every launch's record with its statistics (GpuDevice::launches()): about 8 bytes for each counter
  /// of the GPU. Otherwise launches are only summed up by kernel, and memory use does not grow with their
  /// number.
  bool per_launch = false;
  /// Empties L2 and the cores' instruction caches before each launch, as profilers do with a card's; L2's dirty lines go to memory, in
  /// zero time. L1 and constant caches are empty at the start of a launch in any case.
  bool cold_caches = false;
  /// Each launch begins as if it had run before (replayed_launch.h).
  bool replayed = false;
  std::function<void(const ProgressReport&)> on_progress =
      nullptr;  ///< called about every 0.2 s of host time; may be empty
  /// Called every few thousand cycles; an exception it throws ends the launch. May be empty.
  std::function<void()> on_check = nullptr;
  /// Receives what kernels print (printf), one call each; empty: standard output.
  std::function<void(const std::string& text)> on_print = nullptr;
  /// Called at the end of each launch, even if an error has ended it; may be empty.
  std::function<void(const LaunchRecord&)> on_launch = nullptr;
  /// May add passes to the compilation of kernels when their module is loaded; may be empty.
  std::function<void(compiler::Pipeline&)> compiler = nullptr;
  core::TraceSink* trace = nullptr;  ///< records tables and timelines; outlives the device; nullptr: nothing
  DramFactory dram = dram_channels();            ///< the memory behind each partition
  memory::PartitionUnitFactory units = nullptr;  ///< the unit before each partition; empty: there are none
  /// Extensions of every core: taps, gates, units before the load/store unit (core/core_extension.h).
  std::vector<core::CoreExtensionFactory> core_extensions{};
  /// Binds further modules to the GPU's, for example clients of the cores' memory ports, before elaboration
  /// ends. May be empty.
  std::function<void(Gpu&)> extend = nullptr;
  /// RTL for blocks whose key `impl` selects it; outlives the device; nullptr: none.
  sim::Twins* twins = nullptr;
};

}  // namespace heddle::gpu
