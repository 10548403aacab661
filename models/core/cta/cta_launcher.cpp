#include "core/cta/cta_launcher.h"

#include <algorithm>

#include "core/cta/special_rows.h"

namespace heddle::core {

CtaLauncher::CtaLauncher(CoreState& state, CorePorts& ports, IssueStage& issue, PathControl& paths,
                         CtaBarriers& barriers, sim::BlockInitiator<CtaDoneProtocol>& done,
                         const simt::ControlFlowUnit& control_flow)
    : state_(state),
      ports_(ports),
      issue_(issue),
      paths_(paths),
      barriers_(barriers),
      done_(done),
      control_flow_(control_flow),
      slots_(state.config) {}

void CtaLauncher::declare(base::StatGroup& issue) {
  issue.counter("ctas", "CTAs", "CTAs started", &ctas_started_);
}

void CtaLauncher::declare_occupancy(base::StatGroup& occupancy) {
  occupancy_.declare(occupancy, [this] { return state_.services.clock.cycle(); });
}

void CtaLauncher::begin_launch(const LaunchContext* launch, Cycle now) {
  state_.launch = launch;
  state_.code = launch->kernel->code.data();
  state_.constants = launch->constants();
  state_.profile = launch->profile;
  state_.trace = launch->trace;
  needs_ = needs_of(*launch, state_.config);
  occupancy_.begin_launch(now, limit_of(needs_, state_.config));
  std::string why;
  const std::uint32_t resident = max_resident(needs_, state_.config, why);
  ports_.lsu_isock.begin_launch(launch, state_.config.l1d_kib_beside(resident * needs_.shared_bytes));
  ports_.table_control_isock.begin_launch(
      launch->table_base + std::uint64_t{state_.id.value()} * state_.config.occupancy.max_warps *
                               control_flow_.traits().spill_bytes_per_warp);
  ports_.control_flow_isock.call({.event = simt::ControlFlowEvent::kBeginLaunch, .facts = launch->facts});
}

CtaSlot CtaLauncher::start(std::uint64_t linear_id, std::optional<CtaSlot> at) {
  std::vector<WarpId> warps;
  std::uint32_t shared_base = 0;
  const CtaSlot slot = at ? *at : slots_.take(needs_, warps, shared_base);
  if (at) slots_.take_at(slot, needs_, warps, shared_base);
  CtaContext& cta = state_.ctas[slot.value()];
  const host::Dim3& grid = state_.launch->shape.grid;
  cta.resident = true;
  cta.linear_id = linear_id;
  cta.order = ctas_given_++;
  cta.id = {static_cast<std::uint32_t>(linear_id % grid.x),
            static_cast<std::uint32_t>(linear_id / grid.x % grid.y),
            static_cast<std::uint32_t>(linear_id / grid.x / grid.y)};
  cta.shared_base = shared_base;
  state_.live_threads += state_.launch->threads_per_cta();
  cta.warps = warps;
  cta.warps_left = static_cast<std::uint32_t>(warps.size());
  ++ctas_started_;
  occupancy_.cta_starts(state_.services.clock.cycle(), static_cast<std::uint32_t>(warps.size()),
                        slots_.room(needs_) == 0);
  state_.services.progress.advanced();

  ports_.lsu_isock.start_cta(cta);
  barriers_.cta_starts(slot, cta);
  for (std::uint32_t w = 0; w < warps.size(); ++w) place_warp(cta, slot, warps[w], w);
  if (control_flow_.traits().scope == simt::Scope::kCta)
    launch_together(warps);
  else
    for (const WarpId warp : warps) launch(warp);
  return slot;
}

void CtaLauncher::place_warp(const CtaContext& cta, CtaSlot slot, WarpId id, std::uint32_t warp_in_cta) {
  WarpContext& warp = state_.warp(id);
  warp.resident = true;
  warp.cta = slot;
  warp.warp_in_cta = warp_in_cta;
  warp.linear_warp = cta.linear_id * state_.launch->warps_per_cta + warp_in_cta;
  const std::uint32_t threads = state_.launch->threads_per_cta();
  warp.live = LaneMask::first_lanes(std::min(threads - warp_in_cta * kLanes, kLanes));
  warp.copies.reset();
  warp.registers.assign(state_.launch->kernel->registers.bytes(), std::byte{0});
  warp.special.resize(isa::kSpecialBlockBytes);
  fill_special_rows(warp, cta, *state_.launch,
                    {id.value(), state_.config.occupancy.max_warps, state_.id.value()});
  ports_.scoreboard_isock.clear(id, state_.now);
}

void CtaLauncher::launch(WarpId id) {
  paths_.decide({.event = simt::ControlFlowEvent::kLaunch,
                 .warp = id,
                 .group = GroupId{id.value() * state_.groups_per_warp},
                 .mask = state_.warp(id).live,
                 .next = Pc{0}});
  issue_.schedulers().warp_starts(id);
}

void CtaLauncher::launch_together(const std::vector<WarpId>& warps) {
  std::vector<simt::WarpLaunch> all;
  for (const WarpId id : warps) all.push_back({id, state_.warp(id).live});
  paths_.decide({.event = simt::ControlFlowEvent::kLaunch,
                 .warp = warps.front(),
                 .group = GroupId{warps.front().value() * state_.groups_per_warp},
                 .next = Pc{0},
                 .warps = all});
  for (const WarpId id : warps) issue_.schedulers().warp_starts(id);
}

void CtaLauncher::retire(WarpId id) {
  if (!ports_.table_control_isock.quiet(id)) return;
  WarpContext& warp = state_.warp(id);
  warp.resident = false;
  occupancy_.warp_ends(state_.services.clock.cycle());
  CtaContext& cta = state_.ctas[warp.cta.value()];
  if (--cta.warps_left != 0) return;
  cta.resident = false;
  slots_.give_back(warp.cta);
  occupancy_.cta_ends(state_.services.clock.cycle());
  done_.call({state_.id.value(), warp.cta, cta.linear_id});
}

}  // namespace heddle::core
