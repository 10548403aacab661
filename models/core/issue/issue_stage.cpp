#include "core/issue/issue_stage.h"

#include <algorithm>

namespace heddle::core {
namespace {

/// The control-flow mechanism may have to hear of the group's head when it issues.
bool decides(const CoreState& state, const IssueTable::Group& group) {
  const Pc next{group.pc.value() + 1};
  return state.instruction(group.pc).stops_fetch || next == group.watch || next == group.also_watch;
}
/// Of a slot whose scheduler is kept by what its groups behind a gate wait for.
SlotUse slot_use_of(GroupStatus gate) {
  return gate_slot_use(static_cast<std::uint32_t>(gate) - static_cast<std::uint32_t>(GroupStatus::kTables));
}

}  // namespace

IssueStage::IssueStage(CoreState& state, ScoreboardPort& scoreboard)
    : state_(state),
      scoreboard_(scoreboard),
      limits_ports_(state.config.scoreboard.limits_ports()),
      clocked_scoreboard_(state.config.scoreboard.clocked()),
      clocked_control_flow_(state.config.control_flow.traits().clocked),
      choices_are_open_(limits_ports_ || clocked_scoreboard_ || clocked_control_flow_ ||
                        state.config.scheduler.clocked()),
      heads_by_group_(clocked_scoreboard_ || state.config.scoreboard.control_codes()),
      codes_(state, scoreboard, *this),
      hold_gate_(state),
      gates_(state),
      schedulers_(state),
      pipe_readiness_(state.config.scheduler.sub_cores),
      idle_(state.config.scheduler.count),
      held_until_(state.config.scheduler.count, 0),
      held_by_(state.config.scheduler.count, SlotUse::kHeldBack) {
  gates_.add(hold_gate_);
  const SchedulerConfig& config = state.config.scheduler;
  for (std::uint32_t s = 0; s < config.count; ++s)
    sub_core_of_.push_back(s * config.sub_cores / config.count);
}

void IssueStage::bind_schedulers(const std::vector<SchedulerInterposer*>& units) {
  for (SchedulerInterposer* const unit : units) {
    causes_.push_back(std::make_unique<Cause>());
    unit->charge_to(static_cast<std::uint8_t>(add_gate(*causes_.back(), unit->cause())));
  }
  schedulers_.bind(units);
}

void IssueStage::declare(base::StatGroup& issue) {
  if (codes_.on()) {
    causes_.push_back(std::make_unique<Cause>());
    codes_.name_cause(add_gate(*causes_.back(), "stall_count"));
  }
  if (schedulers_.may_be_busy() || clocked_scoreboard_ || clocked_control_flow_) {
    causes_.push_back(std::make_unique<Cause>());
    const std::uint32_t gate = add_gate(*causes_.back(), "block_busy");
    schedulers_.charge_busy_to(static_cast<std::uint8_t>(gate));
    if (clocked_scoreboard_ || clocked_control_flow_) {
      block_busy_ = gate_status(gate);
      state_.groups.set_nearest_gate(gate);
    }
  }
  issue.counters("slots", "issue slots", "use of every issue slot (schedulers x cycles); sums exactly",
                 slot_use_names(gate_names_), slots_.data());
}

std::uint32_t IssueStage::add_gate(IssueGate& gate, const std::string& name) {
  if (!name.empty()) gate_names_.push_back(name);
  return gates_.add(gate);
}

void IssueStage::control_gate(const GateControlRequest& request) {
  switch (request.op) {
    case GateControlRequest::Op::kClose:
      gates_.close(request.gate, request.warp);
      refresh_ready(request.warp);
      break;
    case GateControlRequest::Op::kOpen:
      gates_.open(request.gate, request.warp);
      [[fallthrough]];
    case GateControlRequest::Op::kRecheck:
      recheck_gate(request.gate, request.warp);
      break;
  }
}

// ---- A cycle

void IssueStage::cycle(Cycle now, IssueTarget& target) {
  codes_.begin_cycle(now);
  if (clocked_scoreboard_) [[unlikely]]
    step_scoreboard(now);
  const std::uint32_t count = state_.config.scheduler.count;
  const std::uint32_t first = first_scheduler_;  // that of this cycle, whatever issues in it
  if (port_waits_.empty()) [[likely]] {
    for (std::uint32_t s = first; s < count; ++s) slot(now, s, target);
    for (std::uint32_t s = 0; s < first; ++s) slot(now, s, target);
    return;
  }
  // Otherwise the first scheduler would leave the others no ports for as long as it finds something to issue.
  earlier_waits_.swap(port_waits_);
  std::uint32_t done = 0;  // bit per scheduler
  for (const PortWait& wait : earlier_waits_) {
    slot_of_waiting(now, wait, target);
    done |= 1u << wait.scheduler;
  }
  earlier_waits_.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t s = (first + i) % count;
    if ((done >> s & 1u) == 0) slot(now, s, target);
  }
}

bool IssueStage::admitted(GroupId id, bool refused_before) {
  const IssueTable::Group& group = state_.groups[id];
  return scoreboard_.admit(group.warp, group.mask, state_.instruction(group.pc), state_.now,
                           refused_before) == Hazard::kNone;
}

void IssueStage::slot(Cycle now, std::uint32_t s, IssueTarget& target) {
  IssueTable& groups = state_.groups;
  const PipeReadiness& pipes = pipe_readiness_[sub_core_of(s)];
  held_until_[s] = 0;
  if (replay_scheduler_ == s) return charge(s, SlotUse::kReplay, now);
  if (still_idle(s, now)) return charge(s, idle_[s].cause, now);
  if (!groups.any_ready(s)) return charge_idle(s, idle_cause(s, now), now);
  if ((scoreboard_busy_ >> s & 1u) != 0) [[unlikely]]
    return charge(s, slot_use_of(block_busy_), now);
  const base::IndexSet* const candidates = groups.candidates(s, pipes, now);
  if (candidates == nullptr) return charge_idle(s, idle_cause(s, now), now);
  const SchedulerRequest pick = schedulers_.pick(s, *candidates, now);
  if (pick.found) return issue_or_wait(now, s, pick.group, target, false);
  held_until_[s] = pick.due;
  held_by_[s] = pick.cause == 0 ? SlotUse::kHeldBack : gate_slot_use(pick.cause);
  charge(s, idle_cause(s, now), now);
}

void IssueStage::slot_of_waiting(Cycle now, const PortWait& wait, IssueTarget& target) {
  const std::uint32_t s = wait.scheduler;
  if (replay_scheduler_ == s) {
    charge(s, SlotUse::kReplay, now);
    port_waits_.push_back(wait);
    return;
  }
  if ((scoreboard_busy_ >> s & 1u) != 0) [[unlikely]] {
    charge(s, slot_use_of(block_busy_), now);
    port_waits_.push_back(wait);
    return;
  }
  const base::IndexSet* const candidates = state_.groups.candidates(s, pipe_readiness_[sub_core_of(s)], now);
  if (candidates == nullptr || !candidates->contains(wait.group.value())) return slot(now, s, target);
  held_until_[s] = 0;
  issue_or_wait(now, s, wait.group, target, true);  // the policy has chosen it already
}

inline void IssueStage::issue_or_wait(Cycle now, std::uint32_t s, GroupId group, IssueTarget& target,
                                      bool refused_before) {
  if (choices_are_open_ && !issues_now(now, s, group, refused_before)) return;
  charge(s, SlotUse::kIssued, now, 1, group);
  target.issue(group);
}

bool IssueStage::issues_now(Cycle now, std::uint32_t s, GroupId group, bool refused_before) {
  if ((branch_unit_busy_ >> s & 1u) != 0 && decides(state_, state_.groups[group])) {
    charge(s, slot_use_of(block_busy_), now);
    // A clocked scheduler has not committed its choice: it chooses again.
    if (refused_before || !state_.config.scheduler.clocked()) port_waits_.push_back({s, group});
    return false;
  }
  if (limits_ports_ && !admitted(group, refused_before)) {
    charge(s, SlotUse::kScoreboardPorts, now);
    port_waits_.push_back({s, group});
    return false;
  }
  if (state_.config.scheduler.clocked()) schedulers_.issued(s, group, now);
  if (clocked_scoreboard_) {
    const IssueTable::Group& issuing = state_.groups[group];
    scoreboard_.issue(issuing.warp, group, state_.instruction(issuing.pc), now);
  }
  return true;
}

void IssueStage::account_idle(Cycle skipped, Cycle until) {
  for (std::uint32_t s = 0; s < state_.config.scheduler.count; ++s)
    charge(s, still_idle(s, until) ? idle_[s].cause : idle_cause(s, until), until, skipped);
}

Cycle IssueStage::next_due(Cycle now) {
  if (!port_waits_.empty()) return now + 1;
  Cycle next = codes_.next_look();
  if (clocked_scoreboard_) [[unlikely]]
    next = std::min(next, scoreboard_.next(now));
  for (std::uint32_t s = 0; s < state_.config.scheduler.count && next > now + 1; ++s) {
    Idle& idle = idle_[s];
    if (still_idle(s, now)) {
      next = std::min(next, idle.until);
      continue;
    }
    Cycle due = kNever;
    if (state_.groups.any_ready(s))
      due = state_.groups.next_due(s, pipe_readiness_[sub_core_of(s)], now, held_until_[s]);
    next = std::min(next, due);
    if (idle.at == now && idle.changes == changes(s)) idle.until = due;
  }
  return next;
}

// ---- What may issue

void IssueStage::refresh(GroupId id) {
  IssueTable::Group& group = state_.groups[id];
  if (!group.head_valid) {
    set_status(id, GroupStatus::kFetch);
    return;
  }
  if (group.gates != 0) [[unlikely]]
    if (const auto gate = gates_.closed(id)) {
      set_status(id, gate_status(*gate));
      return;
    }
  const Hazard found = heads_by_group_ ? hazard_by_group(id) : hazard(group, state_.instruction(group.pc));
  if (found == Hazard::kNone) {
    set_status(id, GroupStatus::kReady, state_.facts[group.pc.value()].pipe);
    held_until_[group.scheduler] = 0;  // what was held back were the others
  } else if (found == Hazard::kMemory)
    set_long_latency(id, GroupStatus::kScoreboardMemory);
  else if (found == Hazard::kLooking)
    set_status(id, block_busy_);
  else
    set_status(id, found == Hazard::kStallCount ? codes_.stalled() : GroupStatus::kScoreboardAlu);
}

Hazard IssueStage::hazard_by_group(GroupId id) {
  if (codes_.on()) return codes_.hazard(id);
  const IssueTable::Group& group = state_.groups[id];
  return scoreboard_.head(group.warp, id, group.mask, state_.instruction(group.pc), state_.now);
}

void IssueStage::tell_if_gone(GroupId id) {
  const IssueTable::Group& group = state_.groups[id];
  if (!group.head_valid) scoreboard_.gone(group.warp, id, state_.now);
}

void IssueStage::step_scoreboard(Cycle now) {
  changed_heads_.clear();
  scoreboard_busy_ = scoreboard_.step(now, changed_heads_);
  for (const GroupId id : changed_heads_)
    if (state_.groups[id].head_valid) refresh(id);
}

Hazard IssueStage::hazard_of_slices(IssueTable::Group& group, const isa::Instruction& instruction) {
  Hazard worst = Hazard::kNone;
  state_.for_each_slice(group, group.mask, [&](WarpId home, LaneMask lanes) {
    const Hazard found = scoreboard_.check(home, lanes, instruction);
    if (found == Hazard::kNone || (worst == Hazard::kMemory && found != Hazard::kMemory)) return;
    worst = found;
    group.waits_for = home;  // the last one: a write-back goes through home warps in the same order
  });
  return worst;
}

void IssueStage::refresh_ready(WarpId warp) {
  for (const GroupId group : state_.groups_of_warp[warp.value()])
    if (state_.groups[group].status == GroupStatus::kReady) refresh(group);
}

void IssueStage::refresh_ready(GroupId id, WarpId home) {
  const IssueTable::Group& group = state_.groups[id];
  if (!state_.is_static(group) && group.gates == 0 && !codes_.on()) {
    Hazard found = Hazard::kNone;
    state_.for_each_slice(group, group.mask, [&](WarpId of, LaneMask lanes) {
      if (of == home) found = scoreboard_.check(home, lanes, state_.instruction(group.pc));
    });
    if (found == Hazard::kNone) {
      held_until_[group.scheduler] = 0;
      return;
    }
  }
  refresh(id);
}

void IssueStage::refresh_waiting(WarpId warp) {
  for (const GroupId group : state_.groups_of_warp[warp.value()]) {
    const GroupStatus status = state_.groups[group].status;
    if (status == GroupStatus::kScoreboardAlu || status == GroupStatus::kScoreboardMemory)
      refresh_waiting(group, warp);
  }
}

void IssueStage::refresh_waiting(GroupId id, WarpId written) {
  const IssueTable::Group& group = state_.groups[id];
  const bool waits_elsewhere =
      !state_.is_static(group) && group.waits_for != written && group.gates == 0 && !codes_.on();
  // By warp, lanes elsewhere may have made registers of memory pending since: the cause may be another one.
  const bool same_cause = group.status == GroupStatus::kScoreboardMemory ||
                          state_.config.scoreboard.kind == ScoreboardKind::kPerThreadMask;
  if (!waits_elsewhere || !same_cause) refresh(id);
}

void IssueStage::recheck_gate(std::uint32_t gate, WarpId warp) {
  for (const GroupId kept : state_.groups_of_warp[warp.value()])
    if (state_.groups[kept].status == gate_status(gate) && state_.groups[kept].head_valid) refresh(kept);
}

void IssueStage::set_long_latency(GroupId id, GroupStatus status) {
  set_status(id, status);
  const IssueTable::Group& group = state_.groups[id];
  const auto waits_long = [this](GroupId other) {
    const GroupStatus s = state_.groups[other].status;
    return s == GroupStatus::kScoreboardMemory || s == GroupStatus::kBarrier ||
           s == GroupStatus::kControlFlow ||
           (behind_gate(s) && s != GroupStatus::kTables && s != codes_.stalled() && s != block_busy_);
  };
  if (state_.groups_per_warp > 1) {
    const auto& of_warp = state_.groups_of_warp[group.warp.value()];
    if (!std::all_of(of_warp.begin(), of_warp.end(), waits_long)) return;
  }
  schedulers_.long_latency(group.scheduler, group.warp);
}

void IssueStage::entered(std::uint32_t scheduler, const PipesRequest& pipes) {
  PipeReadiness& readiness = pipe_readiness_[pipes.sub_core];
  const auto pipe = static_cast<unsigned>(pipes.pipe);
  readiness.accepts_from[pipe] = pipes.accepts_from;
  readiness.busy_until[pipe] = pipes.busy_until;
  ++pipe_changes_;
  if (pipes.pipe == Pipe::kMemory)
    first_scheduler_ = scheduler + 1 == state_.config.scheduler.count ? 0 : scheduler + 1;
}

}  // namespace heddle::core
