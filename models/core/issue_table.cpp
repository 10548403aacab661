#include "core/issue_table.h"

namespace heddle::core {

std::vector<std::string> slot_use_names() {
  return {"issued",         "pipe_busy",         "memory_back_pressure",
          "scoreboard_alu", "scoreboard_memory", "ibuffer_empty",
          "fence",          "barrier",           "no_warp"};
}

IssueTable::IssueTable(std::uint32_t groups, std::uint32_t schedulers)
    : groups_(groups), schedulers_(schedulers), scratch_(groups) {
  for (Scheduler& scheduler : schedulers_)
    for (sim::IndexSet& ready : scheduler.ready) ready.resize(groups);
}

void IssueTable::set_status(GroupId id, GroupStatus status, isa::Unit unit) {
  Group& group = groups_[id.value()];
  Scheduler& scheduler = schedulers_[group.scheduler];
  if (group.status == GroupStatus::kReady) {
    scheduler.ready[static_cast<unsigned>(group.unit)].erase(id.value());
    --scheduler.ready_count[static_cast<unsigned>(group.unit)];
  }
  if (group.status != GroupStatus::kAbsent) --scheduler.count[static_cast<unsigned>(group.status)];
  group.status = status;
  group.unit = unit;
  if (status != GroupStatus::kAbsent) ++scheduler.count[static_cast<unsigned>(status)];
  if (status == GroupStatus::kReady) {
    scheduler.ready[static_cast<unsigned>(unit)].insert(id.value());
    ++scheduler.ready_count[static_cast<unsigned>(unit)];
  }
}

const sim::IndexSet& IssueTable::candidates(std::uint32_t index, const bool (&unit_free)[isa::kUnits]) {
  const Scheduler& scheduler = schedulers_[index];
  scratch_.clear();
  for (unsigned u = 0; u < isa::kUnits; ++u)
    if (unit_free[u] && scheduler.ready_count[u] != 0) scratch_ |= scheduler.ready[u];
  return scratch_;
}

SlotUse IssueTable::idle_cause(std::uint32_t index, const bool (&unit_free)[isa::kUnits]) const {
  const Scheduler& scheduler = schedulers_[index];
  const auto any = [&](GroupStatus status) { return scheduler.count[static_cast<unsigned>(status)] != 0; };
  if (any(GroupStatus::kReady)) {
    for (const isa::Unit unit : {isa::Unit::kSp, isa::Unit::kSfu, isa::Unit::kControl})
      if (scheduler.ready_count[static_cast<unsigned>(unit)] != 0 && !unit_free[static_cast<unsigned>(unit)])
        return SlotUse::kPipeBusy;
    return SlotUse::kMemoryBackPressure;
  }
  if (any(GroupStatus::kScoreboardAlu)) return SlotUse::kScoreboardAlu;
  if (any(GroupStatus::kScoreboardMemory)) return SlotUse::kScoreboardMemory;
  if (any(GroupStatus::kFetch)) return SlotUse::kIBufferEmpty;
  if (any(GroupStatus::kFence)) return SlotUse::kFence;
  if (any(GroupStatus::kBarrier)) return SlotUse::kBarrier;
  return SlotUse::kNoWarp;
}

}  // namespace heddle::core
