// The SystemC GPU seen as a host::Device: elaborates the whole GPU once (one per process) and runs launches
// on it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/profile.h"
#include "core/trace.h"
#include "gpu/dram_factory.h"
#include "gpu/gpu_config.h"
#include "host/device.h"
#include "sim/stats.h"

namespace heddle::gpu {

struct ProgressReport {
  std::string kernel;
  std::uint64_t cycles = 0;             ///< core cycles of this launch so far
  std::uint64_t warp_instructions = 0;  ///< issued in this launch so far
  std::uint64_t ctas_done = 0;
  std::uint64_t ctas_total = 0;
};

struct RunOptions {
  std::uint64_t max_cycles =
      0;  ///< per launch, in core cycles; 0: no limit. Exceeding it: sim::Error with kCycleLimit
  std::uint64_t shuffle_modules =
      0;  ///< seed for the order in which modules are created; 0: natural order. Results never depend on it
  bool keep_awake = false;  ///< for tests: nothing ever sleeps (sim/clock.h). Results never depend on it
  bool profile = false;  ///< profile every launch by PC (LaunchRecord::profile). Results never depend on it
  std::function<void(const ProgressReport&)>
      on_progress;  ///< called about every 0.2 s of host time; may be empty
  /// Called every few thousand cycles; what it throws ends the launch. May be empty.
  std::function<void()> on_check = nullptr;
  /// Takes what kernels print (printf), call by call; empty: it goes to standard output.
  std::function<void(const std::string& text)> on_print = nullptr;
  core::TraceSink* trace = nullptr;  ///< records tables and timelines; outlives the device; nullptr: nothing
  DramFactory dram = dram_channels();  ///< the memory behind each partition
  /// RTL for blocks whose key `impl` asks for it; outlives the device; nullptr: there is none.
  sim::Twins* twins = nullptr;
};

/// One launch: finished, or ended by an error and with what there was then.
struct LaunchRecord {
  bool complete = false;  ///< it has finished
  std::string kernel;
  std::shared_ptr<const isa::Kernel> code;
  host::Launch shape;
  std::uint64_t cycles = 0;  ///< core cycles from launch to the last CTA's completion
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
  double host_seconds = 0;                     ///< not part of stats (not reproducible)
  nlohmann::ordered_json stats;                ///< the whole statistics tree of this launch
  std::optional<core::KernelProfile> profile;  ///< of all cores together, if RunOptions::profile
};

/// A hang throws sim::Error with ExitCode::kHang; its message is the watchdog's whole diagnosis. SystemC
/// elaborates once: a second GpuDevice in a process is an InputError.
class GpuDevice : public host::Device {
 public:
  GpuDevice(const GpuConfig& config, RunOptions options);
  ~GpuDevice() override;

  std::uint64_t allocate(std::uint64_t bytes, const std::string& name) override;
  void free(std::uint64_t address) override;
  void write(std::uint64_t address, std::span<const std::byte> bytes) override;
  void read(std::uint64_t address, std::span<std::byte> bytes) override;
  host::ModuleHandle load_ptx_file(const std::string& path) override;
  host::ModuleHandle load_ptx_text(const std::string& text, const std::string& name) override;
  std::shared_ptr<const isa::Kernel> kernel(host::ModuleHandle module, const std::string& name) override;
  std::uint64_t symbol(host::ModuleHandle module, const std::string& name) override;
  void launch(host::ModuleHandle module, const std::string& kernel, const host::Launch& shape,
              const host::Args& args) override;

  void synchronize() override;
  [[nodiscard]] host::DeviceProperties properties() const override;

  [[nodiscard]] const std::vector<LaunchRecord>& launches() const;
  [[nodiscard]] const GpuConfig& config() const;
  [[nodiscard]] sim::StatGroup& stats();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::gpu
