#include "gpu/gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <typeinfo>
#include <utility>

#include "base/error.h"
#include "core/cta/gpc_dispatch.h"
#include "energy/energy_account.h"
#include "gpu/registries.h"
#include "memory/dram_channel.h"

namespace heddle::gpu {
namespace {

/// 0..count-1, permuted by the seed (Fisher-Yates on a linear congruential generator).
std::vector<std::uint32_t> creation_order(std::uint32_t count, std::uint64_t seed) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  if (seed == 0) return order;
  std::uint64_t state = seed;
  for (std::uint32_t i = count; i > 1; --i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    std::swap(order[i - 1], order[(state >> 33) % i]);
  }
  return order;
}

std::string numbered(const char* name, std::uint32_t i) { return name + std::to_string(i); }

/// One host thread tries windows on a GPU of so many cores: there a core's state has left the host's caches when its turn comes
/// again cycle by cycle (figures: models/sim/README.md).
constexpr std::uint32_t kManyCores = 64;

sim::AheadGain::Policy ahead_policy(const HostConfig& host) {
  using Policy = sim::AheadGain::Policy;
  if (host.run_ahead == HostConfig::RunAhead::kAlways) return Policy::kAhead;
  if (host.threads == 1) return Policy::kCounted;
  return host.delay_seed != 0 ? Policy::kByTurns : Policy::kMeasured;
}

/// None is of the program, nor derived from Heddle's by it.
bool own_channels(const std::vector<std::unique_ptr<sc_core::sc_module>>& drams) {
  return std::all_of(drams.begin(), drams.end(), [](const std::unique_ptr<sc_core::sc_module>& dram) {
    const sc_core::sc_module& channel = *dram;
    return typeid(channel) == typeid(memory::DramChannel);
  });
}

/// Heddle's own channel stores sparse pages, and sparse addresses keep its mapping to banks and rows
/// unchanged. Other memories have a fixed size.
bool dense_addresses(const memory::DramConfig& config,
                     const std::vector<std::unique_ptr<sc_core::sc_module>>& drams) {
  if (config.addresses != memory::ChannelAddresses::kAuto)
    return config.addresses == memory::ChannelAddresses::kDense;
  return !std::all_of(drams.begin(), drams.end(), [](const std::unique_ptr<sc_core::sc_module>& dram) {
    return dynamic_cast<const memory::DramChannel*>(dram.get()) != nullptr;
  });
}

}  // namespace

DramFactory dram_channels() {
  return [](const DramSite& site, tlm::tlm_initiator_socket<>& partition) {
    auto channel = std::make_unique<memory::DramChannel>(numbered("dram", site.partition).c_str(),
                                                         site.config, site.clock, site.stats);
    partition.bind(channel->dram_tsock);
    return channel;
  };
}

// What was made last goes first: SystemC looks for each port that goes in a list of all, from its end.
Gpu::~Gpu() {
  const auto from_the_end = [](auto& modules) {
    while (!modules.empty()) modules.pop_back();
  };
  from_the_end(drams);
  from_the_end(units);
  from_the_end(partitions);
  from_the_end(cores);
}

namespace {

using Mechanisms = std::vector<std::unique_ptr<system::GpuMechanism>>;

/// What the configuration adds to every core, and behind it what the program does.
std::vector<core::CoreExtensionFactory> extensions_of(
    const GpuConfig& config, const Mechanisms& mechanisms,
    const std::vector<core::CoreExtensionFactory>& of_program) {
  std::vector<core::CoreExtensionFactory> all;
  for (const core::CoreUnit& unit : core_units().entries())
    if (core::CoreExtensionFactory factory = unit.make(config.core)) all.push_back(std::move(factory));
  for (const auto& mechanism : mechanisms)
    if (core::CoreExtensionFactory factory = mechanism->core_extension()) all.push_back(std::move(factory));
  all.insert(all.end(), of_program.begin(), of_program.end());
  return all;
}

[[noreturn]] void refuse_second(const char* part) {
  throw base::InputError("configuration", std::string("two mechanisms of the GPU have their own ") + part,
                         "switch one of them on, not both");
}

/// The partition units of the program or of a mechanism.
memory::PartitionUnitFactory units_of(const Mechanisms& mechanisms, memory::PartitionUnitFactory of_program) {
  memory::PartitionUnitFactory found = std::move(of_program);
  for (const auto& mechanism : mechanisms) {
    memory::PartitionUnitFactory own = mechanism->partition_unit();
    if (own && found) refuse_second("partition units");
    if (own) found = std::move(own);
  }
  return found;
}

/// A mechanism's, instead of the one that dispatch.policy selects: nobody is to believe that another one ran.
std::unique_ptr<core::CtaDispatchPolicy> policy_of(const core::DispatchConfig& config,
                                                   const Mechanisms& mechanisms) {
  std::unique_ptr<core::CtaDispatchPolicy> found;
  for (const auto& mechanism : mechanisms) {
    std::unique_ptr<core::CtaDispatchPolicy> own = mechanism->dispatch_policy();
    if (own && found) refuse_second("distribution of CTAs");
    if (own) found = std::move(own);
  }
  const std::string usual = dispatch_policies().entries().front().name;
  if (found && config.policy != usual)
    throw base::InputError(
        "dispatch.policy",
        "'" + config.policy + "' would have no effect: a mechanism of the GPU distributes CTAs itself",
        "leave it at " + usual + ", or switch the mechanism off (determinism.enabled=false)");
  return found;
}

}  // namespace

Gpu::Gpu(const sc_core::sc_module_name& name, const GpuConfig& config,
         const host::AllocationTable& allocations, std::uint64_t shuffle, const DramFactory& dram,
         sim::Twins* twins, const memory::PartitionUnitFactory& units_of_program,
         const std::vector<core::CoreExtensionFactory>& core_extensions)
    : sc_module(name),
      stats("gpu", "whole GPU"),
      core_clock(clocks, "core_clock", config.clocks.core_mhz, sim::ClockRank::kCore),
      interconnect_clock(clocks, "interconnect_clock", config.clocks.interconnect_mhz,
                         sim::ClockRank::kInterconnect),
      l2_clock(clocks, "l2_clock", config.clocks.l2_mhz, sim::ClockRank::kL2),
      dram_clock(clocks, "dram_clock", config.clocks.dram_mhz, sim::ClockRank::kDram),
      system_clock(clocks, "system_clock", config.clocks.core_mhz, sim::ClockRank::kSystem),
      address_map(config.memory.map()),
      mechanisms(make_mechanisms(config, allocations)),
      memory_watch(config.watchdog.enabled ? config.watchdog.memory_cycles : 0, core_clock, address_map),
      dispatcher("dispatcher", config.dispatch, config.cores, system_clock, faults,
                 stats.child("dispatcher", "CTA dispatcher"), policy_of(config.dispatch, mechanisms)),
      watchdog("watchdog", {config.watchdog.enabled, config.watchdog.check_cycles}, system_clock, progress),
      cores(config.cores),
      partitions(config.memory.partitions),
      drams(config.memory.partitions) {
  // Create the groups in natural order first, independent of the order of module creation.
  for (std::uint32_t i = 0; i < config.cores; ++i) stats.child(numbered("core", i), "SIMT core");
  stats.child("crossbar", "network between cores and memory partitions");
  for (std::uint32_t i = 0; i < config.memory.partitions; ++i)
    stats.child(numbered("partition", i), "memory partition").child("dram", "DRAM channel");

  memory::CrossbarConfig network = config.memory.crossbar;
  if (!mechanisms.empty()) network.coalesced_reads = 1;
  if (network.coalesced_reads != 1)
    network.group_of_core = core::gpc_of_cores(config.dispatch.get<core::GpcDispatchConfig>(), config.cores);
  crossbar = std::make_unique<memory::Crossbar>("crossbar", config.cores, config.memory.partitions, network,
                                                address_map, interconnect_clock, stats.child("crossbar"));
  const memory::PartitionUnitFactory unit_factory = units_of(mechanisms, units_of_program);
  if (unit_factory) {
    unit_clock = std::make_unique<sim::ClockDomain>(clocks, "unit_clock", config.clocks.l2_mhz,
                                                    sim::ClockRank::kPartitionUnit);
    units.resize(config.memory.partitions);
    crossbar->declare_messages();
  }
  if (twins != nullptr) twins->set_core_clock(core_clock);
  wants_to_run_ahead = config.host.threads > 1 || config.cores >= kManyCores ||
                       config.host.run_ahead == HostConfig::RunAhead::kAlways;
  const std::string why_in_order =
      wants_to_run_ahead ? one_after_another(config, !core_extensions.empty()) : "";
  if (wants_to_run_ahead && why_in_order.empty()) {
    lookahead = std::make_unique<GpuLookahead>(*crossbar, dispatcher, watchdog, system_clock, cores);
    windows = std::make_unique<sim::Windows>(clocks, config.cores + config.memory.partitions, *lookahead,
                                             config.host.threads, ahead_policy(config.host),
                                             config.host.delay_seed);
    // The cycle in which L2 takes a request up may have begun when it arrives.
    const std::uint32_t l2_cycles = config.memory.l2.latency_cycles;
    lookahead->bind(*windows, l2_clock.edge_time(l2_cycles - std::min(l2_cycles, 1u)));
  }
  // Cores, and partitions with their channels, have clocks of their own where they run ahead of the rest.
  const auto clock_of = [&](std::uint32_t process, const char* clock, std::uint32_t i,
                            sim::ClockDomain& common) -> sim::ClockDomain& {
    if (!windows) return common;
    return windows->process(process).add_domain(common, numbered(clock, i));
  };
  for (std::uint32_t i = 0; i < config.cores + config.memory.partitions; ++i) parts.emplace_back(progress);
  const std::vector<core::CoreExtensionFactory> extensions =
      extensions_of(config, mechanisms, core_extensions);
  for (const std::uint32_t i : creation_order(config.cores, shuffle)) {
    const core::CoreServices services{clock_of(i, "core_clock", i, core_clock),
                                      parts[i].pool,
                                      allocations,
                                      parts[i].progress,
                                      faults,
                                      twins,
                                      extensions,
                                      &hazards};
    core::CoreConfig core = config.core;
    core.fence.slices = config.memory.partitions;
    cores[i] = std::make_unique<core::Core>(numbered("core", i).c_str(), base::CoreId{i}, core, services,
                                            stats.child(numbered("core", i)));
    cores[i]->memory_isock().bind(crossbar->core_tsock[i]);
    dispatcher.cta_isocks[i]->bind(cores[i]->cta_tsock);
    cores[i]->cta_done_isock.bind(*dispatcher.done_tsocks[i]);
  }
  for (const std::uint32_t i : creation_order(config.memory.partitions, shuffle)) {
    base::StatGroup& group = stats.child(numbered("partition", i));
    memory::L2Config slice = config.memory.l2;
    slice.half = static_cast<std::uint32_t>(std::uint64_t{i} * slice.halves / config.memory.partitions);
    const std::uint32_t process = config.cores + i;
    partitions[i] = std::make_unique<memory::MemoryPartition>(
        numbered("partition", i).c_str(), slice, address_map, clock_of(process, "l2_clock", i, l2_clock),
        parts[process].progress, group);
    connect(i, unit_factory, group);
    memory::DramConfig channel = config.memory.dram;
    channel.channel = i;
    drams[i] = dram({i, channel, clock_of(process, "dram_clock", i, dram_clock), group.child("dram")},
                    partitions[i]->dram_isock);
  }
  keep_in_order(why_in_order);
  if (twins != nullptr && !twins->uses().empty()) keep_in_order("RTL of " + twins->uses().front().block);
  if (own_channels(drams))
    for (auto& partition : partitions) partition->memory_has_a_clock();
  else
    keep_in_order("a memory of the program");
  if (dense_addresses(config.memory.dram, drams))
    channel_map = memory::ChannelMap(address_map, config.memory.dram.capacity_bytes());
  for (auto& partition : partitions) partition->set_channel_map(channel_map);
  std::vector<const memory::MemoryPartition*> channels;
  for (auto& partition : partitions) channels.push_back(partition.get());
  memory_watch.watch(std::move(channels));
  std::vector<const memory::PartitionUnit*> unit_list;
  for (auto& unit : units) unit_list.push_back(unit.get());
  memory_watch.watch_units(std::move(unit_list));
  std::vector<std::string> with_tables = mechanism_names;
  with_tables.push_back(config.core.control_flow.mechanism);
  energy::declare_energy(stats, config.energy, with_tables);
  std::vector<sim::HangVeto*> vetoes;
  std::vector<sim::LaneProbe*> probes;
  for (auto& core : cores) {
    vetoes.push_back(core.get());
    probes.push_back(core.get());
  }
  for (auto& unit : units) vetoes.push_back(unit.get());
  for (const auto& mechanism : mechanisms)
    if (sim::HangVeto* const its = mechanism->hang_veto()) vetoes.push_back(its);
  watchdog.watch(std::move(vetoes), std::move(probes));
  for (const auto& mechanism : mechanisms) {
    mechanism->ask_end = [this] { dispatcher.ask(); };
    mechanism->assembled();
  }
  if (!mechanisms.empty())
    dispatcher.may_end = [this] {
      return std::ranges::all_of(mechanisms, [](const auto& mechanism) { return mechanism->may_end(); });
    };
}

std::string Gpu::one_after_another(const GpuConfig& config, bool extensions_of_program) const {
  if (config.host.run_ahead == HostConfig::RunAhead::kNever) return "host.run_ahead";
  if (config.core.scoreboard.check_hazards) return "core.scoreboard.check_hazards";
  if (!mechanism_names.empty()) return mechanism_names.front();
  if (extensions_of_program || !units.empty()) return "an extension of the program";
  return added_by_program();
}

void Gpu::keep_in_order(const std::string& why) {
  if (in_order.empty()) in_order = why;
  if (lookahead && !why.empty()) lookahead->forbid();
}

HostUse Gpu::host_use() const {
  HostUse use;
  if (wants_to_run_ahead) use.one_after_another = in_order;
  if (!windows) return use;
  use.threads = windows->threads();
  use.windows = windows->counters();
  return use;
}

void Gpu::begin_launch(const std::string& why) {
  if (!windows) return;
  if (in_order.empty()) in_order = why;
  lookahead->begin_launch(!why.empty());
}

std::vector<std::unique_ptr<system::GpuMechanism>> Gpu::make_mechanisms(
    const GpuConfig& config, const host::AllocationTable& allocations) {
  std::vector<std::pair<const system::GpuMechanismEntry*, system::GpuMechanismFactory>> wanted;
  const system::GpuMechanismEntry* orders = nullptr;
  for (const system::GpuMechanismEntry& entry : gpu_mechanisms().entries()) {
    system::GpuMechanismFactory make =
        entry.make({config.cores, config.core, config.memory, config.mechanisms});
    if (!make) continue;
    wanted.emplace_back(&entry, std::move(make));
    if (entry.orders_stores.empty()) continue;
    if (orders != nullptr)
      throw base::InputError(
          entry.orders_stores,
          fmt::format("'{}' and '{}' both decide when the stores of a kernel come to memory", entry.name,
                      orders->name),
          fmt::format("switch one of them off: {}=false or {}=false", entry.orders_stores,
                      orders->orders_stores));
    orders = &entry;
  }
  std::vector<std::unique_ptr<system::GpuMechanism>> made;
  for (const auto& [entry, make] : wanted) {
    mechanism_names.push_back(entry->name);
    made.push_back(make({config.cores, config.core, config.memory, address_map, clocks, core_clock, pool,
                         progress, faults, allocations, stats}));
  }
  return made;
}

void Gpu::connect(std::uint32_t partition, const memory::PartitionUnitFactory& factory,
                  base::StatGroup& group) {
  sim::MemoryInitiatorSocket& port = crossbar->partition_isock[partition];
  sim::MemoryTargetSocket& l2 = partitions[partition]->crossbar_tsock;
  if (!factory) {
    port.bind(l2);
    return;
  }
  units[partition] =
      factory({base::PartitionId{partition}, address_map, *unit_clock, group.child("unit", "partition unit")},
              port, l2);
}

}  // namespace heddle::gpu
