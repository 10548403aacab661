// The side of the issue stage that control codes need: it asks the dependence counters about heads, and looks at them again when
// time has passed, since nothing is written when a stall count ends (core.scoreboard.kind=control_codes; dependence_counters.h).
#pragma once

#include <vector>

#include "core/protocols/scoreboard_protocol.h"
#include "core/state/core_state.h"

namespace heddle::core {

class IssueStage;

class CodedIssue {
 public:
  CodedIssue(CoreState& state, ScoreboardPort& scoreboard, IssueStage& stage)
      : state_(state), scoreboard_(scoreboard), stage_(stage), on_(state.config.scoreboard.control_codes()) {}

  /// The machine issues by control codes. Nothing else may be called otherwise, but for next_look().
  [[nodiscard]] bool on() const { return on_; }
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

  CoreState& state_;
  ScoreboardPort& scoreboard_;
  IssueStage& stage_;
  bool on_;
  GroupStatus stalled_ = GroupStatus::kAbsent;
  std::vector<Look> looks_;
  Cycle next_look_ = kNever;
  Cycle began_ = kNever;  ///< the last cycle in which issue has begun
};

}  // namespace heddle::core
