// How a core is put together: its blocks and stages, who is bound to whom, and what extensions add.
#include <stdexcept>
#include <string>

#include "base/error.h"
#include "core/core.h"
#include "core/memory/lsu_interposer.h"

namespace heddle::core {
namespace {

/// Only where the lanes of a warp run one group after another.
bool barriers_count_whole_warps(const CoreConfig& config, bool lanes_apart) {
  return config.barrier.counts == BarrierCounts::kWarps && !lanes_apart;
}

}  // namespace

Core::Core(const sc_core::sc_module_name& name, base::CoreId id, const CoreConfig& config,
           CoreServices services, base::StatGroup& stats)
    : sc_module(name),
      clock_(services.clock, sim::on_tick<&Core::tick>(this)),
      control_flow_unit_("branch_unit", config.control_flow.factory(), config.occupancy.max_warps,
                         stats.child("branch_unit", "control flow within a warp"), services.twins),
      state_(id, config, services, control_flow_unit_.traits().groups_per_warp),
      fetch_("fetch", config.fetch, config.l1i, control_flow_unit_.groups(),
             stats.child("fetch", "fetch unit and I-buffers")),
      l1i_("l1i", config.l1i, id, services.pool, stats.child("l1i", "L1 instruction cache")),
      scoreboard_(config, services, stats),
      pipes_("pipes", config.pipes, config.register_file, config.scheduler.sub_cores,
             stats.child("pipes", "execution pipes")),
      register_file_("register_file", config.register_file, config.scheduler.sub_cores,
                     stats.child("register_file", "register banks and write-back ports")),
      barrier_unit_("barrier_unit", config.occupancy.max_ctas, stats.child("barrier_unit", "CTA barriers")),
      memory_port_("memory_port", config.memory_port, clock_,
                   stats.child("memory_port", "connection to the crossbar")),
      l1d_("l1d", config.resolved_l1d(), services.progress, stats.child("l1d", "L1 data cache")),
      constant_cache_("constant_cache", config.constant_cache, id, services.pool, services.progress,
                      stats.child("constant_cache", "constants and kernel parameters")),
      shared_memory_("shared_memory", config.shared_memory, services.progress, id.value(),
                     stats.child("shared_memory", "shared memory")),
      lsu_("lsu", config, id, services.pool, services.allocations, stats.child("lsu", "load/store unit"),
           &services.progress.log),
      table_traffic_("table_traffic", config.occupancy.max_warps,
                     stats.child("table_traffic", "spilled entries of the branch unit's tables")),
      warp_sync_(config.occupancy.max_warps),
      issue_stage_(state_, ports_.scoreboard_isock),
      tracer_(state_, ports_.control_flow_isock, ports_.scoreboard_isock),
      hang_(state_, {warp_sync_, [this] { return issue_stage_.may_starve(); },
                     [this] { return paths_.releases_pending(); }, memory_view_, ports_.table_control_isock,
                     ports_.control_flow_isock, ports_.barrier_isock,
                     barriers_count_whole_warps(config, control_flow_unit_.traits().runs_lanes_apart)}),
      paths_(state_, ports_.control_flow_isock, ports_.fetch_isock, issue_stage_, tracer_, hang_),
      fences_(state_, issue_stage_, paths_, ports_.lsu_isock),
      barriers_(state_, ports_.barrier_isock, paths_,
                barriers_count_whole_warps(config, control_flow_unit_.traits().runs_lanes_apart)),
      meetings_(state_, issue_stage_, paths_, executor_, hang_, warp_sync_,
                control_flow_unit_.traits().parts_lanes_at_sync),
      ctas_(state_, ports_, issue_stage_, paths_, barriers_, cta_done_isock, control_flow_unit_),
      executor_(state_, ports_, issue_stage_, tracer_),
      memory_view_(ports_.lsu_isock),
      taps_(state_, ports_.control_flow_isock),
      control_(state_, paths_, barriers_, meetings_, ctas_, control_flow_unit_.traits().sleep_yields),
      host_calls_(state_, memory_view_),
      dispatch_(state_, paths_, {executor_, control_, host_calls_, barriers_, fences_, meetings_},
                {taps_, tracer_, hang_}, control_flow_unit_.traits().scope == simt::Scope::kCta) {
  if (control_flow_unit_.traits().scope == simt::Scope::kCta && config.scheduler.sub_cores != 1)
    throw base::InputError(
        "core.scheduler.sub_cores",
        "core.control_flow.mechanism=" + config.control_flow.mechanism +
            " puts threads of all warps of a CTA together, but each sub-core has registers of its own",
        "Set core.scheduler.sub_cores=1.");
  taps_.add(issue_stage_.scheduler_taps());
  bind_blocks();
  add_extensions(stats);
  bind_schedulers();
  bind_load_store_unit();
  declare(stats.child("issue", "issue stage"));
}

void Core::bind_blocks() {
  ports_.control_flow_isock.bind(control_flow_unit_.branch_tsock);
  control_flow_unit_.progress_isock.bind(progress_tsock_);
  control_flow_unit_.table_memory_isock.bind(table_traffic_.table_memory_tsock);
  ports_.fetch_isock.bind(fetch_.fetch_tsock);
  fetch_.l1i_isock.bind(l1i_.l1i_tsock);
  l1i_.refill_isock.bind(fetch_.refill_tsock);
  scoreboard_.bind(ports_.scoreboard_isock);
  ports_.pipes_isock.bind(pipes_.pipes_tsock);
  pipes_.writeback_isock.bind(pipes_writeback_tsock_);
  pipes_.register_isock.bind(register_file_.pipes_tsock);
  ports_.barrier_isock.bind(barrier_unit_.barrier_tsock);
  ports_.table_control_isock.bind(table_traffic_.control_tsock);
  table_traffic_.bind(lsu_.add_client("table_traffic"));
  table_traffic_.moved_isock.bind(table_moved_tsock_);
  lsu_.register_isock.bind(register_file_.lsu_tsock);
  lsu_.l1d_isock.bind(l1d_.l1d_tsock);
  lsu_.constant_isock.bind(constant_cache_.constant_tsock);
  constant_cache_.value_isock.bind(lsu_.constant_value_tsock);
  lsu_.shared_isock.bind(shared_memory_.shared_tsock);
  ports_.port_isock.bind(memory_port_.control_tsock);
  ports_.fetch_launch_isock.bind(fetch_.launch_tsock);
  ports_.registers_launch_isock.bind(register_file_.launch_tsock);
  const auto connect = [this](PortClient client, auto& block) {
    block.port_isock.bind(memory_port_.request_tsock[static_cast<unsigned>(client)]);
    memory_port_.response_isock[static_cast<unsigned>(client)].bind(block.response_tsock);
  };
  connect(PortClient::kData, lsu_);
  connect(PortClient::kInstruction, l1i_);
  connect(PortClient::kConstant, constant_cache_);
}

void Core::add_extensions(base::StatGroup& stats) {
  const CoreExtensionSite site{state_.id,
                               state_.config,
                               state_.services,
                               lsu_,
                               memory_port_,
                               state_.groups_per_warp,
                               control_flow_unit_.traits().runs_lanes_apart,
                               *this,
                               stats};
  for (const CoreExtensionFactory& make : state_.services.extensions) {
    CoreExtension& added = *extensions_.emplace_back(make(site));
    for (CoreExtension::TapTarget* const tap : added.taps()) {
      const std::string name = "tap" + std::to_string(extension_taps_.size()) + "_isock";
      auto& isock = *extension_taps_.emplace_back(std::make_unique<IssueTapPort>(name.c_str()));
      isock.bind(*tap);
      taps_.add({&isock});
    }
    if (const auto releases = added.releases()) bind_releases(*releases);
    if (auto* const unit = added.transactions()) bind_transactions(*unit, added);
    for (const CoreExtension::Gate& each : added.gates()) {
      const auto control = [this](const GateControlRequest& request) {
        // It may come while the core sleeps: what it slept through is charged as it was. This cycle may still run.
        account_until_now();
        issue_stage_.control_gate(request);
        clock_.wake();
      };
      SocketGate& gate = *extension_gates_.emplace_back(std::make_unique<SocketGate>(each.name, control));
      gate.gate_isock.bind(*each.gate_tsock);
      each.control_isock->bind(gate.control_tsock);
      issue_stage_.add_gate(gate, each.name);
    }
  }
}

void Core::bind_releases(const CoreExtension::Releases& releases) {
  if (extension_releases_) throw std::logic_error("two extensions of a core decide about barriers");
  extension_releases_ = std::make_unique<ReleaseSockets>(this);
  extension_releases_->release_isock.bind(*releases.release_tsock);
  releases.control_isock->bind(extension_releases_->control_tsock);
  barriers_.ask_before_release(&extension_releases_->release_isock);
}

void Core::bind_transactions(tlm::tlm_target_socket<32, TransactionProtocol>& unit, CoreExtension& of) {
  if (transaction_isock_) throw std::logic_error("two extensions of a core execute transactions");
  transaction_isock_ = std::make_unique<TransactionPort>("transaction_isock");
  transaction_isock_->bind(unit);
  control_.execute_transactions(transaction_isock_.get());
  tracer_.show_transactions(transaction_isock_.get());
  if (auto* const control = of.transaction_control()) {
    transaction_control_tsock_ =
        std::make_unique<TransactionControlTarget>("transaction_control_tsock", this);
    control->bind(*transaction_control_tsock_);
  }
}

void Core::bind_schedulers() {
  std::vector<SchedulerInterposer*> between;
  for (const auto& added : extensions_)
    if (SchedulerInterposer* const unit = added->scheduler_unit()) between.push_back(unit);
  issue_stage_.bind_schedulers(between);
}

void Core::bind_load_store_unit() {
  std::vector<LsuInterposer*> between;  // the one next to the core first
  for (const auto& added : extensions_)
    if (LsuInterposer* const unit = added->interposer()) between.push_back(unit);
  if (between.empty()) {
    ports_.lsu_isock.bind(lsu_.lsu_tsock);
    lsu_.completion_isock.bind(lsu_completion_tsock_);
    lsu_.wake_isock.bind(lsu_wake_tsock_);
    return;
  }
  ports_.lsu_isock.bind(between.front()->lsu_tsock);
  between.front()->completion_isock.bind(lsu_completion_tsock_);
  between.front()->wake_isock.bind(lsu_wake_tsock_);
  for (std::size_t i = 1; i < between.size(); ++i) {
    between[i - 1]->lsu_isock.bind(between[i]->lsu_tsock);
    between[i]->completion_isock.bind(between[i - 1]->completion_tsock);
    between[i]->wake_isock.bind(between[i - 1]->wake_tsock);
  }
  for (std::size_t i = 0; i + 1 < between.size(); ++i) between[i]->add_clients(lsu_);
  between.back()->bind_unit(lsu_);
}

void Core::declare(base::StatGroup& issue) {
  issue.counter("cycles", "core cycles", "length of the launch", &cycles_);
  issue.counter("resident_cycles", "core cycles", "cycles with at least one warp on the core",
                &resident_cycles_);
  issue.counter("group_cycles", "group-cycles",
                "issue groups (a warp, or a part of one that runs by itself) present, summed over cycles; "
                "divided by cycles x warp slots: the achieved occupancy",
                &group_cycles_);
  issue.counter("active_cycles", "core cycles", "cycles in which the core had something to do",
                &active_cycles_);
  dispatch_.declare(issue);
  issue_stage_.declare(issue);
  ctas_.declare(issue);
}

}  // namespace heddle::core
