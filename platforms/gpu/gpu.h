// The whole GPU: clocks, cores, crossbar, memory partitions, DRAM channels, CTA dispatcher, watchdog.
// Composition only.
//
//   dispatcher --CTA--> core 0..N-1 --memory--> crossbar --memory--> partition 0..P-1
//                                                   partition 0..P-1 --base protocol--> dram 0..P-1
#pragma once

#include <deque>
#include <memory>
#include <systemc>
#include <vector>

#include "base/stats.h"
#include "core/core.h"
#include "core/cta/cta_dispatcher.h"
#include "core/issue/hazard_log.h"
#include "gpu/dram_factory.h"
#include "gpu/gpu_config.h"
#include "gpu/gpu_lookahead.h"
#include "gpu/host_use.h"
#include "host/allocation.h"
#include "memory/channel_map.h"
#include "memory/crossbar.h"
#include "memory/memory_watch.h"
#include "memory/partition.h"
#include "memory/partition_unit.h"
#include "sim/clock.h"
#include "sim/fault_latch.h"
#include "sim/memory_payload.h"
#include "sim/progress.h"
#include "sim/watchdog.h"
#include "system/gpu_mechanism.h"

namespace heddle::gpu {

/// What only one core or memory partition, and so only one host thread at a time, uses of what the GPU's blocks share.
struct ProcessParts {
  explicit ProcessParts(sim::ProgressMonitor& whole) : progress(whole) {}
  sim::MemoryPool pool;
  sim::ProgressMonitor progress;
};

class Gpu : public sc_core::sc_module {
 public:
  /// `shuffle`: seed for the order in which cores and partitions are created (0: natural). Results do not
  /// depend on it. `dram` makes the memory behind each partition; `twins` the RTL that blocks select; `units`
  /// the unit before each partition, if any; `core_extensions` the extensions of every core.
  Gpu(const sc_core::sc_module_name& name, const GpuConfig& config, const host::AllocationTable& allocations,
      std::uint64_t shuffle, const DramFactory& dram = dram_channels(), sim::Twins* twins = nullptr,
      const memory::PartitionUnitFactory& units = nullptr,
      const std::vector<core::CoreExtensionFactory>& core_extensions = {});
  ~Gpu() override;

  base::StatGroup stats;
  sim::ProgressMonitor progress;
  core::HazardLog hazards;  ///< of control codes
  sim::MemoryPool pool;

  sim::ClockManager clocks{"clocks"};
  sim::FaultLatch faults{clocks};
  sim::ClockDomain core_clock;
  sim::ClockDomain interconnect_clock;
  sim::ClockDomain l2_clock;
  sim::ClockDomain dram_clock;
  sim::ClockDomain system_clock;  ///< dispatcher and watchdog: core frequency, runs last in an instant
  std::unique_ptr<sim::ClockDomain> unit_clock;  ///< L2 frequency; only if there are partition units

  memory::AddressMap address_map;
  memory::ChannelMap channel_map;
  std::vector<std::string> mechanism_names;  ///< sections of the next
  /// Those that the configuration asks for (registries.h).
  std::vector<std::unique_ptr<system::GpuMechanism>> mechanisms;
  memory::MemoryWatch memory_watch;
  core::CtaDispatcher dispatcher;
  sim::Watchdog watchdog;
  std::unique_ptr<memory::Crossbar> crossbar;
  // Several host threads (host.threads); else null. Before the cores and partitions, whose clocks they have.
  std::unique_ptr<GpuLookahead> lookahead;
  std::unique_ptr<sim::Windows> windows;
  bool wants_to_run_ahead = false;  ///< HostConfig: cores are to
  std::string
      in_order;  ///< why they run one after another all the same, in some launch at least; empty: they do not
  std::deque<ProcessParts> parts;  ///< of the cores, then of the partitions
  std::vector<std::unique_ptr<core::Core>> cores;
  std::vector<std::unique_ptr<memory::MemoryPartition>> partitions;
  std::vector<std::unique_ptr<memory::PartitionUnit>> units;  ///< one per partition, or none
  std::vector<std::unique_ptr<sc_core::sc_module>> drams;

  /// Cores and partitions run one after another, on one thread, from now on. `why`: for reports; empty: they need not.
  void keep_in_order(const std::string& why);
  /// The same of the launch that begins.
  void begin_launch(const std::string& why);
  [[nodiscard]] HostUse host_use() const;

 private:
  [[nodiscard]] std::vector<std::unique_ptr<system::GpuMechanism>> make_mechanisms(
      const GpuConfig& config, const host::AllocationTable& allocations);
  /// Why cores must run one after another; empty: they need not.
  [[nodiscard]] std::string one_after_another(const GpuConfig& config, bool extensions_of_program) const;
  /// Inserts the unit of a partition, or connects the crossbar directly.
  void connect(std::uint32_t partition, const memory::PartitionUnitFactory& factory, base::StatGroup& group);
};

}  // namespace heddle::gpu
