// The SystemC GPU as a host::Device: elaborates the whole GPU once (one per process) and runs launches on it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/stats.h"
#include "core/issue/hazard_log.h"
#include "gpu/estimated_launch.h"
#include "gpu/gpu_config.h"
#include "gpu/host_use.h"
#include "gpu/launch_records.h"
#include "gpu/run_options.h"
#include "host/concurrent.h"
#include "host/device.h"
#include "host/limits.h"
#include "host/memory_map.h"
#include "sim/store_watch.h"

namespace heddle::gpu {

/// What a program sees of a machine, without one.
[[nodiscard]] host::DeviceProperties properties_of(const GpuConfig& config);

/// A hang throws base::Error with ExitCode::kHang; its message is the watchdog's complete diagnosis. SystemC
/// elaborates once: a second GpuDevice in a process is an InputError. Calls may come from different host
/// threads (see host::Device for the rules).
class GpuDevice : public host::Device, public host::MemoryMap, public host::Limited, public host::Concurrent {
 public:
  GpuDevice(const GpuConfig& config, RunOptions options);
  ~GpuDevice() override;

  std::uint64_t allocate(std::uint64_t bytes, const std::string& name) override;
  void free(std::uint64_t address) override;
  void write(std::uint64_t address, std::span<const std::byte> bytes) override;
  void read(std::uint64_t address, std::span<std::byte> bytes) override;
  host::ModuleHandle load_module(std::span<const std::byte> bytes, const std::string& name) override;
  host::ModuleHandle load_sharing(std::span<const std::byte> bytes, const std::string& name,
                                  host::ModuleHandle variables_of) override;
  void set_tolerance(std::uint64_t bytes) override;
  std::optional<std::vector<std::uint64_t>> take_written_pages() override;
  void set_limits(const host::Limits& limits) override;
  void unload(host::ModuleHandle module) override;
  std::shared_ptr<const isa::Kernel> kernel(host::ModuleHandle module, const std::string& name) override;
  std::uint64_t symbol(host::ModuleHandle module, const std::string& name) override;
  [[nodiscard]] std::vector<host::ModuleSymbol> symbols(host::ModuleHandle module) const override;
  [[nodiscard]] std::vector<host::HeapBlock> heap_blocks() const override;
  void launch(host::ModuleHandle module, const std::string& kernel, const host::Launch& shape,
              const host::Args& args) override;

  /// The launches share the GPU (core/cta/launch_group.h). Each has a record with its cycles, from its first CTA's start to its last
  /// one's end, and its instructions; the statistics tree, which is of all of them, stands with the first. None run together
  /// where a mechanism spans the GPU, and with traces, estimates, profiles, samples and launches without time.
  std::vector<host::LaunchInterval> launch_together(std::span<const host::QueuedLaunch> launches) override;

  /// From now on launches that are large enough are estimated (estimated_launch.h). Cooperative launches and parts of grids never are.
  /// Throws base::InputError if a mechanism spans the GPU, and what check() throws.
  void estimate(const Estimation& estimation);
  /// From now on only the launches are simulated for whose kernels `chosen`, which is asked once for each, says so. The others run
  /// without time (functional_launch.h) and leave no record.
  void simulate_only(std::function<bool(const std::string& kernel)> chosen);
  /// Warp instructions executed without time, of parts of launches as well.
  [[nodiscard]] std::uint64_t instructions_without_time() const;

  void synchronize() override;
  [[nodiscard]] host::DeviceProperties properties() const override;
  /// Blocks of this shape that a core holds at once; 0: it holds none.
  [[nodiscard]] std::uint32_t resident_blocks(host::ModuleHandle module, const std::string& kernel,
                                              const host::Launch& shape) const;

  // Launch records. References are valid until the next call that launches, unloads or forgets.

  /// Launches summed up by kernel, in order of their first launch. A launch that an error has ended is the
  /// last of its kernel, with the counts up to that point.
  [[nodiscard]] const std::vector<KernelRecord>& kernels() const;
  /// Throws base::InputError before the first launch.
  [[nodiscard]] const LaunchRecord& last_launch() const;
  /// Whether RunOptions::per_launch is set.
  [[nodiscard]] bool keeps_launches() const;
  /// Every launch; throws base::InputError if they are not kept.
  [[nodiscard]] const std::vector<LaunchRecord>& launches() const;
  /// Number of launches begun; all but the last have finished.
  [[nodiscard]] std::uint64_t launch_count() const;
  /// The statistics tree of a record's `values`.
  [[nodiscard]] nlohmann::ordered_json statistics(const base::StatValues& values) const;
  /// Statistics of the last launch, finished or not.
  [[nodiscard]] base::StatGroup& stats();
  /// Drops all records, for long-running programs that keep launching new kernels.
  void forget_launches();

  /// How the simulator has used the machine that it runs on, so far.
  [[nodiscard]] HostUse host_use() const;
  /// What control codes would have let through (core.scoreboard.check_hazards).
  [[nodiscard]] const core::HazardLog& hazards() const;
  [[nodiscard]] const GpuConfig& config() const;
  /// What is allocated now: the program's buffers and its modules' variables.
  [[nodiscard]] const host::AllocationTable& allocations() const;
  /// Which store a word of memory had last (sim/store_watch.h); core extensions tell it.
  [[nodiscard]] sim::StoreWatch& store_watch();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::gpu
