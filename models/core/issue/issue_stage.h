// The issue stage: which group's head issues in a cycle, and what every issue slot was used for.
//
// A group's head is looked at when something changes that it may wait for (refresh): its I-buffer, a gate, the
// scoreboard. A cycle only asks the schedulers about groups that are ready. Where an instruction goes is IssueTarget's.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "base/stats.h"
#include "core/issue/coded_issue.h"
#include "core/issue/issue_gate.h"
#include "core/issue/scheduler_bank.h"
#include "core/protocols/issue_gate_protocol.h"
#include "core/protocols/pipes_protocol.h"
#include "core/protocols/scoreboard_protocol.h"
#include "core/state/core_state.h"

namespace heddle::core {

/// Who executes what issues.
class IssueTarget {
 public:
  /// The head of the group's I-buffer issues.
  virtual void issue(GroupId id) = 0;

 protected:
  ~IssueTarget() = default;
};

/// No scheduler.
inline constexpr std::uint32_t kNobody = ~0u;

class IssueStage {
 public:
  /// Within the constructor of a module, which becomes the parent of the schedulers.
  IssueStage(CoreState& state, ScoreboardPort& scoreboard, ConstantPort& constants);
  /// Once all gates are known.
  void declare(base::StatGroup& issue);

  /// Puts units in front of the schedulers, the first of them next to the issue stage; once, possibly none.
  void bind_schedulers(const std::vector<SchedulerInterposer*>& units);
  /// Adds a gate; `name` (extensions only) is that of its stall cause.
  std::uint32_t add_gate(IssueGate& gate, const std::string& name = {});
  /// What an extension's gate says of itself.
  void control_gate(const GateControlRequest& request);
  [[nodiscard]] IssueGates& gates() { return gates_; }
  /// They are told of warps and groups that come and leave.
  [[nodiscard]] SchedulerBank& schedulers() { return schedulers_; }
  [[nodiscard]] const std::vector<std::string>& gate_names() const { return gate_names_; }

  void begin_launch(Cycle now) {
    port_waits_.clear(), codes_.begin_launch();
    if (clocked_scoreboard_) scoreboard_.begin_launch(now);
  }
  /// A cycle: each scheduler issues at most one instruction, which `target` executes.
  void cycle(Cycle now, IssueTarget& target);
  /// Nothing ran since cycle `last`: its slots up to `until` are charged.
  void account_idle(Cycle skipped, Cycle until);
  /// The same of a launch without a warp here and without a profile.
  void rest(Cycle cycles) {
    slots_[static_cast<unsigned>(SlotUse::kNoWarp)] += cycles * state_.config.scheduler.count;
  }
  /// It follows a clock of its own in parts.
  [[nodiscard]] bool clocked() const {
    return clocked_scoreboard_ || clocked_control_flow_ || state_.config.scheduler.clocked();
  }
  /// First cycle in which it must run again, as far as known.
  [[nodiscard]] Cycle next_due(Cycle now) const;

  // What changes what may issue. Warps are home warps.
  /// Looks at the head of the group's I-buffer again.
  void refresh(GroupId id);
  /// The same for every ready group of the warp: something it needs has been taken.
  void refresh_ready(WarpId warp);
  /// The same for one ready group: other lanes of its home warp `home` have made registers pending. Of several home warps only
  /// that one's lanes are looked at.
  void refresh_ready(GroupId id, WarpId home);
  /// The same for those that wait for a result.
  void refresh_waiting(WarpId warp);
  [[nodiscard]] CodedIssue& codes() { return codes_; }
  /// What the registers of the group's lanes, or room for its destinations, keep the instruction from. Control codes keep nothing
  /// that has issued.
  [[nodiscard]] Hazard hazard(IssueTable::Group& group, const isa::Instruction& instruction) {
    if (codes_.on()) [[unlikely]]
      return Hazard::kNone;
    if (state_.is_static(group)) [[likely]]
      return scoreboard_.check(group.warp, group.mask, instruction);
    return hazard_of_slices(group, instruction);
  }
  void set_status(GroupId id, GroupStatus status, Pipe pipe = Pipe::kSp) {
    if (clocked_scoreboard_) [[unlikely]]
      tell_if_gone(id);
    state_.groups.set_status(id, status, pipe);
  }
  /// The group waits for memory, a gate or a barrier.
  void set_long_latency(GroupId id, GroupStatus status);
  /// The gate is open for the warp, or its state has changed: the groups that it kept are looked at again.
  void recheck_gate(std::uint32_t gate, WarpId warp);

  // Control-flow mechanism that is a clocked block.
  void wait_for_block(GroupId id) { set_status(id, block_busy_); }
  /// `schedulers`: bit per scheduler, an event of which waits.
  void branch_unit_busy(std::uint32_t schedulers) { branch_unit_busy_ = schedulers; }

  // Pipes and load/store unit.
  [[nodiscard]] std::uint32_t sub_core_of(std::uint32_t scheduler) const { return sub_core_of_[scheduler]; }
  /// An instruction of `scheduler` entered a pipe.
  void entered(std::uint32_t scheduler, const PipesRequest& pipes);
  /// `sub_cores`: bit per sub-core whose own queue is full.
  void memory_full(bool full, std::uint32_t sub_cores) {
    if (full) sub_cores = ~0u;
    if (sub_cores == full_sub_cores_) [[likely]]
      return;
    schedulers_.memory_room(full_sub_cores_ & ~sub_cores);
    full_sub_cores_ = sub_cores;
    for (PipeReadiness& pipes : pipe_readiness_) {
      pipes.memory_full = (sub_cores & 1u) != 0;
      sub_cores >>= 1;
    }
  }
  /// In this cycle a further pass of a memory instruction takes the slot of the warp's scheduler.
  void replay(WarpId warp) { replay_scheduler_ = state_.scheduler_of(warp); }
  void no_replay() { replay_scheduler_ = kNobody; }

 private:
  [[nodiscard]] [[gnu::noinline]] Hazard hazard_by_group(GroupId id);
  /// Clocked scoreboard: the group has no head.
  [[gnu::noinline]] void tell_if_gone(GroupId id);
  /// Its clock: the heads of which it knows more are looked at again.
  [[gnu::noinline]] void step_scoreboard(Cycle now);
  [[nodiscard]] Hazard hazard_of_slices(IssueTable::Group& group, const isa::Instruction& instruction);
  /// Apart, so that the loop over a warp's groups stays part of the write-back. If registers of `written` were not what a waiting group of several
  /// home warps waits for most, it still waits: so a write-back costs a look at the groups of its home warps, not at all their slices.
  [[gnu::noinline]] void refresh_waiting(GroupId id, WarpId written);
  void slot(Cycle now, std::uint32_t scheduler, IssueTarget& target);
  /// The slot of a scheduler whose choice was refused.
  struct PortWait {
    std::uint32_t scheduler = 0;
    GroupId group{};
  };
  [[gnu::noinline]] void slot_of_waiting(Cycle now, const PortWait& wait, IssueTarget& target);
  /// The scheduler's choice issues, if the scoreboard has the ports.
  void issue_or_wait(Cycle now, std::uint32_t scheduler, GroupId group, IssueTarget& target,
                     bool refused_before);
  [[nodiscard]] [[gnu::noinline]] bool admitted(GroupId group, bool refused_before);
  /// Asked only if choices_are_open_: the choice issues, and those who have to know are told. Else the slot is charged.
  [[nodiscard]] [[gnu::noinline]] bool issues_now(Cycle now, std::uint32_t scheduler, GroupId group,
                                                  bool refused_before);
  /// Charges the `cycles` cycles up to `now` of a scheduler's slot; `issuing`: the group, if `use` is
  /// kIssued.
  void charge(std::uint32_t scheduler, SlotUse use, Cycle now, Cycle cycles = 1, GroupId issuing = {}) {
    slots_[static_cast<unsigned>(use)] += cycles;
    if (state_.groups.profiled())
      state_.groups.profile_slot(scheduler, pipe_readiness_[sub_core_of(scheduler)], now, cycles, use,
                                 issuing);
  }

  /// Why a scheduler that issued nothing did not.
  [[nodiscard]] SlotUse idle_cause(std::uint32_t scheduler, Cycle now) const {
    const SlotUse cause = state_.groups.idle_cause(scheduler, pipe_readiness_[sub_core_of(scheduler)], now);
    return cause == SlotUse::kHeldBack ? held_by_[scheduler] : cause;
  }

  /// A gate that is never closed: it stands for a stall cause.
  class Cause final : public IssueGate {
    void serve(IssueGateRequest& request) override { request.closed = false; }
  };

  CoreState& state_;
  ScoreboardPort& scoreboard_;
  std::vector<std::unique_ptr<Cause>> causes_;
  bool limits_ports_;
  bool clocked_scoreboard_;
  bool clocked_control_flow_;
  bool choices_are_open_;  ///< a choice may wait for ports, or is committed when it issues
  bool heads_by_group_;    ///< control codes, or a clocked scoreboard
  /// Of groups that wait for a clocked block: whose head has not been looked up, or who have asked the control-flow mechanism.
  GroupStatus block_busy_ = GroupStatus::kAbsent;
  std::uint32_t branch_unit_busy_ =
      0;  ///< bit per scheduler, which issues nothing that the mechanism may have to hear of
  std::uint32_t scoreboard_busy_ = 0;   ///< bit per scheduler, which issues nothing in this cycle
  std::vector<GroupId> changed_heads_;  ///< scratch
  CodedIssue codes_;
  HoldGate hold_gate_;
  IssueGates gates_;
  std::vector<std::string> gate_names_;  ///< of extensions
  SchedulerBank schedulers_;
  std::vector<std::uint32_t> sub_core_of_;     ///< by scheduler
  std::vector<PipeReadiness> pipe_readiness_;  ///< by sub-core
  std::uint32_t full_sub_cores_ = 0;           ///< as memory_full() was told last
  std::vector<Cycle>
      held_until_;  ///< by scheduler: its policy held all candidates back, until then; 0: it did not
  std::vector<SlotUse> held_by_;  ///< by scheduler: who did
  /// First scheduler to pick: the successor of the last user of the load/store unit. A fixed order could starve a lock
  /// owner.
  std::uint32_t first_scheduler_ = 0;
  std::vector<PortWait>
      port_waits_;  ///< choices that the scoreboard has no ports for or the branch unit's latch no room, the first refused in front
  std::vector<PortWait> earlier_waits_;  ///< scratch: those of the cycle before
  /// In this cycle a memory instruction takes a further pass, and with it the slot of this scheduler; or it is nobody's.
  std::uint32_t replay_scheduler_ = kNobody;
  std::array<std::uint64_t, kSlotUses> slots_{};
};

}  // namespace heddle::core
