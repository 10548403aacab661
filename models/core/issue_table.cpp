#include "core/issue_table.h"

#include <algorithm>
#include <bit>

namespace heddle::core {

std::vector<std::string> slot_use_names() {
  return {"issued",
          "replay",
          "held_back",
          "pipe_busy",
          "operand_collector",
          "memory_back_pressure",
          "scoreboard_alu",
          "scoreboard_memory",
          "ibuffer_empty",
          "control_flow",
          "fence",
          "barrier",
          "no_warp"};
}

IssueTable::IssueTable(std::uint32_t groups, std::uint32_t schedulers)
    : groups_(groups), schedulers_(schedulers), scratch_(groups) {
  for (Scheduler& scheduler : schedulers_)
    for (sim::IndexSet& ready : scheduler.ready) ready.resize(groups);
}

void IssueTable::set_status(GroupId id, GroupStatus status, Cycle now, Pipe pipe) {
  Group& group = groups_[id.value()];
  Scheduler& scheduler = schedulers_[group.scheduler];
  if (profile_ != nullptr) {
    if (group.status != GroupStatus::kAbsent)
      profile_->at(group.waits_for).waiting[static_cast<unsigned>(group.status)] += now - group.since;
    group.since = now;
    group.waits_for = group.pc;
  }
  if (group.status == GroupStatus::kReady) {
    const auto old = static_cast<unsigned>(group.pipe);
    scheduler.ready[old].erase(id.value());
    if (--scheduler.ready_count[old] == 0) scheduler.ready_pipes &= ~(1u << old);
  }
  if (group.status != GroupStatus::kAbsent) --scheduler.count[static_cast<unsigned>(group.status)];
  group.status = status;
  group.pipe = pipe;
  if (status != GroupStatus::kAbsent) ++scheduler.count[static_cast<unsigned>(status)];
  if (status == GroupStatus::kReady) {
    scheduler.ready[static_cast<unsigned>(pipe)].insert(id.value());
    ++scheduler.ready_count[static_cast<unsigned>(pipe)];
    scheduler.ready_pipes |= 1u << static_cast<unsigned>(pipe);
  }
}

const sim::IndexSet& IssueTable::candidates(std::uint32_t index, const PipeReadiness& pipes, Cycle now) {
  const Scheduler& scheduler = schedulers_[index];
  scratch_.clear();
  for (std::uint32_t rest = scheduler.ready_pipes; rest != 0; rest &= rest - 1) {
    const auto pipe = static_cast<unsigned>(std::countr_zero(rest));
    if (pipes.accepts(pipe, now)) scratch_ |= scheduler.ready[pipe];
  }
  return scratch_;
}

Cycle IssueTable::next_due(std::uint32_t index, const PipeReadiness& pipes, Cycle now) const {
  Cycle next = kNoCycle;
  for (std::uint32_t rest = schedulers_[index].ready_pipes; rest != 0; rest &= rest - 1) {
    const auto pipe = static_cast<unsigned>(std::countr_zero(rest));
    if (pipes.memory_full && pipe == static_cast<unsigned>(Pipe::kMemory)) continue;  // until it says so
    next = std::min(next, std::max(pipes.accepts_from[pipe], now + 1));
    if (pipes.busy_until[pipe] > now) next = std::min(next, pipes.busy_until[pipe]);
  }
  return next;
}

SlotUse IssueTable::idle_cause(std::uint32_t index, const PipeReadiness& pipes, Cycle now) const {
  const Scheduler& scheduler = schedulers_[index];
  const auto any = [&](GroupStatus status) { return scheduler.count[static_cast<unsigned>(status)] != 0; };
  if (any(GroupStatus::kReady)) {
    SlotUse cause = SlotUse::kMemoryBackPressure;
    for (std::uint32_t rest = scheduler.ready_pipes; rest != 0; rest &= rest - 1) {
      const auto pipe = static_cast<unsigned>(std::countr_zero(rest));
      if (pipes.accepts(pipe, now)) return SlotUse::kHeldBack;
      if (pipes.busy_until[pipe] > now)
        cause = SlotUse::kPipeBusy;
      else if (cause != SlotUse::kPipeBusy && pipes.accepts_from[pipe] > now)
        cause = SlotUse::kOperandCollector;
    }
    return cause;
  }
  if (any(GroupStatus::kScoreboardAlu)) return SlotUse::kScoreboardAlu;
  if (any(GroupStatus::kScoreboardMemory)) return SlotUse::kScoreboardMemory;
  if (any(GroupStatus::kFetch)) return SlotUse::kIBufferEmpty;
  if (any(GroupStatus::kControlFlow)) return SlotUse::kControlFlow;
  if (any(GroupStatus::kFence)) return SlotUse::kFence;
  if (any(GroupStatus::kBarrier)) return SlotUse::kBarrier;
  return SlotUse::kNoWarp;
}

}  // namespace heddle::core
