#include "determinism/determinism_mechanism.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/error.h"
#include "determinism/core_part.h"

namespace heddle::determinism {
namespace {

std::uint64_t wavefronts(std::uint32_t cores, const core::CoreConfig& core) {
  return std::uint64_t{cores} * core.occupancy.max_warps;
}

DepthFormat format_of(const DeterminismConfig& config, std::uint64_t waves) {
  return {config.wavefront_bits != 0 ? config.wavefront_bits : wavefront_bits(waves),
          config.zbuffer.depth_bits};
}

void validate(const DeterminismConfig& config, const system::GpuMechanismConfig& gpu) {
  config.zbuffer.validate("determinism.zbuffer");
  AddressSpace::validate(gpu.memory);
  const std::uint64_t waves = wavefronts(gpu.cores, gpu.core);
  const DepthFormat format = format_of(config, waves);
  if (format.wavefronts() < waves)
    throw base::InputError("determinism.wavefront_bits",
                           fmt::format("{} bits do not number the {} wavefronts of the GPU ([GPUDet:D9])",
                                       config.wavefront_bits, waves),
                           "0 takes as many as it needs");
  if (format.wavefront_bits() >= format.depth_bits())
    throw base::InputError("determinism.zbuffer.depth_bits",
                           fmt::format("{} bits leave none for quanta beside the {} of a wavefront's number",
                                       format.depth_bits(), format.wavefront_bits()),
                           "widen depths, or make the GPU smaller");
  if (const std::string why = gpu.core.control_flow.timed(); !why.empty())
    throw base::InputError(
        "determinism.enabled",
        fmt::format("core.control_flow: {}: what a wavefront executes in a quantum would depend on "
                    "timing",
                    why),
        "choose a mechanism, or options of it, whose order of splits follows from what they execute");
}

}  // namespace

system::GpuMechanismEntry determinism_mechanism() {
  return {"determinism", "deterministic execution (GPUDet): quanta, store buffers, commit in a fixed order",
          base::ConfigOption::section<DeterminismConfig>("determinism", "deterministic execution (GPUDet)"),
          [](const system::GpuMechanismConfig& gpu) -> system::GpuMechanismFactory {
            const auto& config = gpu.sections.get<DeterminismConfig>("determinism");
            if (!config.enabled) return nullptr;
            validate(config, gpu);
            return [config](const system::GpuMechanismSite& site) {
              return std::make_unique<DeterminismMechanism>(config, site);
            };
          },
          "determinism.enabled"};
}

DeterminismMechanism::DeterminismMechanism(const DeterminismConfig& config,
                                           const system::GpuMechanismSite& site)
    : config_(config),
      site_(site),
      depths_(format_of(config, wavefronts(site.cores, site.core))),
      preconditions_(config.assertions, site.faults),
      sequencer_("quantum_sequencer", config, depths_, preconditions_, site.cores,
                 site.stats.child("determinism", "deterministic execution (GPUDet)")) {
  sequencer_.on_hang = [this](const std::string& why) {
    if (on_hang) on_hang({.why = why, .kind = {}, .how = {}, .remedy = {}});
  };
  sequencer_.partitions_idle = [this] { return partitions_idle(); };
  sequencer_.reset_depths = [this](bool begin) { return reset_depths(begin); };
}

core::CoreExtensionFactory DeterminismMechanism::core_extension() {
  store_buffers_.resize(site_.cores);
  return [this](const core::CoreExtensionSite& site) {
    auto part = std::make_unique<CorePart>("determinism", config_, depths_, preconditions_, site_.map, site);
    const std::uint32_t core = site.core.value();
    store_buffers_[core] = &part->store_buffer();
    sequencer_.unit_isocks[core]->bind(part->quantum_unit().control_tsock);
    part->quantum_unit().report_isock.bind(*sequencer_.report_tsocks[core]);
    return part;
  };
}

memory::PartitionUnitFactory DeterminismMechanism::partition_unit() {
  if (config_.commit_engine != CommitEngineKind::kZBuffer) return nullptr;
  return z_buffer_units(config_.zbuffer, &z_buffers_,
                        {preconditions_.watched() ? &preconditions_ : nullptr, depths_.wavefront_bits()});
}

std::unique_ptr<core::CtaDispatchPolicy> DeterminismMechanism::dispatch_policy() {
  return std::make_unique<QuantumDispatch>(sequencer_);
}

void DeterminismMechanism::assembled() {
  for (std::size_t i = 0; i < z_buffers_.size(); ++i) {
    z_control_isocks_.push_back(
        std::make_unique<ZControlPort>(("z_control_isock" + std::to_string(i)).c_str()));
    z_control_isocks_.back()->bind(z_buffers_[i]->control_tsock);
  }
}

bool DeterminismMechanism::partitions_idle() {
  return std::ranges::all_of(z_control_isocks_, [](const auto& unit) { return unit->idle(); });
}

bool DeterminismMechanism::reset_depths(bool begin) {
  if (!begin) return partitions_idle();
  for (const auto& unit : z_control_isocks_) unit->reset_depths();
  return false;
}

// ---- Launches

void DeterminismMechanism::refuse_unfit(const core::LaunchContext& launch) const {
  const isa::Kernel& kernel = *launch.kernel;
  for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc)
    if (kernel.code[pc].time_dependent)
      throw base::InputError(
          kernel.location(base::Pc{pc}),
          fmt::format("reads a clock, which deterministic execution cannot make deterministic "
                      "([GPUDet:D12])\n  {}",
                      kernel.source_line(base::Pc{pc})),
          "do not read clocks, or set determinism.enabled=false");
}

void DeterminismMechanism::prepare(system::LaunchPreparation& preparation) {
  refuse_unfit(preparation.launch);
  sequencer_.set_trace(preparation.launch.trace);
  if (log_base_ == 0) {
    log_base_ = preparation.allocate(log_bytes(), "logs of the wavefronts (determinism)");
    for (StoreBuffer* const buffer : store_buffers_) buffer->set_log_base(log_base_);
  }
  preconditions_.set_private(private_ranges(preparation.launch));
}

std::uint64_t DeterminismMechanism::log_bytes() const {
  return StoreBuffer::log_bytes(config_, wavefronts(site_.cores, site_.core));
}

std::vector<core::AddressRange> DeterminismMechanism::private_ranges(
    const core::LaunchContext& launch) const {
  return {{log_base_, log_base_ + log_bytes()},
          {launch.local_base, launch.local_base + core::local_bytes(launch)},
          {launch.table_base, launch.table_base + launch.table_bytes}};
}

}  // namespace heddle::determinism
