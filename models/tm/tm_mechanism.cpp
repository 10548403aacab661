#include "tm/tm_mechanism.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/error.h"

namespace heddle::tm {
namespace {

constexpr std::uint32_t kLeastCredits = 32;  ///< a warp takes all of its entries at once ([KiloTM:E3])

void validate(const TmConfig& config, const system::GpuMechanismConfig& gpu) {
  const CommitUnitConfig& unit = config.commit_unit;
  const simt::ControlFlowConfig& control_flow = gpu.core.control_flow;
  const auto has_frames = [](const simt::Traits& of) { return of.calls_are_frames; };
  if (!has_frames(control_flow.traits()))
    throw base::InputError(
        "tm.enabled",
        fmt::format("transactions are call frames, which core.control_flow.mechanism={} does not have",
                    control_flow.mechanism),
        fmt::format(
            "Set core.control_flow.mechanism={}. Kernels with transactions are PTX: machine code has none.",
            control_flow.mechanisms_with(has_frames)));
  if (unit.history.table_entries % unit.history.table_ways != 0)
    throw base::InputError(
        "tm.commit_unit.history_ways",
        fmt::format("does not divide the {} entries of the table", unit.history.table_entries),
        "Choose a number of ways that does.");
  if (!std::has_single_bit(unit.history.buckets))
    throw base::InputError("tm.commit_unit.filter_buckets", "is not a power of two", "Choose one that is.");
  if (!std::has_single_bit(unit.coalesced_bytes) || unit.coalesced_bytes > gpu.memory.l2.line_bytes)
    throw base::InputError(
        "tm.commit_unit.coalesced_bytes",
        fmt::format("is no power of two up to a line of L2, {} bytes", gpu.memory.l2.line_bytes),
        "Choose 32, 64 or 128.");
  if (!std::has_single_bit(config.intra_warp.table_entries))
    throw base::InputError("tm.intra_warp.table_entries", "is not a power of two", "Choose one that is.");
  const auto check_signature = [](const std::string& section, std::uint32_t bits, std::uint32_t arrays) {
    for (const auto& [key, value] : {std::pair("bits", bits), std::pair("arrays", arrays)})
      if (!std::has_single_bit(value))
        throw base::InputError(fmt::format("tm.{}.signature_{}", section, key), "is not a power of two",
                               "Choose one that is.");
    if (bits < 2 * arrays)
      throw base::InputError(fmt::format("tm.{}.signature_bits", section),
                             fmt::format("{} bits are too few for {} sub-arrays", bits, arrays),
                             "Give each of them 2 bits at least.");
  };
  check_signature("commit_unit", unit.signature_bits, unit.signature_arrays);
  check_signature("ideal", config.ideal.signature_bits, config.ideal.signature_arrays);
  if (unit.hazard_detection == HazardKind::kBfArray && config.protocol == Protocol::kWarp)
    throw base::InputError("tm.commit_unit.hazard_detection",
                           "the BF array is compared with Kilo TM, its entries are single transactions",
                           "Set tm.protocol=kilo, or tm.commit_unit.hazard_detection=history.");
  if (!std::has_single_bit(config.temporal.buckets))
    throw base::InputError("tm.temporal.buckets", "is not a power of two", "Choose one that is.");
  if (unit.unlimited()) return;
  if (unit.ring_entries / gpu.cores < kLeastCredits)
    throw base::InputError(
        "tm.commit_unit.ring_entries",
        fmt::format("{} entries leave {} to each of {} cores, and the transactions of a warp take up to {} "
                    "at once ([KiloTM:E3])",
                    unit.ring_entries, unit.ring_entries / gpu.cores, gpu.cores, kLeastCredits),
        "Give the ring more entries, or 0 for no limit.");
  if (unit.ring_entries > (std::uint64_t{1} << unit.cid_bits) / 2)
    throw base::InputError(
        "tm.commit_unit.cid_bits",
        fmt::format("commit ids of {} bits do not tell {} entries and their history apart ([KiloTM:E2])",
                    unit.cid_bits, unit.ring_entries),
        "Widen them, or make the ring smaller.");
}

/// What the protocol asks of commit units.
CommitUnitConfig unit_of(const TmConfig& config) {
  CommitUnitConfig unit = config.commit_unit;
  unit.by_warp = config.protocol == Protocol::kWarp;
  unit.gathered_words = unit.by_warp ? unit.port_words : 1;
  unit.access_bytes = unit.by_warp ? unit.coalesced_bytes : sim::kSectorBytes;
  return unit;
}

/// What transactions add to a core.
class CorePart final : public sc_core::sc_module, public core::CoreExtension {
 public:
  CorePart(const sc_core::sc_module_name& name, const TmConfig& config, const memory::AddressMap& map,
           TransactionShared& shared, const core::CoreExtensionSite& site)
      : sc_module(name), unit("unit", config, site, map, shared) {}
  [[nodiscard]] std::vector<Gate> gates() override {
    return {{"transaction_token", &unit.token_gate_tsock, &unit.token_control_isock},
            {"transaction_commit", &unit.commit_gate_tsock, &unit.commit_control_isock}};
  }
  [[nodiscard]] tlm::tlm_target_socket<32, core::TransactionProtocol>* transactions() override {
    return &unit.transaction_tsock;
  }
  [[nodiscard]] tlm::tlm_initiator_socket<32, core::TransactionControlProtocol>* transaction_control()
      override {
    return &unit.control_isock;
  }
  [[nodiscard]] std::vector<TapTarget*> taps() override { return {&unit.call_tap_tsock}; }
  [[nodiscard]] core::LsuInterposer* interposer() override { return &unit; }

  TransactionUnit unit;
};

}  // namespace

system::GpuMechanismEntry tm_mechanism() {
  return {"tm", "transactional memory (Kilo TM): transactions of threads, commit units at the partitions",
          base::ConfigOption::section<TmConfig>("tm", "transactional memory (Kilo TM)"),
          [](const system::GpuMechanismConfig& gpu) -> system::GpuMechanismFactory {
            TmConfig config = gpu.sections.get<TmConfig>("tm");
            if (!config.enabled) return nullptr;
            validate(config, gpu);
            // An attempt knows at its end, and nowhere else, whether it is valid; nothing is left to do behind it.
            if (config.protocol == Protocol::kIdeal) {
              config.validate_cycles = 0;
              config.fence_waits = false;
            }
            return [config](const system::GpuMechanismSite& site) {
              return std::make_unique<TmMechanism>(config, site);
            };
          },
          "tm.enabled"};
}

TmMechanism::TmMechanism(const TmConfig& config, const system::GpuMechanismSite& site)
    : config_(config), site_(site), shared_(site.memory.partitions) {
  if (!config.commit_unit.unlimited()) shared_.credits = config.commit_unit.ring_entries / site.cores;
  shared_.flit_bytes = site.memory.crossbar.flit_bytes;
  shared_.header_bytes = site.memory.crossbar.header_bytes;
  shared_.on_hang = [this](const system::MechanismHang& hang) {
    if (on_hang) on_hang(hang);
  };
  shared_.conflict_of = [this](std::uint32_t core, std::uint32_t warp) { return conflict_of(core, warp); };
  if (config.protocol == Protocol::kIdeal)
    shared_.ideal = std::make_unique<IdealMemory>(
        [this](std::uint64_t address, std::span<const std::uint8_t> bytes) {
          commit_units_[site_.map.partition(address).value()]->write_at_once(address, bytes);
        },
        config.ideal, config.commit_unit.hash_seed);
  shared_.on_stores_performed = [this] {
    if (std::exchange(end_waits_, false)) ask_end();
  };
  if (config.checks) checker_ = std::make_unique<CommitChecker>(site.memory.partitions);
}

core::CoreExtensionFactory TmMechanism::core_extension() {
  units_.resize(site_.cores);
  return [this](const core::CoreExtensionSite& site) {
    auto part = std::make_unique<CorePart>("tm", config_, site_.map, shared_, site);
    units_[site.core.value()] = &part->unit;
    return part;
  };
}

memory::PartitionUnitFactory TmMechanism::partition_unit() {
  // The first site makes the clock, the units keep it.
  auto clock = std::make_shared<std::weak_ptr<sim::ClockDomain>>();
  return [this, clock](const memory::PartitionUnitSite& site, sim::MemoryInitiatorSocket& crossbar,
                       sim::MemoryTargetSocket& l2) {
    CommitClock shared = clock->lock();
    if (shared == nullptr) {
      shared =
          std::make_shared<sim::ClockDomain>(site.clock.manager(), "commit_clock",
                                             config_.commit_unit.clock_mhz, sim::ClockRank::kPartitionUnit);
      *clock = shared;
    }
    auto unit = std::make_unique<CommitUnit>(
        ("commit_unit" + std::to_string(site.partition.value())).c_str(), unit_of(config_),
        site_.memory.l2.line_bytes, site, shared, shared_.board, checker_.get(),
        config_.temporal.mode == Temporal::kOff
            ? nullptr
            : std::make_unique<LastWrittenTimes>(config_.temporal.arrays, config_.temporal.buckets,
                                                 config_.commit_unit.hash_seed));
    commit_units_.resize(site_.memory.partitions);
    commit_units_[site.partition.value()] = unit.get();
    if (shared_.ideal && config_.ideal.writes == IdealWrites::kStores) unit->complete_stores(shared_);
    unit->on_drained = [this] {
      if (std::exchange(end_waits_, false)) ask_end();
    };
    crossbar.bind(unit->crossbar_tsock);
    unit->l2_isock.bind(l2);
    return unit;
  };
}

bool TmMechanism::may_end() {
  // Every id that was granted has retired everywhere, and what they wrote is in memory.
  end_waits_ = shared_.board.oldest() != commit_units_.front()->next_cid() ||
               !std::ranges::all_of(commit_units_, &CommitUnit::drained) || shared_.stores_out != 0;
  return !end_waits_;
}

/// The word and both warps: of what waits in a commit unit, or of the last attempt that failed.
std::string TmMechanism::conflict_of(std::uint32_t core, std::uint32_t warp) const {
  const auto named = [](const CommitUnitModel& model, Cid cid) {
    const CommitGroup* const group = model.group_of(cid);
    return group == nullptr
               ? fmt::format("transaction {}", cid)
               : fmt::format("transaction {} of warp slot {} of core {}", cid, group->warp, group->core);
  };
  std::string failed;  // and where it stands
  Cid latest = 0;
  for (const CommitUnit* const unit : commit_units_) {
    const CommitUnitModel& model = unit->model();
    if (const auto conflict = model.conflict()) {
      const CommitGroup* const waits = model.group_of(conflict->waits);
      if (waits != nullptr && waits->core == core && waits->warp == warp)
        return fmt::format("it waits for {} to retire, which writes {} that it has read",
                           named(model, conflict->for_cid), site_.allocations.describe(conflict->word));
    }
    const CommitUnitModel::Failure* const failure = model.last_failure(core, warp);
    if (failure == nullptr || failure->cid < latest) continue;
    latest = failure->cid;
    failed =
        fmt::format("its attempt {} failed because {}, which it had read, has changed{}", failure->cid,
                    site_.allocations.describe(failure->word),
                    failure->writer == 0 ? "" : ": " + named(model, failure->writer) + " has written it");
  }
  for (std::size_t p = 0; p < commit_units_.size(); ++p)
    if (const auto stands = commit_units_[p]->model().stands_behind(core, warp)) {
      failed +=
          fmt::format("{}in commit unit {} it stands behind {}, which has not retired",
                      failed.empty() ? "" : "\n  ", p, named(commit_units_[p]->model(), stands->second));
      break;
    }
  return failed;
}

bool TmMechanism::quiet() const {
  return std::ranges::none_of(units_, [](const TransactionUnit* unit) { return unit->active(); });
}

void TmMechanism::prepare(system::LaunchPreparation& preparation) {
  const isa::Kernel& kernel = *preparation.launch.kernel;
  if (kernel.is_machine_code())
    throw base::InputError(
        "tm.enabled",
        fmt::format("transactions exist in PTX only, and kernel {} is machine code", kernel.name),
        "Set tm.enabled=false, or give the kernel's PTX.");
  if (kernel.transactions.empty() || log_base_ != 0) return;
  const std::uint64_t warps = std::uint64_t{site_.cores} * site_.core.occupancy.max_warps;
  log_base_ = preparation.allocate(TransactionUnit::log_bytes(config_, warps), "logs of transactions (tm)");
  for (TransactionUnit* const unit : units_) unit->set_log_base(log_base_, warps);
}

}  // namespace heddle::tm
