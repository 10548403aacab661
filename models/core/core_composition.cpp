// How a core is put together: its blocks and stages, and what extensions add.
#include "base/error.h"
#include "core/core.h"

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
      blocks_(id, config, services, clock_, stats),
      state_(id, config, services, blocks_.control_flow_unit.traits().groups_per_warp),
      warp_sync_(config.occupancy.max_warps),
      issue_stage_(state_, ports_.scoreboard_isock, ports_.constant_isock),
      tracer_(state_, ports_.control_flow_isock, ports_.scoreboard_isock),
      waits_(state_),
      hang_(state_,
            {warp_sync_, [this] { return issue_stage_.schedulers().may_starve(); },
             [this] { return paths_.releases_pending(); }, memory_view_, ports_.table_control_isock,
             ports_.control_flow_isock, ports_.barrier_isock,
             barriers_count_whole_warps(config, blocks_.control_flow_unit.traits().runs_lanes_apart)}),
      paths_(state_, ports_.control_flow_isock, ports_.fetch_isock, issue_stage_, tracer_, hang_),
      fences_(state_, issue_stage_, paths_, ports_.lsu_isock),
      barriers_(state_, ports_.barrier_isock, paths_,
                barriers_count_whole_warps(config, blocks_.control_flow_unit.traits().runs_lanes_apart)),
      meetings_(state_, issue_stage_, paths_, executor_, hang_, warp_sync_,
                blocks_.control_flow_unit.traits().parts_lanes_at_sync),
      ctas_(state_, ports_, issue_stage_, paths_, barriers_, cta_done_isock, blocks_.control_flow_unit),
      executor_(state_, ports_, issue_stage_, tracer_),
      memory_view_(ports_.lsu_isock),
      taps_(state_, ports_.control_flow_isock),
      control_(state_, paths_, barriers_, meetings_, ctas_, blocks_.control_flow_unit.traits().sleep_yields),
      host_calls_(state_, memory_view_),
      dispatch_(state_, paths_,
                {executor_, control_, host_calls_, barriers_, fences_, meetings_, issue_stage_.codes()},
                {taps_, tracer_, hang_}, blocks_.control_flow_unit.traits().scope == simt::Scope::kCta),
      writeback_(state_, ports_, {tracer_, waits_}, {issue_stage_, paths_, fences_, meetings_, ctas_}),
      cycles_(state_, issue_stage_, ctas_),
      extensions_(state_, cycles_, clock_, {issue_stage_, taps_, paths_, barriers_, control_, tracer_}) {
  if (blocks_.control_flow_unit.traits().scope == simt::Scope::kCta && config.scheduler.sub_cores != 1)
    throw base::InputError(
        "core.scheduler.sub_cores",
        "core.control_flow.mechanism=" + config.control_flow.mechanism +
            " puts threads of all warps of a CTA together, but each sub-core has registers of its own",
        "Set core.scheduler.sub_cores=1.");
  if (config.lsu.local_queue_entries != 0) barrier_order_.emplace(state_, issue_stage_);
  taps_.add(issue_stage_.schedulers().taps());
  bind();
  extensions_.make({state_.id, state_.config, state_.services, blocks_.lsu, blocks_.memory_port,
                    state_.groups_per_warp, blocks_.control_flow_unit.traits().runs_lanes_apart, *this,
                    stats});
  extensions_.bind_schedulers();
  extensions_.bind_load_store_unit(ports_.lsu_isock, writeback_.lsu_completion_tsock, lsu_wake_tsock_,
                                   blocks_.lsu);
  declare(stats.child("issue", "issue stage"));
  ctas_.declare_occupancy(stats.child("occupancy", "residency of CTAs and warps"));
  stats.seldom_changes(&counted_, {"issue.cycles", "issue.slots.no_warp", "occupancy.limited_by.none"});
  stats.before_reading([this] {
    if (part_ == Part::kNone) begin_launch(state_.launch);
  });
}

void Core::bind() {
  blocks_.bind(ports_);
  blocks_.control_flow_unit.progress_isock.bind(progress_tsock_);
  blocks_.pipes.writeback_isock.bind(writeback_.pipes_writeback_tsock);
  blocks_.table_traffic.moved_isock.bind(writeback_.table_moved_tsock);
}

void Core::declare(base::StatGroup& issue) {
  cycles_.declare(issue);
  dispatch_.declare(issue);
  issue_stage_.declare(issue);
  ctas_.declare(issue);
  fences_.declare(issue);
}

}  // namespace heddle::core
