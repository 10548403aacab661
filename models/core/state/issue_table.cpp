#include "core/state/issue_table.h"

#include <algorithm>
#include <bit>

namespace heddle::core {

std::vector<std::string> slot_use_names(const std::vector<std::string>& gates) {
  std::vector<std::string> names{"issued",
                                 "replay",
                                 "held_back",
                                 "scoreboard_ports",
                                 "pipe_busy",
                                 "operand_collector",
                                 "memory_back_pressure",
                                 "scoreboard_alu",
                                 "scoreboard_memory",
                                 "ibuffer_empty",
                                 "control_flow",
                                 "control_flow_tables",
                                 "fence",
                                 "barrier",
                                 "no_warp"};
  names.insert(names.end(), gates.begin(), gates.end());
  return names;
}

IssueTable::IssueTable(std::uint32_t groups, std::uint32_t schedulers)
    : groups_(groups), schedulers_(schedulers), scratch_(groups) {
  for (Scheduler& scheduler : schedulers_)
    for (base::IndexSet& ready : scheduler.ready) ready.resize(groups);
}

namespace {

/// Why a ready group does not issue into `pipe`, if its scheduler issues nothing.
SlotUse pipe_cause(unsigned pipe, const PipeReadiness& pipes, Cycle now) {
  if (pipes.accepts(pipe, now)) return SlotUse::kHeldBack;
  if (pipes.busy_until[pipe] > now) return SlotUse::kPipeBusy;
  return pipes.accepts_from[pipe] > now ? SlotUse::kOperandCollector : SlotUse::kMemoryBackPressure;
}

/// Of a group that is there and not ready.
WaitCause wait_cause(GroupStatus status) {
  if (status == GroupStatus::kBarrier) return WaitCause::kBarrier;
  if (behind_gate(status))
    return gate_wait_cause(static_cast<unsigned>(status) - static_cast<unsigned>(GroupStatus::kTables));
  constexpr unsigned kOffset =
      static_cast<unsigned>(WaitCause::kScoreboardAlu) - static_cast<unsigned>(GroupStatus::kScoreboardAlu);
  static_assert(static_cast<unsigned>(GroupStatus::kControlFlow) + kOffset ==
                static_cast<unsigned>(WaitCause::kControlFlow));
  return static_cast<WaitCause>(static_cast<unsigned>(status) + kOffset);
}

}  // namespace

void IssueTable::set_status(GroupId id, GroupStatus status, Pipe pipe) {
  Group& group = groups_[id.value()];
  Scheduler& scheduler = schedulers_[group.scheduler];
  ++scheduler.changes;
  if (group.status == GroupStatus::kReady) {
    const auto old = static_cast<unsigned>(group.pipe);
    scheduler.ready[old].erase(id.value());
    if (--scheduler.ready_count[old] == 0) scheduler.ready_pipes &= ~(1u << old);
  }
  // The count of those that are absent means nothing; keeping it spares two branches.
  --scheduler.count[static_cast<unsigned>(group.status)];
  ++scheduler.count[static_cast<unsigned>(status)];
  if (group.status == GroupStatus::kAbsent) ++present_;
  if (status == GroupStatus::kAbsent) --present_;
  group.status = status;
  group.pipe = pipe;
  if (status == GroupStatus::kReady) {
    scheduler.ready[static_cast<unsigned>(pipe)].insert(id.value());
    ++scheduler.ready_count[static_cast<unsigned>(pipe)];
    scheduler.ready_pipes |= 1u << static_cast<unsigned>(pipe);
  }
  if (profiler_) profile_status(id, status, pipe);
}

void IssueTable::profile_status(GroupId id, GroupStatus status, Pipe pipe) {
  const Group& group = groups_[id.value()];
  if (status == GroupStatus::kAbsent)
    profiler_->leaves(id);
  else if (status == GroupStatus::kReady)
    profiler_->is_ready(id, group.scheduler, group.pc, pipe);
  else
    profiler_->waits(id, group.scheduler, group.pc, wait_cause(status));
}

void IssueTable::set_profile(KernelProfile* profile, WaitSink* sink, Cycle now) {
  profiler_.reset();
  if (profile != nullptr)
    profiler_.emplace(size(), static_cast<std::uint32_t>(schedulers_.size()), *profile, sink, now);
}

void IssueTable::profile_slot(std::uint32_t scheduler, const PipeReadiness& pipes, Cycle now, Cycle cycles,
                              SlotUse use, GroupId issuing) {
  if (use == SlotUse::kIssued) profiler_->leaves(issuing);
  GroupProfiler::ReadyCauses causes{};
  for (unsigned pipe = 0; pipe < kPipes; ++pipe) {
    SlotUse cause = use;
    if (use != SlotUse::kReplay) cause = pipe_cause(pipe, pipes, now);
    const bool held_by_unit = use > SlotUse::kNoWarp;
    if (cause == SlotUse::kHeldBack &&
        (use == SlotUse::kIssued || use == SlotUse::kScoreboardPorts || held_by_unit))
      cause = use;
    // kIssued to kNotSelected, the others to the same name; WaitCause has no kNoWarp.
    causes[pipe] = static_cast<WaitCause>(static_cast<unsigned>(cause) - (cause > SlotUse::kNoWarp ? 1 : 0));
  }
  profiler_->pass(scheduler, cycles, causes);
}

const base::IndexSet* IssueTable::ready_for(const Scheduler& scheduler, std::uint32_t pipes) {
  scratch_.clear();
  for (; pipes != 0; pipes &= pipes - 1)
    scratch_ |= scheduler.ready[static_cast<unsigned>(std::countr_zero(pipes))];
  return &scratch_;
}

Cycle IssueTable::next_due(std::uint32_t index, const PipeReadiness& pipes, Cycle now,
                           Cycle held_until) const {
  Cycle next = kNever;
  for (std::uint32_t rest = schedulers_[index].ready_pipes; rest != 0; rest &= rest - 1) {
    const auto pipe = static_cast<unsigned>(std::countr_zero(rest));
    for (const Cycle change : {pipes.accepts_from[pipe], pipes.busy_until[pipe]})
      if (change > now) next = std::min(next, change);
    if (pipes.accepts(pipe, now))
      next = std::min(next, std::max(now + 1, held_until));  // a full load/store unit says when it is not
  }
  return next;
}

SlotUse IssueTable::ready_cause(const Scheduler& scheduler, const PipeReadiness& pipes, Cycle now) {
  SlotUse cause = SlotUse::kMemoryBackPressure;
  for (std::uint32_t rest = scheduler.ready_pipes; rest != 0; rest &= rest - 1)
    cause = std::min(cause, pipe_cause(static_cast<unsigned>(std::countr_zero(rest)), pipes, now));
  return cause;
}

SlotUse IssueTable::gate_cause(const Scheduler& scheduler) {
  for (std::uint32_t gate = 0; gate < kIssueGates; ++gate)
    if (scheduler.count[static_cast<unsigned>(gate_status(gate))] != 0) return gate_slot_use(gate);
  return scheduler.count[static_cast<unsigned>(GroupStatus::kBarrier)] != 0 ? SlotUse::kBarrier
                                                                            : SlotUse::kNoWarp;
}

}  // namespace heddle::core
