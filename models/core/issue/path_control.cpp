#include "core/issue/path_control.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "isa/convergence.h"

namespace heddle::core {

using simt::ControlFlowEvent;
using simt::GroupChange;

inline void PathControl::redirect(GroupId id, Pc pc) {
  IssueTable::Group& group = state_.groups[id];
  group.pc = pc;
  group.head_valid = false;
  fetch_.redirect(id, pc, state_.now);
  state_.due.fetch = state_.now;
  issue_.set_status(id, GroupStatus::kControlFlow);
}

inline void PathControl::heard(const simt::ControlFlowRequest& answer) {
  state_.due.control_flow = answer.due;
  latches_taken_ = answer.busy;
  issue_.branch_unit_busy(answer.busy);
}

inline void PathControl::step(GroupId id) {
  IssueTable::Group& group = state_.groups[id];
  const Pc next{group.pc.value() + 1};
  if (state_.instruction(group.pc).stops_fetch) {  // fetch stopped behind it
    redirect(id, next);
    return;
  }
  group.pc = next;
  group.head_valid = fetch_.pop(id);
  if (!group.head_valid || refills_at_once_) state_.due.fetch = state_.now;
  issue_.refresh(id);
}

void PathControl::advance(GroupId id) {
  IssueTable::Group& group = state_.groups[id];
  const Pc next{group.pc.value() + 1};
  if (next == group.watch || next == group.also_watch) {
    if ((latches_taken_ >> group.scheduler & 1u) != 0 && !latch_is_free(group.scheduler)) [[unlikely]]
      return wait_for_latch(id);
    return decide({.event = ControlFlowEvent::kAdvance, .warp = group.warp, .group = id, .next = next});
  }
  step(id);
}

bool PathControl::latch_is_free(std::uint32_t scheduler) {
  tick(state_.now);  // what was in it may have been served
  return (latches_taken_ >> scheduler & 1u) == 0;
}

void PathControl::wait_for_latch(GroupId id) {
  IssueTable::Group& group = state_.groups[id];
  sleepers_.add(state_.now + 1, {id, group.epoch});
  group.head_valid = false;
  issue_.wait_for_block(id);
}

void PathControl::end_launch(Cycle now) {
  control_flow_.call({.event = ControlFlowEvent::kEndLaunch, .cycle = now});
}

void PathControl::decide(simt::ControlFlowRequest& request) {
  request.cycle = state_.now;
  control_flow_.call(request);
  heard(request);
  const bool by_group =
      request.event != ControlFlowEvent::kTick && request.event != ControlFlowEvent::kTableFilled &&
      request.event != ControlFlowEvent::kBarrierRelease && request.event != ControlFlowEvent::kLaunch;
  const Pc pc = by_group ? state_.groups[request.group].pc : kNoPc;
  const std::uint32_t epoch = by_group ? state_.groups[request.group].epoch : 0;
  apply(request);
  // Nothing is said of the group that asked: it goes on with sequential flow.
  if (by_group && state_.groups[request.group].epoch == epoch) [[unlikely]]
    step(request.group);
  // Behind it all, since tables do not have the PC of a running group.
  if (state_.trace != nullptr) tracer_.decision(request, pc);
  if (request.fault != nullptr) [[unlikely]]
    refuse(request, pc);
}

void PathControl::refuse(const simt::ControlFlowRequest& request, Pc pc) const {
  const isa::Kernel& kernel = state_.kernel();
  const char* const what = request.convergence != nullptr ? isa::convergence_name(request.convergence->op)
                                                          : simt::event_name(request);
  const std::uint32_t warp = state_.warp(request.warp).warp_in_cta;
  if (pc == kNoPc)
    throw base::KernelFault(fmt::format("kernel {}", kernel.name),
                            fmt::format("{} (warp {}): {}", what, warp, request.fault), request.remedy);
  throw base::KernelFault(kernel.location(pc),
                          fmt::format("{} (lanes {:#010x} of warp {}): {}\n  {}", what, request.mask.bits(),
                                      warp, request.fault, kernel.source_line(pc)),
                          request.remedy);
}

void PathControl::tick(Cycle now) {
  while (state_.due.control_flow <= now) decide({.event = ControlFlowEvent::kTick});
}

void PathControl::table_filled(WarpId warp, const simt::TableEntryTransfer& filled) {
  decide({.event = ControlFlowEvent::kTableFilled, .warp = warp, .filled = &filled});
}

void PathControl::wait(GroupId id, LaneMask lanes, Pc next) {
  decide({.event = ControlFlowEvent::kBarrierArrive,
          .warp = state_.groups[id].warp,
          .group = id,
          .mask = lanes,
          .next = next});
}

void PathControl::profile_parted(KernelProfile& profile) {
  const std::vector<simt::PartedPaths> parted = control_flow_.parted();
  for (std::uint32_t pc = 0; pc < parted.size(); ++pc) profile.at(Pc{pc}).parted += parted[pc];
}

void PathControl::release(WarpId warp, LaneMask lanes) {
  hang_.passes(warp);
  decide({.event = ControlFlowEvent::kBarrierRelease, .warp = warp, .mask = lanes});
}

bool PathControl::gives_way(GroupId id) {
  const IssueTable::Group& group = state_.groups[id];
  simt::ConvergenceOperation yield{.op = simt::ConvergenceOp::kYield};
  simt::ControlFlowRequest request{.event = ControlFlowEvent::kConvergence,
                                   .cycle = state_.now,
                                   .warp = group.warp,
                                   .group = id,
                                   .mask = group.mask,
                                   .next = Pc{group.pc.value() + 1},
                                   .convergence = &yield};
  control_flow_.call(request);
  heard(request);
  const Pc pc = group.pc;
  const std::uint32_t epoch = group.epoch;
  apply(request);
  if (state_.trace != nullptr) tracer_.decision(request, pc);
  if (request.fault != nullptr) [[unlikely]]
    refuse(request, pc);
  return group.epoch != epoch;
}

void PathControl::sleep_until(Cycle cycle, GroupId id) {
  IssueTable::Group& group = state_.groups[id];
  sleepers_.add(cycle, {id, group.epoch});
  group.head_valid = false;
  issue_.set_long_latency(id, GroupStatus::kControlFlow);
}

void PathControl::wake_due(Cycle now) {
  if (sleepers_.empty()) return;
  sleepers_.take(now, [this](const Sleeper& sleeper) {
    const IssueTable::Group& group = state_.groups[sleeper.group];
    if (group.epoch == sleeper.epoch) advance(sleeper.group);
  });
}

// ---- What the mechanism answers

inline void PathControl::moves(const simt::GroupUpdate& update) {
  IssueTable::Group& group = state_.groups[update.group];
  if (group.status == GroupStatus::kAbsent)
    appears(update);
  else if (!update.slices.empty() || !state_.is_static(group)) [[unlikely]]
    belongs(update, group.warp, false);
  group.mask = update.mask;
  group.watch = update.watch;
  group.also_watch = update.also_watch;
  group.issued_at = state_.now;
  ++group.epoch;
  redirect(update.group, update.pc);
  hang_.arrives(group, update.group);
}

void PathControl::apply(const simt::ControlFlowRequest& answer) {
  for (const simt::GroupUpdate& update : answer.updates) {
    IssueTable::Group& group = state_.groups[update.group];
    if (update.hold != group.hold) issue_.gates().hold(group, update.hold);
    if (state_.trace != nullptr) tracer_.update(answer.warp, update);
    switch (update.change) {
      case GroupChange::kMoved:
      case GroupChange::kSchedulable:
        moves(update);
        break;
      case GroupChange::kBlocked:
      case GroupChange::kVanished:
        stops(update);
        break;
      case GroupChange::kHeld:
        if (group.head_valid) issue_.refresh(update.group);
        break;
      case GroupChange::kWatches:
        group.watch = update.watch;
        group.also_watch = update.also_watch;
        break;
      case GroupChange::kJoined:
        belongs(update, group.warp, false);
        group.mask = update.mask;
        group.watch = update.watch;
        group.also_watch = update.also_watch;
        if (group.head_valid) issue_.refresh(update.group);
        break;
    }
  }
}

void PathControl::belongs(const simt::GroupUpdate& update, WarpId slot, bool is_new) {
  IssueTable::Group& group = state_.groups[update.group];
  const auto leave = [&](WarpId home, LaneMask) {
    std::erase(state_.groups_of_warp[home.value()], update.group);
  };
  const auto join = [&](WarpId home, LaneMask) {
    state_.groups_of_warp[home.value()].push_back(update.group);
  };
  if (update.slices.empty() && (is_new || state_.is_static(group))) [[likely]] {
    if (!is_new) return;
    group.formation = FormationTable::of_warp(slot);
    join(slot, update.mask);
  } else {
    const FormationId before = group.formation;
    if (!is_new) state_.for_each_slice(group, LaneMask::all(), leave);
    group.formation =
        update.slices.empty() ? FormationTable::of_warp(slot) : state_.formations.make(update.slices);
    if (!is_new) state_.formations.drop_reference(before);
    state_.for_each_slice(group, LaneMask::all(), join);
  }
  issue_.gates().arm(group);
}

void PathControl::appears(const simt::GroupUpdate& update) {
  IssueTable::Group& group = state_.groups[update.group];
  const WarpId slot{update.group.value() / state_.groups_per_warp};
  group.warp = slot;
  group.scheduler = state_.scheduler_of(slot);
  group.sub_core = issue_.sub_core_of(group.scheduler);
  ++state_.groups_in_slot[slot.value()];
  belongs(update, slot, true);
  // Also a static warp, which comes together in its own slot again after the slot was empty.
  issue_.schedulers().warp_starts(slot);
  issue_.schedulers().group_joins(update.group);
  if (refills_at_once_) fetch_.appears(update.group);
}

void PathControl::stops(const simt::GroupUpdate& update) {
  IssueTable::Group& group = state_.groups[update.group];
  fetch_.stop(update.group);
  group.head_valid = false;
  ++group.epoch;
  if (update.change == GroupChange::kBlocked) {
    const bool is_new = group.status == GroupStatus::kAbsent;
    if (is_new)
      appears(update);
    else if (!update.slices.empty() || !state_.is_static(group)) [[unlikely]]
      belongs(update, group.warp, false);
    group.mask = update.mask;
    // The profile charges the wait to the barrier, whose PC the group still has; a group that waits for its
    // tables is charged to where it goes on. Each cause has a status, with which the scoreboard is told that the head is gone.
    switch (update.cause) {
      case simt::BlockCause::kBarrier:
        issue_.set_long_latency(update.group, GroupStatus::kBarrier);
        group.pc = update.pc;
        return;
      case simt::BlockCause::kTables:
        group.pc = update.pc;
        issue_.set_status(update.group, GroupStatus::kTables);
        return;
      case simt::BlockCause::kUnit:  // charged to the instruction that asks
        if (is_new) group.pc = update.pc;
        issue_.wait_for_block(update.group);
        return;
    }
  }
  issue_.set_status(update.group, GroupStatus::kAbsent);
  state_.for_each_slice(group, LaneMask::all(), [&](WarpId home, LaneMask) {
    std::erase(state_.groups_of_warp[home.value()], update.group);
  });
  state_.formations.drop_reference(group.formation);
  group.formation = FormationTable::of_warp(group.warp);
  if (--state_.groups_in_slot[group.warp.value()] == 0) issue_.schedulers().warp_leaves(group);
}

}  // namespace heddle::core
