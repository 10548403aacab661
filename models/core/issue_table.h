// Status of every issue group of a core, kept up to date by events so that nothing is scanned per cycle: per
// scheduler the groups that are ready, by the unit they need, and how many groups are in each other state.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/warp_context.h"
#include "isa/instruction.h"
#include "sim/index_set.h"

namespace heddle::core {

enum class GroupStatus : std::uint8_t {
  kAbsent,
  kReady,             ///< the head of its I-buffer may issue as soon as its unit is free
  kScoreboardAlu,     ///< head waits for a result of an execution pipe (or for a scoreboard entry)
  kScoreboardMemory,  ///< head waits for a load or atomic
  kFetch,             ///< I-buffer empty
  kFence,             ///< waits for memory operations at a fence
  kBarrier,           ///< waits at a CTA barrier
};
inline constexpr unsigned kGroupStatuses = static_cast<unsigned>(GroupStatus::kBarrier) + 1;

/// What an issue slot (one scheduler in one cycle) was used for. A slot that issued nothing is charged to the
/// group that was closest to issuing: the first of these causes, from the top, that any of its groups has.
enum class SlotUse : std::uint8_t {
  kIssued,
  kPipeBusy,            ///< a group was ready, its execution unit was not
  kMemoryBackPressure,  ///< a group was ready, the load/store unit was full
  kScoreboardAlu,
  kScoreboardMemory,
  kIBufferEmpty,
  kFence,
  kBarrier,
  kNoWarp,  ///< the scheduler had no group at all
};
inline constexpr unsigned kSlotUses = static_cast<unsigned>(SlotUse::kNoWarp) + 1;
[[nodiscard]] std::vector<std::string> slot_use_names();

class IssueTable {
 public:
  struct Group {
    GroupStatus status = GroupStatus::kAbsent;
    isa::Unit unit = isa::Unit::kSp;  ///< needed by the head while kReady
    bool head_valid = false;          ///< I-buffer not empty
    WarpId warp{};
    Pc pc{};           ///< next instruction to issue
    Pc watch = kNoPc;  ///< report to the branch unit when the next PC is this
    LaneMask mask;
    std::uint32_t scheduler = 0;
  };

  IssueTable(std::uint32_t groups, std::uint32_t schedulers);

  [[nodiscard]] Group& operator[](GroupId id) { return groups_[id.value()]; }
  [[nodiscard]] const Group& operator[](GroupId id) const { return groups_[id.value()]; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(groups_.size()); }
  void set_status(GroupId id, GroupStatus status, isa::Unit unit = isa::Unit::kSp);

  /// Groups of the scheduler whose head needs one of the units marked free. The reference is valid until the
  /// next call.
  [[nodiscard]] const sim::IndexSet& candidates(std::uint32_t scheduler,
                                                const bool (&unit_free)[isa::kUnits]);
  [[nodiscard]] bool any_ready(std::uint32_t scheduler) const {
    return schedulers_[scheduler].count[static_cast<unsigned>(GroupStatus::kReady)] != 0;
  }
  [[nodiscard]] std::uint32_t ready_for(std::uint32_t scheduler, isa::Unit unit) const {
    return schedulers_[scheduler].ready_count[static_cast<unsigned>(unit)];
  }
  /// Why the scheduler issues nothing now.
  [[nodiscard]] SlotUse idle_cause(std::uint32_t scheduler, const bool (&unit_free)[isa::kUnits]) const;

 private:
  struct Scheduler {
    std::array<std::uint32_t, kGroupStatuses> count{};
    std::array<std::uint32_t, isa::kUnits> ready_count{};
    std::array<sim::IndexSet, isa::kUnits> ready;
  };
  std::vector<Group> groups_;
  std::vector<Scheduler> schedulers_;
  sim::IndexSet scratch_;
};

}  // namespace heddle::core
