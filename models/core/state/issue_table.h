// Status of every issue group of a core, kept up to date by events so that nothing is scanned per cycle: per
// scheduler the groups that are ready, by the pipe they need, and how many groups are in each other state.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/index_set.h"
#include "core/config.h"
#include "core/protocols/issue_gate_protocol.h"
#include "core/state/formation_table.h"
#include "core/state/group_profiler.h"
#include "core/state/profile.h"
#include "core/warp_context.h"
#include "isa/instruction.h"
#include "simt/control_flow_protocol.h"

namespace heddle::core {

enum class GroupStatus : std::uint8_t {
  kAbsent,
  kReady,             ///< the head of its I-buffer may issue as soon as its pipe takes it
  kScoreboardAlu,     ///< head waits for a result of an execution pipe (or for a scoreboard entry)
  kScoreboardMemory,  ///< head waits for a load or atomic
  kFetch,             ///< I-buffer empty: fetch bandwidth, or a miss in the instruction cache
  kControlFlow,       ///< I-buffer empty behind a branch or another instruction that decides where to go on
  kBarrier,           ///< waits at a CTA barrier or a .sync instruction
  // Behind a closed gate: kTables + number of the gate (gate_status).
  kTables,  ///< gate 0: the control-flow mechanism's tables are busy (spilled entries on their way)
  kFence,   ///< gate 1: waits for memory operations at a fence
};
inline constexpr unsigned kGroupStatuses = static_cast<unsigned>(GroupStatus::kTables) + kIssueGates;
[[nodiscard]] constexpr GroupStatus gate_status(std::uint32_t gate) {
  return static_cast<GroupStatus>(static_cast<unsigned>(GroupStatus::kTables) + gate);
}
[[nodiscard]] constexpr bool behind_gate(GroupStatus status) { return status >= GroupStatus::kTables; }
/// Gates that every core has.
inline constexpr std::uint32_t kHoldGate = 0;
inline constexpr std::uint32_t kFenceGate = 1;
inline constexpr std::uint32_t kOwnGates = 2;

/// What an issue slot (one scheduler in one cycle) was used for. A slot that issued nothing is charged to the
/// group that was closest to issuing: the first of these causes, from the top, that any of its groups has.
enum class SlotUse : std::uint8_t {
  kIssued,
  kReplay,              ///< a further pass of a memory instruction (bank conflict, uncoalesced access)
  kHeldBack,            ///< groups could issue, the scheduling policy held them back
  kScoreboardPorts,     ///< the group whose turn it was could issue but for the scoreboard's ports
  kPipeBusy,            ///< a group was ready, its execution pipe was not
  kOperandCollector,    ///< a group was ready, no operand collector was free
  kMemoryBackPressure,  ///< a group was ready, the load/store unit was full
  kScoreboardAlu,
  kScoreboardMemory,
  kIBufferEmpty,
  kControlFlow,
  kTables,
  kFence,
  kBarrier,
  kNoWarp,  ///< the scheduler had no group at all
  // kNoWarp + 1 ...: behind an extension's gate; they rank behind kFence, that of set_nearest_gate() before kScoreboardAlu.
};
inline constexpr unsigned kSlotUses = static_cast<unsigned>(SlotUse::kNoWarp) + 1 + kIssueGates - kOwnGates;
/// The charge for a gate.
[[nodiscard]] constexpr SlotUse gate_slot_use(std::uint32_t gate) {
  const auto base = static_cast<unsigned>(gate < kOwnGates ? SlotUse::kTables : SlotUse::kNoWarp);
  return static_cast<SlotUse>(gate < kOwnGates ? base + gate : base + 1 + gate - kOwnGates);
}
/// `gates`: names of the extensions' gates.
[[nodiscard]] std::vector<std::string> slot_use_names(const std::vector<std::string>& gates = {});
static_assert(kOwnWaitCauses == static_cast<unsigned>(SlotUse::kNoWarp));
static_assert(static_cast<unsigned>(WaitCause::kMemoryBackPressure) ==
              static_cast<unsigned>(SlotUse::kMemoryBackPressure));

/// When the pipes of a sub-core take the next instruction.
struct PipeReadiness {
  std::array<Cycle, kPipes> accepts_from{};  ///< first cycle in which a collector (or the pipe) is free
  std::array<Cycle, kPipes> busy_until{};    ///< first cycle in which a unit of the pipe is free
  bool memory_full = false;                  ///< the load/store unit's queue is full

  [[nodiscard]] bool accepts(unsigned pipe, Cycle now) const {
    return accepts_from[pipe] <= now && !(memory_full && pipe == static_cast<unsigned>(Pipe::kMemory));
  }
};

class IssueTable {
 public:
  struct Group {
    GroupStatus status = GroupStatus::kAbsent;
    Pipe pipe = Pipe::kSp;    ///< needed by the head while kReady
    bool head_valid = false;  ///< I-buffer not empty
    std::uint8_t gates = 0;   ///< bit per gate that may be closed for it (issue_gate.h)
    simt::Hold hold = simt::Hold::kNothing;
    WarpId warp{};            ///< the slot that it occupies
    FormationId formation{};  ///< whose lanes it has
    Pc pc{};                  ///< next instruction to issue
    Pc watch = kNoPc;         ///< report to the control-flow mechanism when the next PC is this
    Pc also_watch = kNoPc;    ///< or this
    LaneMask mask;
    std::uint32_t scheduler = 0;
    std::uint32_t sub_core = 0;  ///< the scheduler's
    std::uint32_t epoch = 0;     ///< counts its moves: what waits for an older one is void
    WarpId waits_for{};          ///< one of several home warps, whose registers it waits for (IssueStage)
    Cycle issued_at = 0;         ///< when it issued or moved last
  };

  IssueTable(std::uint32_t groups, std::uint32_t schedulers);

  [[nodiscard]] Group& operator[](GroupId id) { return groups_[id.value()]; }
  [[nodiscard]] const Group& operator[](GroupId id) const { return groups_[id.value()]; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(groups_.size()); }
  /// While a profile is taken, the wait that begins is charged to the group's present `pc`.
  void set_status(GroupId id, GroupStatus status, Pipe pipe = Pipe::kSp);
  /// Groups that are there.
  [[nodiscard]] std::uint32_t present() const { return present_; }

  /// Groups behind this gate of an extension are the closest to issuing of all that are not ready: time alone opens it.
  void set_nearest_gate(std::uint32_t gate) { nearest_gate_ = gate; }

  /// Takes a profile from now on; nullptr: none. No group is there. `sink`: is told of each wait; `now`: the present cycle.
  void set_profile(KernelProfile* profile, WaitSink* sink = nullptr, Cycle now = 0);
  void end_profile() {
    if (profiler_) profiler_->end();
  }
  [[nodiscard]] bool profiled() const { return profiler_.has_value(); }
  /// While a profile is taken, for every cycle of every scheduler: the `cycles` cycles up to `now` pass, the
  /// slot being used for `use`; `issuing`: the group, if that is kIssued. To be called before it issues.
  void profile_slot(std::uint32_t scheduler, const PipeReadiness& pipes, Cycle now, Cycle cycles, SlotUse use,
                    GroupId issuing);

  /// Groups of the scheduler whose head's pipe takes an instruction at `now`; nullptr: there is none. Valid
  /// until a status changes or the next call.
  [[nodiscard]] const base::IndexSet* candidates(std::uint32_t index, const PipeReadiness& pipes, Cycle now) {
    const Scheduler& scheduler = schedulers_[index];
    std::uint32_t accepting = 0;
    for (std::uint32_t rest = scheduler.ready_pipes; rest != 0; rest &= rest - 1)
      if (pipes.accepts(static_cast<unsigned>(std::countr_zero(rest)), now)) accepting |= rest & -rest;
    if (accepting == 0) return nullptr;
    if ((accepting & (accepting - 1)) == 0)
      return &scheduler.ready[static_cast<unsigned>(std::countr_zero(accepting))];
    return ready_for(scheduler, accepting);
  }
  /// Of the statuses of the scheduler's groups: as long as it is the same, they are.
  [[nodiscard]] std::uint64_t changes(std::uint32_t scheduler) const {
    return schedulers_[scheduler].changes;
  }
  [[nodiscard]] bool any_ready(std::uint32_t scheduler) const {
    return schedulers_[scheduler].count[static_cast<unsigned>(GroupStatus::kReady)] != 0;
  }
  /// First cycle after `now` in which a ready group of the scheduler may issue or its cause of waiting
  /// changes. `held_until`: its policy holds those back whose pipes accept; 0: it does not.
  [[nodiscard]] Cycle next_due(std::uint32_t scheduler, const PipeReadiness& pipes, Cycle now,
                               Cycle held_until = 0) const;
  /// Why the scheduler issues nothing in cycle `now`.
  [[nodiscard]] SlotUse idle_cause(std::uint32_t index, const PipeReadiness& pipes, Cycle now) const {
    const Scheduler& scheduler = schedulers_[index];
    const auto any = [&](GroupStatus status) { return scheduler.count[static_cast<unsigned>(status)] != 0; };
    if (any(GroupStatus::kReady)) return ready_cause(scheduler, pipes, now);
    if (nearest_gate_ != 0 && any(gate_status(nearest_gate_))) [[unlikely]]
      return gate_slot_use(nearest_gate_);
    if (any(GroupStatus::kScoreboardAlu)) return SlotUse::kScoreboardAlu;
    if (any(GroupStatus::kScoreboardMemory)) return SlotUse::kScoreboardMemory;
    if (any(GroupStatus::kFetch)) return SlotUse::kIBufferEmpty;
    if (any(GroupStatus::kControlFlow)) return SlotUse::kControlFlow;
    return gate_cause(scheduler);
  }

 private:
  [[gnu::noinline]] void profile_status(GroupId id, GroupStatus status, Pipe pipe);

  struct Scheduler {
    std::uint64_t changes = 0;
    std::array<std::uint32_t, kGroupStatuses> count{};
    std::uint32_t ready_pipes = 0;  ///< bit per Pipe: some ready group needs it
    std::array<std::uint32_t, kPipes> ready_count{};
    std::array<base::IndexSet, kPipes> ready;
  };
  /// Ready groups whose heads need one of these pipes (bit per Pipe).
  [[nodiscard]] const base::IndexSet* ready_for(const Scheduler& scheduler, std::uint32_t pipes);
  /// Of ready groups, none of which issues.
  [[nodiscard]] static SlotUse ready_cause(const Scheduler& scheduler, const PipeReadiness& pipes, Cycle now);
  /// Of groups behind gates and barriers only.
  [[nodiscard]] static SlotUse gate_cause(const Scheduler& scheduler);

  std::vector<Group> groups_;
  std::vector<Scheduler> schedulers_;
  std::uint32_t present_ = 0;
  std::uint32_t nearest_gate_ = 0;  ///< 0: none; gate 0 is a core's own
  base::IndexSet scratch_;
  std::optional<GroupProfiler> profiler_;
};

}  // namespace heddle::core
