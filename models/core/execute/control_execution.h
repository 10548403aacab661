// Instructions that say where lanes go on: branches, calls, returns, exits, convergence instructions, nanosleep,
// transactions. What becomes of the group the control-flow mechanism decides (PathControl).
#pragma once

#include "core/cta/cta_barriers.h"
#include "core/execute/meeting_point.h"
#include "core/issue/path_control.h"
#include "core/memory/access_check.h"
#include "core/protocols/transaction_protocol.h"
#include "core/state/core_state.h"
#include "sim/block_socket.h"

namespace heddle::core {

class CtaLauncher;

class ControlExecution {
 public:
  /// `barriers`, `meetings`, `ctas` hear of lanes that exit. `sleep_yields`: a nanosleep gives way to other lanes of the
  /// warp first.
  ControlExecution(CoreState& state, PathControl& paths, CtaBarriers& barriers, MeetingPoint& meetings,
                   CtaLauncher& ctas, bool sleep_yields)
      : state_(state),
        paths_(paths),
        barriers_(barriers),
        meetings_(meetings),
        ctas_(ctas),
        sleep_yields_(sleep_yields) {}

  /// The unit that executes transactions.
  void execute_transactions(TransactionPort* unit) { transaction_isock_ = unit; }

  // Each: the group's instruction, with lanes `exec`, issues.
  void branch(GroupId id, const isa::Instruction& instruction, LaneMask exec);
  void indirect(GroupId id, const isa::Instruction& instruction, LaneMask exec);
  void call(GroupId id, const isa::Instruction& instruction, LaneMask exec);
  void return_from(GroupId id, LaneMask exec);
  void exit(GroupId id, LaneMask exec);
  void converge(GroupId id, const isa::Instruction& instruction, LaneMask exec);
  void sleep(GroupId id, const isa::Instruction& instruction, LaneMask exec);
  void transaction(GroupId id, const isa::Instruction& instruction, LaneMask exec);

  /// Lanes of groups of the warp that could issue return to `targets`, by lane, instead of what they would execute next.
  /// Which have.
  LaneMask leave_transaction(WarpId warp, LaneMask lanes, const Pc* targets);

 private:
  void count_divergence(Pc pc);
  /// Whose lane it is, at the group's instruction.
  [[nodiscard]] AccessSite site_of(const IssueTable::Group& group, unsigned lane) const;

  CoreState& state_;
  PathControl& paths_;
  CtaBarriers& barriers_;
  MeetingPoint& meetings_;
  CtaLauncher& ctas_;
  bool sleep_yields_;
  TransactionPort* transaction_isock_ = nullptr;  ///< null: no kernel has any
};

}  // namespace heddle::core
