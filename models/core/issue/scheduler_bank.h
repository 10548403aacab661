// The warp schedulers of a core behind their sockets: which slots and groups each of them knows of, its choice, and the taps
// by which each hears of what it chose.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/protocols/issue_tap_protocol.h"
#include "core/protocols/scheduler_protocol.h"
#include "core/schedule/scheduler_interposer.h"
#include "core/schedule/warp_scheduler.h"
#include "core/state/core_state.h"

namespace heddle::core {

class SchedulerBank {
 public:
  /// Within the constructor of a module, which becomes the parent of the schedulers.
  explicit SchedulerBank(const CoreState& state);
  /// Puts units in front of the schedulers, the first of them next to the issue stage; once, possibly none.
  void bind(const std::vector<SchedulerInterposer*>& units);
  /// Towards the schedulers' taps, by scheduler.
  [[nodiscard]] std::vector<IssueTapPort*> taps() const;

  /// The scheduler's choice of the candidates.
  [[nodiscard]] SchedulerRequest pick(std::uint32_t scheduler, const base::IndexSet& candidates, Cycle now) {
    return isocks_[scheduler]->pick(candidates, groups_, now);
  }
  /// timing: contract: its choice issues.
  void issued(std::uint32_t scheduler, GroupId group, Cycle now) {
    isocks_[scheduler]->issued(state_.groups[group].warp, group, now);
  }
  /// timing: contract of the schedulers or of a unit in front of them: some slots are charged to `block_busy`.
  [[nodiscard]] bool may_be_busy() const;
  /// The cause of such slots, told once.
  void charge_busy_to(std::uint8_t cause);
  /// A warp that could issue may be passed over for ever.
  [[nodiscard]] bool may_starve() const { return schedulers_.front()->may_starve(); }

  /// The slot has groups, now or soon.
  void warp_starts(WarpId warp);
  void warp_leaves(const IssueTable::Group& last_group);
  void group_joins(GroupId id) {
    if (state_.groups_per_warp != 1) isocks_[state_.groups[id].scheduler]->join(id);
  }
  /// Memory instructions of the sub-cores (bit each), whose queues were full, can issue again.
  void memory_room(std::uint32_t sub_cores) {
    if (!hear_of_memory_room_) [[likely]]
      return;
    const SchedulerConfig& config = state_.config.scheduler;
    for (std::uint32_t s = 0; s < config.count; ++s)
      if ((sub_cores >> s * config.sub_cores / config.count & 1u) != 0) isocks_[s]->memory_room();
  }
  /// All groups of the warp wait for memory, a gate or a barrier.
  void long_latency(std::uint32_t scheduler, WarpId warp) { isocks_[scheduler]->long_latency(warp); }

 private:
  /// Groups, for the policies.
  class Groups final : public GroupReader {
   public:
    explicit Groups(const CoreState& state) : state_(state) {}
    [[nodiscard]] WarpId warp(GroupId group) const override { return state_.groups[group].warp; }
    [[nodiscard]] LaneMask lanes(GroupId group) const override { return state_.groups[group].mask; }
    [[nodiscard]] Pc pc(GroupId group) const override { return state_.groups[group].pc; }

   private:
    const CoreState& state_;
  };

  const CoreState& state_;
  Groups groups_;
  std::vector<std::unique_ptr<WarpScheduler>> schedulers_;
  std::vector<SchedulerInterposer*> busy_units_;  ///< those that may be busy
  std::vector<std::unique_ptr<SchedulerPort>> isocks_;
  std::vector<std::unique_ptr<IssueTapPort>> tap_isocks_;
  bool hear_of_memory_room_ = false;  ///< the policy wants to
  std::vector<bool> assigned_;        ///< by warp slot: its scheduler knows of it
};

}  // namespace heddle::core
