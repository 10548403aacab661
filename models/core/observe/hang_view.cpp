#include "core/observe/hang_view.h"

#include <algorithm>
#include <utility>

#include "core/observe/register_hash.h"
#include "hang/snapshot.h"

namespace heddle::core {

HangView::HangView(const CoreState& state, Sources sources)
    : state_(state), sources_(sources), probe_(static_cast<std::uint32_t>(state.warps.size())) {}

void HangView::visit(const IssueTable::Group& group, GroupId id) {
  const isa::Kernel& kernel = state_.kernel();
  const auto live = kernel.live_at_loop_heads.find(group.pc.value());
  if (live == kernel.live_at_loop_heads.end()) return;
  state_.for_each_slice(group, group.mask, [&](WarpId home, LaneMask lanes) {
    probe_.visit({{home, group.pc, lanes, kernel.registers, state_.warp(home).registers, pending_loads(home)},
                  live->second,
                  sources_.control_flow.digest(home, id, lanes, state_.now)});
  });
}

bool HangView::in_transit(WarpId warp) const {
  // Warps that have exited but wait for memory will still free their CTA.
  return state_.warp(warp).live.none() || sources_.waiting.postponed(warp) ||
         !sources_.table_traffic.quiet(warp);
}

void HangView::freeze() {
  std::vector<LaneMask> ran(state_.warps.size());
  for (std::uint32_t w = 0; w < state_.warps.size(); ++w) {
    if (!state_.warps[w].resident) continue;
    const WarpId id{w};
    const WarpContext& warp = state_.warps[w];
    for (const simt::RunnableSplit& split : sources_.control_flow.runnable(id)) {
      // What has not come to a loop is taken where it is now, so that it may go on meanwhile.
      const LaneMask elsewhere = LaneMask::difference(split.mask, probe_.seen(id).lanes);
      if (elsewhere.any() && !split.if_yielded_to && !starved(id, split.mask))
        probe_.place({id, where_now(id, split), elsewhere, state_.kernel().registers, warp.registers,
                      pending_loads(id)});
      ran[w] |= split.mask & probe_.seen(id).lanes;
    }
  }
  probe_.freeze(std::move(ran));
}

bool HangView::timers_run(WarpId warp) const {
  const std::vector<simt::SuspendedLanes> suspended = sources_.control_flow.suspended(warp);
  return std::any_of(suspended.begin(), suspended.end(), [](const simt::SuspendedLanes& lanes) {
    return lanes.why == simt::Suspension::kReconverging && lanes.until.empty();
  });
}

bool HangView::starved(WarpId warp, LaneMask lanes) const {
  // Longer than any memory access or pause takes, and than ages that rotate leave a group behind.
  constexpr Cycle kLong = 500'000;
  if (!sources_.may_starve()) return false;
  for (const GroupId id : state_.groups_of_warp[warp.value()]) {
    const IssueTable::Group& group = state_.groups[id];
    const bool could = group.status == GroupStatus::kReady || group.status == GroupStatus::kFetch;
    if (group.mask == lanes && could && state_.now - group.issued_at >= kLong) return true;
  }
  return false;
}

bool HangView::repeated() const {
  if (probe_.disturbed()) return false;
  for (std::uint32_t w = 0; w < state_.warps.size(); ++w) {
    if (!state_.warps[w].resident) continue;
    if (in_transit(WarpId{w}) || timers_run(WarpId{w})) return false;
    const std::vector<simt::RunnableSplit> runnable = sources_.control_flow.runnable(WarpId{w});
    // Without any the warp is at barriers as a whole.
    if (runnable.empty() && sources_.releases_pending()) return false;
    for (const simt::RunnableSplit& split : runnable)
      if (!probe_.repeated(WarpId{w}, split.mask)) return false;
  }
  return true;
}

bool HangView::settled() const {
  if (probe_.disturbed()) return false;
  for (std::uint32_t w = 0; w < state_.warps.size(); ++w) {
    if (!state_.warps[w].resident) continue;
    if (in_transit(WarpId{w})) return false;
  }
  return true;
}

bool HangView::all_in_loops() const {
  if (sources_.may_starve()) return true;
  for (std::uint32_t w = 0; w < state_.warps.size(); ++w) {
    if (!state_.warps[w].resident) continue;
    // Those that need a YIELD for it have perhaps never had a turn, and will never have one.
    for (const simt::RunnableSplit& split : sources_.control_flow.runnable(WarpId{w}))
      if (!split.if_yielded_to && !probe_.seen(WarpId{w}).lanes.contains(split.mask)) return false;
  }
  return true;
}

bool HangView::passes_over() const {
  for (std::uint32_t w = 0; w < state_.warps.size(); ++w) {
    if (!state_.warps[w].resident) continue;
    for (const simt::SuspendedLanes& lanes : sources_.control_flow.suspended(WarpId{w}))
      if (lanes.passed_over) return true;
  }
  return false;
}

std::uint64_t HangView::digest(WarpId id) const {
  const WarpContext& warp = state_.warp(id);
  Hash hash;
  hash.add(warp.live.bits());
  const isa::RegisterLayout& layout = state_.kernel().registers;
  for (std::uint32_t reg = 0; reg < layout.rows32 + layout.rows64 + layout.predicates; ++reg)
    hash_register(hash, static_cast<isa::RegId>(reg), warp.live, layout, warp.registers);
  for (const GroupId group : state_.groups_of_warp[id.value()]) {
    hash.add(group.value());
    hash.add(state_.groups[group].pc.value());
    hash.add(state_.groups[group].mask.bits());
    hash.add(state_.groups[group].status == GroupStatus::kBarrier ? 1 : 0);
    hash.add(sources_.control_flow.digest(id, group, state_.groups[group].mask, state_.now));
  }
  return hash.value();
}

std::vector<PendingLoad> HangView::pending_loads(WarpId warp) const {
  std::vector<PendingLoad> pending;
  if (state_.warp(warp).fills_outstanding == 0) return pending;
  (void)sources_.memory.ask({.ask = LsuInspection::Ask::kPendingLoads, .warp = warp, .pending = &pending});
  return pending;
}

// ---- Snapshot
// --------------------------------------------------------------------------------------------------------

void HangView::snapshot(hang::Snapshot& snapshot) const {
  std::vector<std::uint32_t> cta_index(state_.ctas.size(), 0);
  for (std::uint32_t slot = 0; slot < state_.ctas.size(); ++slot) {
    const CtaContext& cta = state_.ctas[slot];
    if (!cta.resident) continue;
    cta_index[slot] = static_cast<std::uint32_t>(snapshot.ctas.size());
    hang::CtaState& state = snapshot.ctas.emplace_back();
    state.core = state_.id.value();
    state.id = {cta.id.x, cta.id.y, cta.id.z};
    for (std::uint32_t id = 0; id < kBarriersPerCta; ++id) {
      const BarrierRequest look = sources_.barriers.look(CtaSlot{slot}, id);
      state.arrived[id] = look.arrived;
      state.expected[id] = look.expected;
    }
  }
  for (std::uint32_t w = 0; w < state_.warps.size(); ++w)
    if (state_.warps[w].resident && state_.warps[w].live.any())
      view_warp(WarpId{w}, cta_index[state_.warps[w].cta.value()], snapshot.warps.emplace_back());
}

void HangView::view_warp(WarpId id, std::uint32_t cta, hang::WarpState& state) const {
  const WarpContext& warp = state_.warp(id);
  const isa::RegisterLayout& layout = state_.kernel().registers;
  state.core = state_.id.value();
  state.cta = cta;
  state.warp_in_cta = warp.warp_in_cta;
  state.linear_warp = warp.linear_warp;
  state.shared_base = state_.ctas[warp.cta.value()].shared_base;
  state.local_region = state_.launch->local_base +
                       warp.linear_warp * state_.launch->local_bytes_per_thread * std::uint64_t{kLanes};
  state.live = warp.live;
  state.special = warp.special.data();
  state.registers = warp.registers;

  // Lanes that run, or ran when visits were frozen, are taken where they were seen in their loops: whatever
  // they have done since follows from there.
  const HangProbe::Seen& seen = probe_.seen(id);
  LaneMask at_loops;
  const auto runs_in_loops = [&](LaneMask lanes, bool repeated) {
    at_loops |= lanes;
    while (lanes.any()) {
      const Pc loop = seen.pc[lanes.lowest()];
      LaneMask same;
      lanes.for_each([&](unsigned lane) {
        if (seen.pc[lane] == loop) same |= LaneMask(1u << lane);
      });
      state.running.push_back({same, loop, true, repeated, false});
      lanes = LaneMask::difference(lanes, same);
    }
  };
  state.passed = probe_.active() && probe_.passed(id);
  LaneMask ran;
  if (probe_.active()) ran = probe_.ran(id) & seen.lanes & warp.live;
  const std::vector<simt::RunnableSplit> runnable = sources_.control_flow.runnable(id);
  // A lap that repeats may pass a YIELD, which the proof has to see.
  const bool yields = std::any_of(runnable.begin(), runnable.end(),
                                  [](const simt::RunnableSplit& split) { return split.if_yielded_to; });
  for (const simt::RunnableSplit& split : runnable) {
    const bool repeated = !yields && probe_.active() && probe_.repeated(id, split.mask);
    const LaneMask in_loop = probe_.active() ? split.mask & seen.lanes : LaneMask{};
    runs_in_loops(in_loop, repeated);
    const LaneMask rest = LaneMask::difference(split.mask, in_loop);
    if (rest.any() && !split.if_yielded_to)
      state.running.push_back({rest, where_now(id, split), false, false, starved(id, split.mask)});
    ran = LaneMask::difference(ran, split.mask);
  }
  runs_in_loops(ran, false);
  if (at_loops.any()) copy_lanes(layout, at_loops, seen.registers.data(), state.registers.data());
  for (const HangProbe::Seen::Unknown& unknown : seen.unknown)
    if (const LaneMask lanes = unknown.lanes & at_loops; lanes.any())
      state.unknown.push_back({unknown.reg, lanes});
  for (const PendingLoad& load : pending_loads(id))
    if (const LaneMask lanes = LaneMask::difference(load.lanes, at_loops); lanes.any())
      for (unsigned i = 0; i < load.instruction->write_count; ++i)
        state.unknown.push_back({load.instruction->writes[i], lanes});
  view_waiting(id, state);
}

Pc HangView::where_now(WarpId warp, const simt::RunnableSplit& split) const {
  for (const GroupId group : state_.groups_of_warp[warp.value()])
    if (state_.groups[group].mask == split.mask && state_.groups[group].status != GroupStatus::kAbsent)
      return state_.groups[group].pc;
  return split.pc;
}

void HangView::view_waiting(WarpId id, hang::WarpState& state) const {
  LaneMask listed;
  for (const hang::RunningLanes& running : state.running) listed |= running.lanes;
  const auto waits = [&](LaneMask lanes, Pc at) {
    lanes = LaneMask::difference(lanes, listed);
    if (lanes.none()) return;
    listed |= lanes;
    // What they wait for may give them a result.
    const isa::Instruction& waits_at = state_.code[at == kNoPc || at.value() == 0 ? 0 : at.value() - 1];
    for (unsigned i = 0; i < waits_at.write_count; ++i) state.unknown.push_back({waits_at.writes[i], lanes});
    if (const LaneMask meets = sources_.waiting.waiting(id) & lanes; meets.any()) {
      state.waiting.push_back({meets, at, 0, true});
      lanes = LaneMask::difference(lanes, meets);
      if (lanes.none()) return;
    }
    const BarrierRequest look = barrier_of(id, lanes);
    if (look.arrived != 0)
      state.waiting.push_back({lanes, at, look.id, false});
    else
      state.held.push_back(
          {lanes, at, simt::Suspension::kReconverging});  // released already, its latency is passing
  };
  for (const GroupId g : state_.groups_of_warp[id.value()])
    if (state_.groups[g].status == GroupStatus::kBarrier) waits(state_.groups[g].mask, state_.groups[g].pc);
  const std::vector<simt::SuspendedLanes> suspended = sources_.control_flow.suspended(id);
  for (const simt::SuspendedLanes& lanes : suspended)
    if (lanes.why == simt::Suspension::kBarrier) waits(lanes.mask, lanes.at);
  for (const simt::SuspendedLanes& lanes : suspended) {
    const LaneMask held = LaneMask::difference(lanes.mask, listed);
    if (held.none()) continue;
    listed |= held;
    state.held.push_back(lanes);
    state.held.back().mask = held;
  }
}

BarrierRequest HangView::barrier_of(WarpId warp, LaneMask lanes) const {
  return sources_.barriers.find(state_.warp(warp).cta, warp, lanes);
}

// ---- Activity

hang::WarpPlace HangView::place_of(WarpId id) const {
  const WarpContext& warp = state_.warp(id);
  const CtaContext& cta = state_.ctas[warp.cta.value()];
  return {state_.id.value(), {cta.id.x, cta.id.y, cta.id.z}, warp.warp_in_cta};
}

hang::Meeting HangView::meeting_of(WarpId warp, LaneMask lanes) const {
  return {sources_.waiting.missing(warp, lanes, state_.warp(warp).live),
          sources_.waiting.members(warp, lanes)};
}

namespace {

hang::Doing doing(GroupStatus status) {
  switch (status) {
    case GroupStatus::kScoreboardMemory:
      return hang::Doing::kMemory;
    case GroupStatus::kFence:
      return hang::Doing::kFence;
    case GroupStatus::kReady:
      return hang::Doing::kReady;
    case GroupStatus::kFetch:
    case GroupStatus::kControlFlow:
      return hang::Doing::kNextInstruction;
    default:
      return hang::Doing::kRun;
  }
}

}  // namespace

hang::GroupActivity HangView::activity_of(const IssueTable::Group& group) const {
  hang::GroupActivity activity{
      .warp = place_of(group.warp), .lanes = group.mask, .doing = doing(group.status), .at = group.pc};
  if (group.status == GroupStatus::kBarrier) {
    activity.at = Pc{group.pc.value() - 1};
    if (meets(group.warp, group.mask)) {
      activity.doing = hang::Doing::kMeet;
      activity.meeting = meeting_of(group.warp, group.mask);
    } else {
      const BarrierRequest look = barrier_of(group.warp, group.mask);
      activity.doing = hang::Doing::kBarrier;
      activity.arrivals = {look.id, look.arrived, look.expected, sources_.barriers_count_warps};
    }
  } else if (probe_.active()) {
    const HangProbe::Seen& seen = probe_.seen(group.warp);
    const bool repeats = probe_.repeated(group.warp, group.mask);
    if (!repeats && !seen.in_loops().contains(group.mask)) return activity;
    activity.doing = hang::Doing::kSpin;
    activity.at = repeats ? probe_.loop_head(group.warp, group.mask) : seen.pc[group.mask.lowest()];
  }
  return activity;
}

void HangView::add_activity(std::vector<hang::GroupActivity>& groups) const {
  for (std::uint32_t g = 0; g < state_.groups.size(); ++g) {
    const IssueTable::Group& group = state_.groups[GroupId{g}];
    if (group.status == GroupStatus::kAbsent) continue;
    hang::GroupActivity& activity = groups.emplace_back(activity_of(group));
    std::vector<simt::SuspendedLanes> suspended = sources_.control_flow.suspended(group.warp);
    if (group.status == GroupStatus::kTables && !suspended.empty() &&
        suspended.front().barrier != simt::SuspendedLanes::kNoBarrier)
      activity.doing = hang::Doing::kNothing;
    for (simt::SuspendedLanes& lanes : suspended) {
      hang::GroupActivity::Held& held = activity.held.emplace_back();
      static_cast<simt::SuspendedLanes&>(held) = std::move(lanes);
      held.meets = held.why == simt::Suspension::kBarrier && meets(group.warp, held.mask);
      if (held.meets) held.meeting = meeting_of(group.warp, held.mask);
    }
  }
}

}  // namespace heddle::core
