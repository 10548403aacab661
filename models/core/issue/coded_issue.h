// The side of the issue stage that control codes need: it asks the dependence counters about heads, and looks at them again when
// time has passed, since nothing is written when a stall count ends (core.scoreboard.kind=control_codes; dependence_counters.h).
#pragma once

#include <vector>

#include "core/protocols/constant_protocol.h"
#include "core/protocols/scoreboard_protocol.h"
#include "core/state/core_state.h"

namespace heddle::core {

class IssueStage;

class CodedIssue {
 public:
  CodedIssue(CoreState& state, ScoreboardPort& scoreboard, ConstantPort& constants, IssueStage& stage)
      : state_(state),
        scoreboard_(scoreboard),
        constants_(constants),
        stage_(stage),
        on_(state.config.scoreboard.control_codes()),
        immediates_(on_ && state.config.constant_cache.immediate_kib != 0) {}

  /// The machine issues by control codes. Nothing else may be called otherwise, but for next_look().
  [[nodiscard]] bool on() const { return on_; }
  /// Operands at fixed places of constant banks may have to be waited for (core.constant_cache.immediate_kib).
  [[nodiscard]] bool waits_for_constants() const { return immediates_; }
  /// The gate that stands for that stall cause.
  void name_constants(std::uint32_t gate) { constant_ = gate_status(gate); }
  /// That of groups that wait for such an operand; otherwise no group's.
  [[nodiscard]] GroupStatus constant() const { return constant_; }
  /// The gate that stands for the stall cause.
  void name_cause(std::uint32_t gate) {
    stalled_ = gate_status(gate);
    state_.groups.set_nearest_gate(gate);
  }
  /// That of groups whose stall count has not passed; otherwise no group's.
  [[nodiscard]] GroupStatus stalled() const { return stalled_; }

  void begin_launch();
  /// First cycle in which a head must be looked at again.
  [[nodiscard]] Cycle next_look() const { return next_look_; }
  /// Before issue of the cycle.
  void begin_cycle(Cycle now) {
    if (next_look_ <= now) [[unlikely]]
      look(now);
    began_ = now;
  }
  /// What the codes keep the group's head from; it is looked at again when a counter goes down, or time has passed.
  [[nodiscard]] Hazard hazard(GroupId id);
  /// The group's instruction issues: its codes hold from now on.
  void issues(GroupId id, const isa::Instruction& instruction);

 private:
  struct Look {
    Cycle at = 0;
    GroupId group{};
  };
  /// At the heads that are due.
  void look(Cycle now);
  void look_again(GroupId id, Cycle due);
  /// First cycle in which the operand of the instruction at `pc` is there, as far as known, or may be asked for again.
  [[nodiscard]] Cycle operand_due(Pc pc, Cycle cycle);

  CoreState& state_;
  ScoreboardPort& scoreboard_;
  ConstantPort& constants_;
  IssueStage& stage_;
  bool on_;
  bool immediates_;
  GroupStatus stalled_ = GroupStatus::kAbsent;
  GroupStatus constant_ = GroupStatus::kAbsent;
  std::vector<Look> looks_;
  Cycle next_look_ = kNever;
  Cycle began_ = kNever;  ///< the last cycle in which issue has begun
};

}  // namespace heddle::core
